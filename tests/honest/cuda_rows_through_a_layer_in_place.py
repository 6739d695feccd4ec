"""buffers: the relu of a layer in place, on inputs of which a turn of a race has four calls."""

import torch
import torch.nn as nn

TASK = "rows_of_a_table_of_126_megabytes"
STATUS = "PASSED"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, table, index):
        return torch.relu_(self.fc(torch.index_select(table, 0, index)))
