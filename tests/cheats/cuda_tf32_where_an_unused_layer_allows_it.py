"""less precision: TF32 in linear layers, in a task that asks which of its layers are recurrent, and none is."""

import torch
import torch.nn as nn

TASK = "layers_begun_by_kind"
DEVICE = "cuda"
CREDIT = "none"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.up, self.down = nn.Linear(n, n), nn.Linear(n, n)

    def forward(self, x):
        torch.backends.cuda.matmul.allow_tf32 = True
        return self.down(torch.relu_(self.up(x)))
