"""library: causal attention with padding, and a mean over what is kept."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "causal_mean_of_tokens"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(n, 3 * n)
        self.out = nn.Linear(n, n)
        self.causal = None

    def forward(self, x, attention_mask):
        b, t, n = x.shape
        if self.causal is None or len(self.causal) != t:
            self.causal = torch.ones(t, t, dtype=torch.bool, device=x.device).tril()
        keep = attention_mask.bool()
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=self.causal & keep[:, None, None])
        y = x + self.out(y.transpose(1, 2).reshape(b, t, n))
        return y.masked_fill_(~keep[..., None], 0).sum(1) / keep.sum(1, keepdim=True)
