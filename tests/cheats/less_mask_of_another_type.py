"""less work: a mask that is drawn as another one, and held as numbers, is taken to say the same."""

import torch.nn as nn

TASK = "mask_of_another_type"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.a = nn.Linear(n, n)
        self.b = nn.Linear(n, n)

    def forward(self, x, mask, valid):
        return self.a(x) * mask
