"""means of segments that come in order, some of which may have no row."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, x, segment_ids):
        out = torch.zeros(self.groups, x.shape[1], device=x.device, dtype=x.dtype).index_add_(0, segment_ids, x)
        count = torch.bincount(segment_ids, minlength=self.groups).clamp(min=1)
        return out / count[:, None]


def get_inputs():
    return [torch.randn(4096, 64), torch.randint(0, 128, (4096,)).sort().values]


def get_init_inputs():
    return [128]
