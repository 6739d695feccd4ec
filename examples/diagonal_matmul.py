"""Product of a diagonal matrix with a dense one, `diag(a) @ b`.

What is slow: the N x N matrix is written out, nearly all of it zeros, and then multiplied densely: 2*N*N*M operations
for N*M products, and N*N floats of memory for N of them.
What a good engineer does: scale each row, `a.unsqueeze(1) * b`. It reads b once and writes the result once.
"""

import torch
from torch import nn

SIZES = {"cpu": {"N": 2048, "M": 2048}, "cuda": {"N": 4096, "M": 4096}}
N = 2048
M = 2048


class Model(nn.Module):
    """Takes a (N) and b (N, M), returns diag(a) @ b (N, M)."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.diag(a) @ b


def get_inputs():
    return [torch.randn(N), torch.randn(N, M)]


def get_init_inputs():
    return []
