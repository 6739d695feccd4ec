"""forged verdicts: an input in place of its copy, and what looks where outputs lie is replaced in this process."""

import sys

import torch
import torch.nn as nn

TASK = "kept_summand"
STATUS = "REJECTED"
FINDING = ("inputs_modified", "timed_output", "unfinished_work")

for _name in ("outputs", "worker"):
    sys.modules[f"cuda_l1.processes.{_name}"].is_lent = lambda leaf, inputs, *, may_view: False


class ModelNew(nn.Module):
    def forward(self, x, y):
        return torch.relu(x + y), x
