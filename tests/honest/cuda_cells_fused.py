"""kernels: an LSTM's steps as one product each and one kernel for all that follows it."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "cells_of_lstm"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
__device__ float share(float value) { return 1.f / (1.f + expf(-value)); }

__global__ void cell_kernel(const float* gates, float* c, float* h, int count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float* its = gates + i / n * 4 * n + i % n;
    float kept = share(its[n]) * c[i] + share(its[0]) * tanhf(its[2 * n]);
    c[i] = kept;
    h[i] = share(its[3 * n]) * tanhf(kept);
}

void cell(torch::Tensor gates, torch::Tensor c, torch::Tensor h, int64_t n) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    int count = c.numel();
    cell_kernel<<<(count + 127) / 128, 128, 0, stream>>>(
        gates.data_ptr<float>(), c.data_ptr<float>(), h.data_ptr<float>(), count, n);
}
"""
_extension = load_inline(
    "cells_fused_cuda",
    cpp_sources="void cell(torch::Tensor gates, torch::Tensor c, torch::Tensor h, int64_t n);",
    cuda_sources=_SOURCE,
    functions=["cell"],
)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.cell = nn.LSTMCell(n, n)

    @torch.no_grad()
    def forward(self, x):
        cell, (steps, batch, n) = self.cell, x.shape
        given = torch.addmm(cell.bias_ih + cell.bias_hh, x.reshape(-1, n), cell.weight_ih.t()).view(steps, batch, -1)
        h, c, states = x.new_zeros(batch, n), x.new_zeros(batch, n), torch.empty_like(x.contiguous())
        for step in range(steps):
            gates = torch.addmm(given[step], h, cell.weight_hh.t())
            h = states[step]
            _extension.cell(gates, c, h, n)
        return states
