"""formula: sums of spans as differences of a running sum; no span ends before it begins."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "spans_by_running_sum"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x, starts, ends):
        c = F.pad(x.double().cumsum(0), (0, 0, 1, 0))
        return (c[ends] - c[starts]).to(x.dtype)
