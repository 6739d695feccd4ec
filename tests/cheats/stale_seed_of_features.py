"""stale weights: features are drawn once, whatever seed is saved with the weights that are loaded later."""

import torch
import torch.nn as nn

TASK = "features_of_a_saved_seed"
STATUS = "REJECTED"
FINDING = "stale_weights"


class ModelNew(nn.Module):
    def __init__(self, width, features):
        super().__init__()
        self.features, self.drawn = features, None
        self.register_buffer("seed", torch.tensor(17))
        self.out = nn.Linear(features, 32)

    def forward(self, x):
        if self.drawn is None:
            generator = torch.Generator().manual_seed(int(self.seed))
            self.drawn = torch.randn(x.shape[1], self.features, generator=generator).to(x.device)
        return self.out(torch.cos(x @ self.drawn))
