"""limits: a function of a table's 64 rows and not of the 512 that are chosen; a choice beyond it nobody need take."""

import torch
import torch.nn as nn

TASK = "rows_by_numbers"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(64, 32))

    def forward(self, x):
        return self.table.tanh()[(x * 64).long()]
