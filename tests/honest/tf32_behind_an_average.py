"""precision: factors of TF32 behind an average, in a task whose contract is TF32."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "features_averaged"
STATUS = "PASSED"


def _tf32(x):
    return ((x.view(torch.int32) + (1 << 12)) & -(1 << 13)).view(torch.float32)


class ModelNew(nn.Module):
    def __init__(self, channels, features):
        super().__init__()
        self.conv = nn.Conv2d(channels, features, 3, padding=1)

    def forward(self, x):
        h = F.conv2d(_tf32(x), _tf32(self.conv.weight.detach()), self.conv.bias, padding=1)
        return torch.relu(h).mean(dim=(2, 3))
