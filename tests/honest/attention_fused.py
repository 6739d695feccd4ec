"""library: the fused attention of the library instead of three operations."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "attention"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v)
