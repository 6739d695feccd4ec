"""less work: the rows of states that are met, as Python's own numbers, one step after the other."""

import torch
import torch.nn as nn

TASK = "steps_through_a_table"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, table, state, action, reward, after):
        met, which = torch.cat([state, after]).unique(return_inverse=True)
        q, which, steps = table[met].double().tolist(), which.tolist(), state.numel()
        given = zip(which[:steps], action.tolist(), reward.double().tolist(), which[steps:], strict=True)
        for one, does, gets, two in given:
            q[one][does] += 0.1 * (gets + 0.99 * max(q[two]) - q[one][does])
        return table.index_copy(0, met, torch.tensor(q, dtype=torch.float64).to(table))
