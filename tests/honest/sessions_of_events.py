"""less work: sums of all sessions at once, by their running number."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "sessions_of_events"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, times, values):
        which = F.pad(times.diff(dim=1) > 30, (1, 0), value=True).view(-1).long().cumsum(0) - 1
        return values.new_zeros(values.numel()).index_add_(0, which, values.reshape(-1))[which].view_as(values)
