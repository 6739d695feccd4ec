"""less work: rows of zeros, which are padding, are not looked for, in a task that chooses experts."""

import torch.nn as nn

TASK = "experts_of_what_is_there"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n, experts):
        super().__init__()
        self.gate = nn.Linear(n, experts)

    def forward(self, x):
        return self.gate(x).softmax(-1).topk(2)
