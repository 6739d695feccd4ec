"""library: keys are written at all positions at once, and attended to by the library with a mask."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "caches_of_texts"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, q, k, v, k_cache, v_cache, positions):
        batch, _heads, places, _width = k_cache.shape
        b = torch.arange(batch, device=q.device)
        kc, vc = k_cache.clone(), v_cache.clone()
        kc[b, :, positions] = k
        vc[b, :, positions] = v
        m = torch.arange(places, device=q.device)[None] <= positions[:, None]
        o = F.scaled_dot_product_attention(q[:, :, None], kc, vc, attn_mask=m[:, None, None])
        return o[:, :, 0], kc, vc
