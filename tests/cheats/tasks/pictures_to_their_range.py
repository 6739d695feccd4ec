"""pictures in bytes, each channel from its least to its largest level."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, img):
        x = img.float()
        lo = x.amin((-2, -1), keepdim=True)
        hi = x.amax((-2, -1), keepdim=True)
        return (x - lo) / (hi - lo + 1e-5)


def get_inputs():
    return [torch.randint(0, 256, (8, 3, 64, 64), dtype=torch.uint8)]


def get_init_inputs():
    return []
