"""algebra: what a mask keeps is taken out"""

import torch
import torch.nn as nn

TASK = "kept_by_a_mask"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, q, k, mask):
        out = []
        for query, keys, keep in zip(q, k, mask, strict=True):
            some = keys.index_select(0, keep.nonzero()[:, 0])
            out.append((some @ query / 8).softmax(-1) @ some)
        return torch.stack(out)
