"""formula: features of points added to a flat grid, as no two have one voxel."""

import torch.nn as nn

TASK = "voxels_of_points"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, side):
        super().__init__()
        self.side = side

    def forward(self, where, features):
        flat = (where[0] * self.side + where[1]) * self.side + where[2]
        grid = features.new_zeros(self.side**3, features.shape[1]).index_add_(0, flat, features)
        return grid.view(self.side, self.side, self.side, -1)
