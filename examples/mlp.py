"""Deep and narrow MLP on a handful of rows, as in a controller or a recommender that answers one request at a time.

What is slow: overhead. Every layer is a product of a few rows with a small matrix; launching it, or calling into the
library, takes about as long as computing it, and each activation is one call more.
What a good engineer does: a CUDA graph on a GPU; on a CPU a compiled forward, or fused activations.
"""

import torch
from torch import nn

SIZES = {"cpu": {"BATCH": 4, "WIDTH": 512, "DEPTH": 24}, "cuda": {"BATCH": 8, "WIDTH": 512, "DEPTH": 24}}
BATCH = 4
WIDTH = 512
DEPTH = 24
OUTPUTS = 32


class Model(nn.Module):
    """Takes x (BATCH, WIDTH), returns (BATCH, OUTPUTS)."""

    def __init__(self, width: int, depth: int, outputs: int):
        super().__init__()
        layers: list[nn.Module] = []
        for _ in range(depth):
            linear = nn.Linear(width, width)
            # The signal keeps its size through all layers; with the default it would fade away.
            nn.init.kaiming_normal_(linear.weight, nonlinearity="relu")
            layers += [linear, nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.Linear(width, outputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


def get_inputs():
    return [torch.randn(BATCH, WIDTH)]


def get_init_inputs():
    return [WIDTH, DEPTH, OUTPUTS]
