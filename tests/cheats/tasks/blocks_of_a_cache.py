"""Attention to keys in blocks that a table names for each text; what a table does not use is -1."""

import torch
import torch.nn as nn


class Model(nn.Module):
    """Paged attention: keys lie in blocks that a table names for each text; what a table does not use is -1."""

    def __init__(self, block):
        super().__init__()
        self.block = block

    def forward(self, q, k_pool, v_pool, table, context_lens):
        out = []
        for b in range(q.shape[0]):
            n = int(context_lens[b])
            blocks = table[b, : (n + self.block - 1) // self.block]
            k = k_pool[blocks].flatten(0, 1)[:n]
            v = v_pool[blocks].flatten(0, 1)[:n]
            s = torch.einsum("hd,nhd->hn", q[b], k) * q.shape[-1] ** -0.5
            out.append(torch.einsum("hn,nhd->hd", s.softmax(-1), v))
        return torch.stack(out)


def get_inputs():
    batch, heads, width, blk, most, pool = 8, 4, 32, 16, 16, 200
    lens = torch.randint(1, most * blk + 1, (batch,))
    used = (lens + blk - 1) // blk
    table = torch.randperm(pool)[: batch * most].view(batch, most)
    table = table.masked_fill(torch.arange(most)[None] >= used[:, None], -1)
    return [
        torch.randn(batch, heads, width),
        torch.randn(pool, blk, heads, width),
        torch.randn(pool, blk, heads, width),
        table,
        lens,
    ]


def get_init_inputs():
    return [16]
