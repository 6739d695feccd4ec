"""numerics: a layer norm by sums of values and of their squares, in one reading."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "layer_norm_of_rows"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
__device__ float sum_of_block(float value) {
    __shared__ float parts[32];
    for (int other = 16; other > 0; other /= 2) value += __shfl_xor_sync(0xffffffffu, value, other);
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0.f;
    for (int warp = 0; warp < blockDim.x / 32; ++warp) sum += parts[warp];
    return sum;
}

__global__ void norm_kernel(const float4* x, const float4* scale, const float4* shift, float4* y, int n, float eps) {
    int fours = n / 4;
    const float4* its = x + blockIdx.x * (long)fours;
    float sum = 0.f, squares = 0.f;
    for (int i = threadIdx.x; i < fours; i += blockDim.x) {
        float4 v = its[i];
        sum += v.x + v.y + v.z + v.w;
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    float mean = sum_of_block(sum) / n;
    float variance = fmaxf(sum_of_block(squares) / n - mean * mean, 0.f);
    float factor = rsqrtf(variance + eps);
    for (int i = threadIdx.x; i < fours; i += blockDim.x) {
        float4 v = its[i], a = scale[i], b = shift[i];
        v.x = (v.x - mean) * factor * a.x + b.x;
        v.y = (v.y - mean) * factor * a.y + b.y;
        v.z = (v.z - mean) * factor * a.z + b.z;
        v.w = (v.w - mean) * factor * a.w + b.w;
        y[blockIdx.x * (long)fours + i] = v;
    }
}

void layer_norm(torch::Tensor x, torch::Tensor scale, torch::Tensor shift, torch::Tensor y, int64_t n, double eps) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    norm_kernel<<<x.numel() / n, 256, 0, stream>>>(
        (const float4*)x.data_ptr<float>(), (const float4*)scale.data_ptr<float>(),
        (const float4*)shift.data_ptr<float>(), (float4*)y.data_ptr<float>(), n, eps);
}
"""
_extension = load_inline(
    "layer_norm_in_one_pass_cuda",
    cpp_sources="void layer_norm(torch::Tensor x, torch::Tensor scale, torch::Tensor shift, torch::Tensor y, "
    "int64_t n, double eps);",
    cuda_sources=_SOURCE,
    functions=["layer_norm"],
)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norm = nn.LayerNorm(n)

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        _extension.layer_norm(x, self.norm.weight, self.norm.bias, y, x.shape[-1], self.norm.eps)
        return y
