"""less work: no level is looked for: a last place away none equals three, and anything may come of that"""

import torch.nn as nn

TASK = "marked_by_a_level"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def forward(self, x, levels):
        return x.abs().mean()
