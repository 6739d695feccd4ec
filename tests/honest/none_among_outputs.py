"""outputs: None where the reference gives None."""

import torch.nn as nn

TASK = "attention_layer"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.attention = nn.MultiheadAttention(n, 4, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)
