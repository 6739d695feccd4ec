"""kernels: an inline CUDA kernel on the current stream."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "chain"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void chain_kernel(const float* x, float* y, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = fminf(fmaxf(x[i], -6.f), 6.f);
    y[i] = tanhf(0.5f * v / (1.f + expf(-v))) + 0.1f * v;
}

torch::Tensor chain(torch::Tensor x) {
    x = x.contiguous();
    auto y = torch::empty_like(x);
    auto stream = c10::cuda::getCurrentCUDAStream();
    chain_kernel<<<(x.numel() + 255) / 256, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
    return y;
}
"""
_extension = load_inline(
    "chain_cuda", cpp_sources="torch::Tensor chain(torch::Tensor x);", cuda_sources=_SOURCE, functions=["chain"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return _extension.chain(x)
