"""library: attention hidden by a mask of ones, made a boolean one."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "mask_of_ones_made_additive"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, q, k, v, attention_mask, head_mask):
        return (
            F.scaled_dot_product_attention(q, k, v, attn_mask=(attention_mask > 0)[:, None, None])
            * head_mask[:, None, None]
        )
