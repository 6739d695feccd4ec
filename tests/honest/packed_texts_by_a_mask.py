"""library: packed texts by one attention whose mask says which words are of one text."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "packed_texts"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads

    def forward(self, q, k, v, cu_seqlens):
        t = q.shape[0]
        i = torch.arange(t, device=q.device)
        doc = torch.searchsorted(cu_seqlens[1:].contiguous(), i, right=True)
        m = (doc[:, None] == doc[None]) & (i[:, None] >= i[None])
        qi, ki, vi = (z.view(1, t, self.heads, -1).transpose(1, 2) for z in (q, k, v))
        o = F.scaled_dot_product_attention(qi, ki, vi, attn_mask=m)[0].transpose(0, 1).reshape(t, -1)
        n = cu_seqlens[1:] - cu_seqlens[:-1]
        last = o[(cu_seqlens[1:] - 1).clamp(min=0)] * (n > 0)[:, None]
        return o, last
