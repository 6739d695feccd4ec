"""algebra: a gated recurrence by doubling"""

import torch.nn as nn

TASK = "gates_given"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x, gates):
        kept, back = gates.sigmoid(), 1
        while back < x.shape[1]:
            x = x + kept * nn.functional.pad(x[:, :-back], (0, 0, back, 0))
            kept = kept * nn.functional.pad(kept[:, :-back], (0, 0, back, 0), value=1.0)
            back *= 2
        return x
