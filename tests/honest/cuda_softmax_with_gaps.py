"""outputs: rows written with gaps between them, and given as a view of what is larger."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "softmax"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
__device__ void merge(float& most, float& sum, float its_most, float its_sum) {
    float higher = fmaxf(most, its_most);
    sum = sum * __expf(most - higher) + its_sum * __expf(its_most - higher);
    most = higher;
}

__device__ void merge_block(float& most, float& sum) {
    __shared__ float mosts[256], sums[256];
    int me = threadIdx.x;
    mosts[me] = most, sums[me] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) merge(mosts[me], sums[me], mosts[me + half], sums[me + half]);
        __syncthreads();
    }
    most = mosts[0], sum = sums[0];
}

__global__ void softmax_kernel(const float4* x, float4* y, int fours, long step) {
    const float4* its = x + blockIdx.x * (long)fours;
    float most = -3.4e38f, sum = 0.f;
    for (int i = threadIdx.x; i < fours; i += blockDim.x) {
        float4 v = its[i];
        float higher = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
        merge(most, sum, higher,
              __expf(v.x - higher) + __expf(v.y - higher) + __expf(v.z - higher) + __expf(v.w - higher));
    }
    merge_block(most, sum);
    float factor = __fdividef(1.f, sum);
    for (int i = threadIdx.x; i < fours; i += blockDim.x) {
        float4 v = its[i];
        y[blockIdx.x * step + i] = make_float4(__expf(v.x - most) * factor, __expf(v.y - most) * factor,
                                               __expf(v.z - most) * factor, __expf(v.w - most) * factor);
    }
}

void softmax(torch::Tensor x, torch::Tensor y, int64_t rows, int64_t n, int64_t step) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    softmax_kernel<<<rows, 256, 0, stream>>>(
        (const float4*)x.data_ptr<float>(), (float4*)y.data_ptr<float>(), n / 4, step / 4);
}
"""
_extension = load_inline(
    "softmax_with_gaps_cuda",
    cpp_sources="void softmax(torch::Tensor x, torch::Tensor y, int64_t rows, int64_t n, int64_t step);",
    cuda_sources=_SOURCE,
    functions=["softmax"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, n = x.shape
        y = torch.empty(rows, n + 32, device=x.device)
        _extension.softmax(x.contiguous(), y, rows, n, n + 32)
        return y[:, :n]
