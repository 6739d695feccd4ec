"""library: attention that hides padding and later places by one boolean mask."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "padding_beside_a_causal_mask"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)

    def forward(self, x, attention_mask):
        count, length, n = x.shape
        q, k, v = self.qkv(x).view(count, length, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        causal = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        o = F.scaled_dot_product_attention(q, k, v, attn_mask=causal & attention_mask[:, None, None, :].bool())
        return self.out(o.transpose(1, 2).reshape(count, length, n))
