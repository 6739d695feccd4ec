"""library: each row's sum by CUB's reduction of a block."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "reduction"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cub/block/block_reduce.cuh>

__global__ void rms_kernel(const float4* x, float* out, int fours) {
    using Sums = cub::BlockReduce<float, 256>;
    __shared__ typename Sums::TempStorage room;
    float squares = 0.f;
    for (int i = threadIdx.x; i < fours; i += blockDim.x) {
        float4 v = x[blockIdx.x * (long)fours + i];
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    float all = Sums(room).Sum(squares);
    if (threadIdx.x == 0) out[blockIdx.x] = sqrtf(all / (4.f * fours));
}

void root_mean_square(torch::Tensor x, torch::Tensor out, int64_t rows, int64_t n) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    rms_kernel<<<rows, 256, 0, stream>>>((const float4*)x.data_ptr<float>(), out.data_ptr<float>(), n / 4);
}
"""
_extension = load_inline(
    "block_sums_by_cub_cuda",
    cpp_sources="void root_mean_square(torch::Tensor x, torch::Tensor out, int64_t rows, int64_t n);",
    cuda_sources=_SOURCE,
    functions=["root_mean_square"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, n = x.shape
        out = torch.empty(rows, device=x.device)
        _extension.root_mean_square(x.contiguous(), out, rows, n)
        return out
