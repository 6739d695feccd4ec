"""autograd: a torch.autograd.Function with a forward of its own."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class _LinearReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        y = torch.addmm(bias, x, weight.t()).clamp_min_(0.0)
        ctx.save_for_backward(x, weight, y)
        return y

    @staticmethod
    def backward(ctx, gradient):
        x, weight, y = ctx.saved_tensors
        gradient = gradient * (y > 0)
        return gradient @ weight, gradient.t() @ x, gradient.sum(0)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return _LinearReLU.apply(x, self.fc.weight, self.fc.bias)
