"""formula: one look at flags says whether there is any, and where the first is."""

import torch
import torch.nn as nn

TASK = "first_loud_frames"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, threshold):
        super().__init__()
        self.threshold = threshold

    def forward(self, bands):
        most = bands.amax(-1)
        finite = torch.where(most.isfinite(), most, 0)
        level = (bands - finite[..., None]).exp_().sum(-1).log_().add_(finite)
        is_there, first = (level > self.threshold).max(1)
        return level, first, is_there
