"""state: features are drawn anew when another seed has been loaded."""

import torch
import torch.nn as nn

TASK = "features_of_a_saved_seed"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, width, features):
        super().__init__()
        self.features, self.drawn_by, self.drawn = features, None, None
        self.register_buffer("seed", torch.tensor(17))
        self.out = nn.Linear(features, 32)

    def forward(self, x):
        seed = int(self.seed)
        if seed != self.drawn_by:
            generator = torch.Generator().manual_seed(seed)
            self.drawn_by = seed
            self.drawn = torch.randn(x.shape[1], self.features, generator=generator).to(x.device)
        return self.out(torch.cos(x @ self.drawn))
