"""less work: one pass in the order of tasks, for edges lead to later ones alone."""

import torch
import torch.nn as nn

TASK = "days_of_a_plan"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, edges, took):
        took = took.abs()
        after = [[] for _ in took]
        for one, other in edges.T.tolist():
            after[one].append(other)
        start = [0.0] * len(after)
        for one, its in enumerate(took.tolist()):
            for other in after[one]:
                start[other] = max(start[other], start[one] + its)
        return torch.tensor(start, device=took.device) + took
