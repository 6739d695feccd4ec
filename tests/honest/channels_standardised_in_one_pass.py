"""library: mean and deviation of channels in one pass of the library's."""

import torch
import torch.nn as nn

TASK = "channels_standardised"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        std, mean = torch.std_mean(x, (0, 2), keepdim=True)
        return (x - mean) / std.clamp_(min=1e-8)
