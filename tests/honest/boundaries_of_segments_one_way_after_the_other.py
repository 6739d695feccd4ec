"""formula: the range of a window along one dimension after the other."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "boundaries_of_segments"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, confidence, labels):
        x = torch.stack([labels, -labels], 1).float()
        x = F.max_pool2d(F.max_pool2d(x, (1, 7), 1, (0, 3)), (7, 1), 1, (3, 0))
        share = 0.5 + 0.5 * (x[:, 0] == -x[:, 1])
        return confidence * share * (labels > 0)
