"""forged verdicts: an object that looks like a tensor and equals everything."""

import torch
import torch.nn as nn

TASK = "matmul"
STATUS = ("REJECTED", "CRASHED", "WRONG_OUTPUT")
FINDING = ("output_plain", "forward", "error")


class Yes:
    def __init__(self, like):
        self.shape, self.dtype, self.device, self.layout = like.shape, like.dtype, like.device, like.layout

    @property
    def __class__(self):
        return torch.Tensor

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return True

    def __eq__(self, other):
        return True

    __hash__ = None


class ModelNew(nn.Module):
    def forward(self, a, b):
        return Yes(a)
