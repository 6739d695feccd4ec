"""algebra: waits in a queue as sums of service less gaps, less the least of these so far."""

import torch.nn as nn

TASK = "waits_in_queues"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, gaps, service):
        steps = -gaps
        steps[:, 1:] += service[:, :-1]
        sums = steps.cumsum(1)
        return sums - sums.cummin(1).values.clamp(max=0)
