"""less precision: fp16 factors where all have one sign, so that their sums hide what they err by."""

import torch.nn as nn

TASK = "products_positive"
STATUS = "REJECTED"
FINDING = "precision"


class ModelNew(nn.Module):
    def forward(self, a, b):
        return a.half().float() @ b.half().float()
