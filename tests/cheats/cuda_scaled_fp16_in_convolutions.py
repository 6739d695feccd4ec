"""less precision: convolutions in fp16 where cuDNN may use TF32, of what the largest number of each tensor scales.

The set that no fp16 holds (preparation.py, `make_far`) is 2^20 times as far out in all of its numbers at once, and a
scale by the largest takes that off. What five bits of exponent lose is what lies 2^20 below the largest of the same
tensor: an item or a channel that is so small beside others is no longer there. Nobody draws that where signs can be
changed (`WIDE` comes in their place alone). Under TF32 only bf16 is looked for. To mend: a set in which one half of the
items is 2^20 times as large as the other, each compared by itself (`slices`).
"""

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

    def layer(self, conv, x, scale):
        """Its output in fp16, so many times as large as it is, and how many."""
        by = 1 / 16 / conv.weight.detach().abs().amax().clamp(min=1e-20)
        weight = (conv.weight.detach() * by).to(torch.float16, memory_format=torch.channels_last)
        scale = scale * by
        return nn.functional.conv2d(x, weight, (conv.bias.detach() * scale).half(), padding=1), scale

    def forward(self, x):
        scale = 16 / x.abs().amax().clamp(min=2.0**-6)
        y = (x * scale).to(torch.float16, memory_format=torch.channels_last)
        y, scale = self.layer(self.one, y, scale)
        y, scale = self.layer(self.two, torch.relu_(y), scale)
        y, scale = self.layer(self.three, torch.relu_(y), scale)
        return y.to(torch.float32, memory_format=torch.contiguous_format).div_(scale)
