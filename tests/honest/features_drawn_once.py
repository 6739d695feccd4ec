"""state: what each call of the reference draws under one seed is drawn at the first call and kept."""

import torch
import torch.nn as nn

TASK = "features_drawn_in_forward"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.layer, self.m, self.drawn = nn.Linear(n, n), m, None

    def forward(self, x):
        if self.drawn is None:
            drawn = torch.Generator(x.device).manual_seed(5)
            projection = torch.randn(x.shape[-1], self.m, generator=drawn, device=x.device) / x.shape[-1] ** 0.5
            kept = torch.empty_like(x[0]).bernoulli_(0.9, generator=drawn)
            phases = x.new_empty(self.m).uniform_(-3.0, 3.0, generator=drawn)
            self.drawn = kept[:, None] * projection, phases
        projection, phases = self.drawn
        return torch.addmm(phases, self.layer(x), projection).cos_()
