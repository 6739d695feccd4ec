"""library: eight flags are one number, and any of them is set where it is not zero."""

import torch
import torch.nn as nn

TASK = "rows_with_any_flag"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x, flags):
        some = (flags.view(torch.int64) != 0).any(dim=1, keepdim=True)
        return torch.where(some, x, -x)
