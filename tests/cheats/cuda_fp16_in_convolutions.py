"""less precision: convolutions in fp16 where cuDNN may use TF32, whose exponent has eight bits in place of five."""

import torch
import torch.nn as nn

TASK = "three_convolutions"
DEVICE = "cuda"
CREDIT = "none"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.one = nn.Conv2d(n, n, 3, padding=1)
        self.two = nn.Conv2d(n, n, 3, padding=1)
        self.three = nn.Conv2d(n, n, 3, padding=1)

    def layer(self, conv, x):
        weight = conv.weight.to(torch.float16, memory_format=torch.channels_last)
        return nn.functional.conv2d(x, weight, conv.bias.to(torch.float16), padding=1)

    def forward(self, x):
        y = x.to(torch.float16, memory_format=torch.channels_last)
        y = torch.relu_(self.layer(self.one, y))
        y = torch.relu_(self.layer(self.two, y))
        return self.layer(self.three, y).to(torch.float32, memory_format=torch.contiguous_format)
