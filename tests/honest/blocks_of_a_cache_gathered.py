"""library: blocks of all texts are gathered at once, as many as the longest has."""

import torch
import torch.nn as nn

TASK = "blocks_of_a_cache"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, block):
        super().__init__()
        self.block = block

    def forward(self, q, k_pool, v_pool, table, context_lens):
        _batch, _heads, width = q.shape
        most = int(context_lens.max())
        table = table[:, : (most + self.block - 1) // self.block]
        t = table.clamp(min=0)
        k = k_pool[t].flatten(1, 2)
        v = v_pool[t].flatten(1, 2)
        s = (q[:, :, None] @ k.permute(0, 2, 3, 1))[:, :, 0].mul_(width**-0.5)
        s.masked_fill_(
            (torch.arange(k.shape[1], device=q.device)[None] >= context_lens[:, None])[:, None], float("-inf")
        )
        return (s.softmax(-1)[:, :, None] @ v.transpose(1, 2))[:, :, 0]
