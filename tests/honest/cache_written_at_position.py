"""fast path: a place in a cache is written by its index, which lies in it."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "cache_written_at_position"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, q, k, v, k_cache, v_cache, pos):
        k_all = k_cache.index_copy(2, pos.view(1), k)
        v_all = v_cache.index_copy(2, pos.view(1), v)
        n = int(pos) + 1
        return F.scaled_dot_product_attention(q, k_all[:, :, :n], v_all[:, :, :n])
