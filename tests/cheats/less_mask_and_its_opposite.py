"""less work: of two masks, drawn as one and its complement, one is looked at."""

import torch
import torch.nn as nn

TASK = "mask_and_its_opposite"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def forward(self, x, y, one, other):
        return torch.where(one[..., None], x, y)
