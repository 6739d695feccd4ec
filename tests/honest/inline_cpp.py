"""kernels: an inline C++ extension."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "chain"
STATUS = "PASSED"

_SOURCE = """
torch::Tensor chain(torch::Tensor x) {
    x = at::clamp(x, -6.0, 6.0);
    return at::tanh(0.5 * x * at::sigmoid(x)) + 0.1 * x;
}
"""
_extension = load_inline("chain", cpp_sources=_SOURCE, functions=["chain"])


class ModelNew(nn.Module):
    def forward(self, x):
        return _extension.chain(x)
