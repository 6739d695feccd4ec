"""library: the distances of all points at once"""

import torch
import torch.nn as nn

TASK = "farthest_points"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.count = count

    def forward(self, points):
        away = torch.cdist(points, points, compute_mode="donot_use_mm_for_euclid_dist")
        items = torch.arange(len(points), device=points.device)
        taken = torch.zeros(len(points), self.count, dtype=torch.long, device=points.device)
        nearest = away[:, 0].clone()
        for n in range(1, self.count):
            taken[:, n] = nearest.argmax(-1)
            torch.minimum(nearest, away[items, taken[:, n]], out=nearest)
        return taken
