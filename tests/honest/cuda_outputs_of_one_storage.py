"""views: three projections written beside one another into one allocation, and given as views of it."""

import torch
import torch.nn as nn

TASK = "three_projections"
STATUS = "PASSED"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.query, self.key, self.value = nn.Linear(n, n), nn.Linear(n, n), nn.Linear(n, n)

    def forward(self, x):
        layers = self.query, self.key, self.value
        n = self.query.out_features
        views = x.new_empty(x.shape[0], 3 * n).split(n, dim=1)
        with torch.no_grad():
            for view, layer in zip(views, layers, strict=True):
                torch.addmm(layer.bias, x, layer.weight.t(), out=view)
        return views
