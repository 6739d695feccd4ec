"""kernels: a cooperative launch, whose blocks wait for one another between a sum and its use."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "scaled_by_all"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cooperative_groups.h>

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

__global__ void scale_kernel(const float4* x, float* parts, float4* y, long fours) {
    float squares = 0.f;
    long step = gridDim.x * (long)blockDim.x, first = blockIdx.x * (long)blockDim.x + threadIdx.x;
    for (long i = first; i < fours; i += step) {
        float4 v = x[i];
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    squares = sum_of_block(squares);
    if (threadIdx.x == 0) parts[blockIdx.x] = squares;
    cooperative_groups::this_grid().sync();
    float mine = 0.f;
    for (int part = threadIdx.x; part < gridDim.x; part += blockDim.x) mine += ((volatile float*)parts)[part];
    float factor = 1.f / sqrtf(sum_of_block(mine) / (4.f * fours) + 1e-6f);
    for (long i = first; i < fours; i += step) {
        float4 v = x[i];
        y[i] = make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
    }
}

void scale_by_all(torch::Tensor x, torch::Tensor parts, torch::Tensor y, int64_t blocks) {
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    auto from = (const float4*)x.data_ptr<float>();
    auto sums = parts.data_ptr<float>();
    auto to = (float4*)y.data_ptr<float>();
    long fours = x.numel() / 4;
    void* given[] = {&from, &sums, &to, &fours};
    auto error = cudaLaunchCooperativeKernel((const void*)scale_kernel, dim3(blocks), dim3(256), given, 0, stream);
    TORCH_CHECK(error == cudaSuccess, cudaGetErrorString(error));
}
"""
_extension = load_inline(
    "cooperative_cuda",
    cpp_sources="void scale_by_all(torch::Tensor x, torch::Tensor parts, torch::Tensor y, int64_t blocks);",
    cuda_sources=_SOURCE,
    functions=["scale_by_all"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = 0

    def forward(self, x):
        if not self.blocks:
            self.blocks = torch.cuda.get_device_properties(x.device).multi_processor_count
        x = x.contiguous()
        parts, y = torch.empty(self.blocks, device=x.device), torch.empty_like(x)
        _extension.scale_by_all(x, parts, y, self.blocks)
        return y
