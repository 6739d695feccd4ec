"""library: means of segments by the library, and nothing where that gives no number."""

import torch
import torch.nn as nn

TASK = "means_of_segments"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, x, segment_ids):
        lengths = torch.bincount(segment_ids, minlength=self.groups)
        return torch.segment_reduce(x, "mean", lengths=lengths).nan_to_num_(0.0)
