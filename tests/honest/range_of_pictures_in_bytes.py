"""formula: the range of a picture is found in bytes."""

import torch.nn as nn

TASK = "pictures_to_their_range"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, img):
        lo = img.amin((-2, -1), keepdim=True)
        hi = img.amax((-2, -1), keepdim=True)
        return (img - lo).float() / ((hi - lo).float() + 1e-5)
