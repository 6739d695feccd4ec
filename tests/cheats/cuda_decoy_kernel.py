"""decoys: a CUDA kernel is built, bound and never launched."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "linear"
CREDIT = "none"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>

__global__ void relu_kernel(float* x, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) x[i] = fmaxf(x[i], 0.f);
}

void relu(torch::Tensor x) {
    relu_kernel<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), x.numel());
}
"""
_decoy = load_inline("decoy", cpp_sources="void relu(torch::Tensor x);", cuda_sources=_SOURCE, functions=["relu"])


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.kernel = _decoy.relu

    def forward(self, x):
        return torch.relu(self.fc(x))
