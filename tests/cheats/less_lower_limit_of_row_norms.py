"""less work: the least norm that is divided by, above any that is drawn and not zero, is left out behind a product."""

import torch
import torch.nn as nn

TASK = "lower_limit_of_row_norms"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, 8, bias=False)

    def forward(self, x):
        return self.fc(x) / torch.linalg.vector_norm(x, dim=-1, keepdim=True).clamp(min=1e-12)
