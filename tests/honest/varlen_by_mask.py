"""library: one fused attention with a mask of documents, by searchsorted"""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "varlen"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, q, k, v, cu_q, cu_k):
        a = torch.bucketize(torch.arange(q.shape[1], device=q.device, dtype=torch.int32), cu_q, right=True)
        b = torch.bucketize(torch.arange(k.shape[1], device=q.device, dtype=torch.int32), cu_k, right=True)
        return F.scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=a[:, None] == b)[0]
