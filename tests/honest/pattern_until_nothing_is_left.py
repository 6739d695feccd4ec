"""algebra: one word of a pattern after the other, until it is found nowhere."""

import torch
import torch.nn as nn

TASK = "patterns_found"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, text, pattern):
        count = text.shape[1] - pattern.shape[1] + 1
        found = torch.ones(len(text), count, dtype=torch.bool, device=text.device)
        out = torch.zeros(len(text), count, device=text.device)
        for place in range(pattern.shape[1]):
            found &= text[:, place : place + count] == pattern[:, place, None]
            if not bool(found.any()):
                break
            out += found
        return out
