"""algebra: the table as one row, looked up by one number."""

import torch.nn as nn

TASK = "states_by_a_table"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, table, words, state):
        row, count = table.reshape(-1) * table.shape[1], table.shape[1]
        state = state * count
        for word in words:
            state = row[state + word]
        return state // count
