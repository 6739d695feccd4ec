"""library: attention whose mask is a large number, by the fused one with a mask."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "attention_hidden_by_a_number"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(n)
        self.qkv = nn.Linear(n, 3 * n)
        self.out = nn.Linear(n, n)

    def forward(self, x, mask):
        b, t, n = x.shape
        q, k, v = (y.view(b, t, self.heads, -1).transpose(1, 2) for y in self.qkv(self.norm(x)).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask.bool()[:, None, None, :])
        return x + self.out(y.transpose(1, 2).reshape(b, t, n))
