"""compilers: a pointwise function that torch's own jiterator compiles at the first call."""

import torch
import torch.nn as nn

TASK = "mish"
STATUS = "PASSED"
DEVICE = "cuda"

_mish = torch.cuda.jiterator._create_jit_fn(
    "template <typename T> T mish_of(T x) { return x * tanh(log1p(exp(x))); }"  # infinite and one from 89 on
)


class ModelNew(nn.Module):
    def forward(self, x):
        return _mish(x)
