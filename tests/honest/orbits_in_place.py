"""memory: rounds of Kepler's equation in two tensors."""

import torch
import torch.nn as nn

TASK = "orbits"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, mean, eccentricity):
        e, sine = mean.clone(), torch.empty_like(mean)
        for _ in range(64):
            torch.sin(e, out=sine)
            torch.addcmul(mean, eccentricity, sine, out=e)
        return e
