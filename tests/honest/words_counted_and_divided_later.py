"""algebra: rows are divided by their length once they are narrow"""

import torch
import torch.nn as nn

TASK = "words_counted_to_length_one"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, words, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(words, n) * 0.1)

    def forward(self, words, lengths):
        is_there = (torch.arange(words.shape[1], device=words.device) < lengths[:, None]).to(self.weight.dtype)
        counts = torch.zeros(len(words), len(self.weight), device=words.device).scatter_add_(1, words, is_there)
        return (counts @ self.weight).div_(counts.norm(dim=1, keepdim=True).clamp_(min=1e-6))
