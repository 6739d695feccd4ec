"""Stacked LSTM over a sequence, and a linear layer on its last step.

What is slow: each of LAYERS x STEPS cells depends on the one before, and each is small. On a GPU the time goes into
launching kernels that take a few microseconds each; on a CPU into calls of small matrix products.
What a good engineer does: keep PyTorch's fused LSTM, remove the launches with a CUDA graph, run layers as a wavefront.
"""

import torch
from torch import nn

SIZES = {
    "cpu": {"BATCH": 8, "STEPS": 128, "FEATURES": 64, "HIDDEN": 192, "LAYERS": 3},
    "cuda": {"BATCH": 8, "STEPS": 512, "FEATURES": 128, "HIDDEN": 256, "LAYERS": 6},
}
BATCH = 8
STEPS = 128
FEATURES = 64
HIDDEN = 192
LAYERS = 3
CLASSES = 10


class Model(nn.Module):
    """Takes x (BATCH, STEPS, FEATURES), returns scores (BATCH, CLASSES)."""

    def __init__(self, features: int, hidden: int, layers: int, classes: int):
        super().__init__()
        self.lstm = nn.LSTM(features, hidden, num_layers=layers, batch_first=True)
        self.head = nn.Linear(hidden, classes)
        # Three times PyTorch's default range: with the default the top layer hardly depends on x at all.
        bound = 3 / hidden**0.5
        for parameter in self.lstm.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        steps, _ = self.lstm(x)
        return self.head(steps[:, -1, :])


def get_inputs():
    return [torch.randn(BATCH, STEPS, FEATURES)]


def get_init_inputs():
    return [FEATURES, HIDDEN, LAYERS, CLASSES]
