"""memory: a loss of one number by two kernels, between which sums lie in memory that the driver lends to the stream."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "loss_of_all"
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

__global__ void parts_kernel(const float4* x, const float4* y, float* parts, long fours) {
    float sum = 0.f;
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < fours; i += gridDim.x * (long)blockDim.x) {
        float4 a = x[i], b = y[i];
        float p = a.x - b.x, q = a.y - b.y, r = a.z - b.z, s = a.w - b.w;
        sum += (p * p + q * q) + (r * r + s * s);
    }
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

__global__ void mean_kernel(const float* parts, float* out, int count, float share) {
    float sum = 0.f;
    for (int i = threadIdx.x; i < count; i += blockDim.x) sum += parts[i];
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) *out = sum * share;
}

void mean_squared_error(torch::Tensor x, torch::Tensor y, torch::Tensor out) {
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    const int blocks = 512;
    float* parts = nullptr;
    auto error = cudaMallocAsync((void**)&parts, blocks * sizeof(float), stream);
    TORCH_CHECK(error == cudaSuccess, cudaGetErrorString(error));
    parts_kernel<<<blocks, 256, 0, stream>>>(
        (const float4*)x.data_ptr<float>(), (const float4*)y.data_ptr<float>(), parts, x.numel() / 4);
    mean_kernel<<<1, 256, 0, stream>>>(parts, out.data_ptr<float>(), blocks, 1.f / x.numel());
    error = cudaFreeAsync(parts, stream);
    TORCH_CHECK(error == cudaSuccess, cudaGetErrorString(error));
}
"""
_extension = load_inline(
    "workspace_of_the_stream_cuda",
    cpp_sources="void mean_squared_error(torch::Tensor x, torch::Tensor y, torch::Tensor out);",
    cuda_sources=_SOURCE,
    functions=["mean_squared_error"],
)


class ModelNew(nn.Module):
    def forward(self, x, y):
        if x.numel() % 4:
            return nn.functional.mse_loss(x, y)
        out = torch.empty((), device=x.device)
        _extension.mean_squared_error(x.contiguous(), y.contiguous(), out)
        return out
