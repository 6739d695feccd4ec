"""masked: attention over a graph that is drawn anew each time, by a bias of minus infinity where there is no edge."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "attention_over_a_graph"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, q, k, v, edges):
        bias = torch.zeros_like(edges, dtype=q.dtype).masked_fill_(~edges, -torch.inf)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
