"""kernels: a second kernel is launched before the first has ended, and waits for it on the device."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "scaled_by_all"
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

__global__ void parts_kernel(const float4* x, float* parts, long fours) {
    asm volatile("griddepcontrol.launch_dependents;");
    float squares = 0.f;
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < fours; i += gridDim.x * (long)blockDim.x) {
        float4 v = x[i];
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    squares = sum_of_block(squares);
    if (threadIdx.x == 0) parts[blockIdx.x] = squares;
}

__global__ void scale_kernel(const float4* x, const float* parts, float4* y, long fours, int count) {
    asm volatile("griddepcontrol.wait;" ::: "memory");  // the first kernel has ended
    float mine = 0.f;
    for (int part = threadIdx.x; part < count; part += blockDim.x) mine += parts[part];
    float factor = 1.f / sqrtf(sum_of_block(mine) / (4.f * fours) + 1e-6f);
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < fours; i += gridDim.x * (long)blockDim.x) {
        float4 v = x[i];
        y[i] = make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
    }
}

void scale_by_all(torch::Tensor x, torch::Tensor parts, torch::Tensor y) {
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    auto from = (const float4*)x.data_ptr<float>();
    auto sums = parts.data_ptr<float>();
    auto to = (float4*)y.data_ptr<float>();
    long fours = x.numel() / 4;
    int count = parts.numel();
    parts_kernel<<<count, 256, 0, stream>>>(from, sums, fours);
    cudaLaunchAttribute early;
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t how = {};
    how.gridDim = dim3(256), how.blockDim = dim3(256), how.stream = stream;
    how.attrs = &early, how.numAttrs = 1;
    auto error = cudaLaunchKernelEx(&how, scale_kernel, from, (const float*)sums, to, fours, count);
    TORCH_CHECK(error == cudaSuccess, cudaGetErrorString(error));
}
"""
_extension = load_inline(
    "dependent_launch_cuda",
    cpp_sources="void scale_by_all(torch::Tensor x, torch::Tensor parts, torch::Tensor y);",
    cuda_sources=_SOURCE,
    functions=["scale_by_all"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        parts, y = torch.empty(256, device=x.device), torch.empty_like(x)
        _extension.scale_by_all(x, parts, y)
        return y
