"""formula: what is within objects, along one dimension after the other."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "light_within_objects"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window, self.half = window, window // 2

    def forward(self, light, objects):
        n, h = self.window, self.half
        absent = (~objects).float()[:, None]
        absent = F.max_pool2d(F.max_pool2d(absent, (1, n), 1, (0, h)), (n, 1), 1, (h, 0))
        opened = F.max_pool2d(F.max_pool2d(1 - absent, (1, n), 1, (0, h)), (n, 1), 1, (h, 0))[:, 0]
        return light * (0.1 + 0.9 * opened) * (1 + objects)
