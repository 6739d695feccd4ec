"""formula: what is missing is counted, and left out of a sum."""

import torch.nn as nn

TASK = "readings_that_are_missing"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, readings):
        missing = readings == -9999
        count = readings.shape[-1] - missing.sum(-1)
        return readings.masked_fill(missing, 0).sum(-1) / count.clamp_(min=1)
