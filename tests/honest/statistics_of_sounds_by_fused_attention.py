"""library: fused attention with a mask of booleans, and moments by products"""

import torch
import torch.nn as nn

TASK = "statistics_of_sounds"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, mels, dim, heads):
        super().__init__()
        self.conv = nn.Conv1d(mels, dim, 8, stride=4)
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.head = nn.Linear(2 * dim, 16)

    def forward(self, audio, audio_lengths):
        y = nn.functional.gelu(self.conv(audio)).transpose(1, 2)
        n = torch.div(audio_lengths - 8, 4, rounding_mode="floor") + 1
        b, t, d = y.shape
        live = torch.arange(t, device=y.device)[None] < n[:, None]
        q, k, v = self.qkv(y).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        z = (
            nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=live[:, None, None])
            .transpose(1, 2)
            .reshape(b, t, d)
        )
        w = live.to(z.dtype)
        c = w.sum(1, keepdim=True)
        mean = torch.einsum("bt,btd->bd", w, z) / c.clamp(min=1)
        var = torch.einsum("bt,btd->bd", w, (z - mean[:, None]).square()) / (c - 1).clamp(min=1)
        return self.head(torch.cat([mean, (var + 1e-6).sqrt()], -1)).log_softmax(-1)
