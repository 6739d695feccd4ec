"""ties: distances to codes by the library's function, and how many codes are in use by counts."""

import torch
import torch.nn as nn

TASK = "codebook_in_use"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, entries, n):
        super().__init__()
        self.codes = nn.Embedding(entries, n)
        nn.init.uniform_(self.codes.weight, -1 / entries, 1 / entries)

    def forward(self, x):
        codes = self.codes.weight
        nearest = torch.cdist(x, codes).argmin(1)
        share = torch.bincount(nearest, minlength=codes.shape[0]) / len(nearest)
        return codes[nearest], nearest, torch.exp(-(share * torch.log(share + 1e-10)).sum())
