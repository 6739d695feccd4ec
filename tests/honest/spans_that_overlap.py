"""as the reference: sums of spans as differences of running sums, for none ends before it begins."""

import torch.nn as nn

TASK = "sums_of_spans"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x, starts, ends):
        sums = nn.functional.pad(x.double().cumsum(1), (1, 0))
        return (sums.gather(1, ends) - sums.gather(1, starts)).to(x.dtype)
