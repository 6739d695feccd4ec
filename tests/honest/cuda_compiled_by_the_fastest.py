"""compilers: torch.compile that times templates for its products, without graphs."""

import torch
import torch.nn as nn

TASK = "linear_gelu"
STATUS = "PASSED"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc = nn.Linear(n, m)
        self.compiled = None

    def forward(self, x):
        if self.compiled is None:
            self.compiled = torch.compile(self.plain, mode="max-autotune-no-cudagraphs")
        return self.compiled(x)

    def plain(self, x):
        return nn.functional.gelu(self.fc(x))
