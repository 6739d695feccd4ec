"""fast path: attention without masks where neither hides anything, and under both where one does."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "two_masks"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, q, k, v, there, pairs):
        if there.all() and pairs.all():
            return F.scaled_dot_product_attention(q, k, v)
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        return torch.softmax(scores.masked_fill(~(there[:, None] & pairs), -1e9), -1) @ v
