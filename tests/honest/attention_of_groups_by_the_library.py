"""library: queries of a group are rows of one attention with a mask, and no number is a zero."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "attention_of_groups_and_lengths"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, q, k, v, lengths):
        batch, heads, length, width = q.shape
        valid = torch.arange(length, device=q.device)[None] < lengths[:, None]
        many = self.groups
        qg = q.reshape(batch, heads // many, many * length, width)
        o = F.scaled_dot_product_attention(qg, k, v, attn_mask=valid[:, None, None]).reshape(
            batch, heads, length, width
        )
        return o.nan_to_num_() * valid[:, None, :, None]
