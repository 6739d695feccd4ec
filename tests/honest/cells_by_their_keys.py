"""less work: points are added up by the names of their cells, and no pair of points is looked at."""

import torch
import torch.nn as nn

TASK = "means_of_cells"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, cells, features):
        low = cells.amin(0)
        width = cells.amax(0) - low + 1
        x, y, z = (cells - low).unbind(1)
        names, which = torch.unique((x * width[1] + y) * width[2] + z, return_inverse=True)
        counted = torch.cat([features, torch.ones_like(features[:, :1])], 1)
        total = torch.zeros_like(counted[: len(names)]).index_add_(0, which, counted)
        return (total[:, :-1] / total[:, -1:])[which]
