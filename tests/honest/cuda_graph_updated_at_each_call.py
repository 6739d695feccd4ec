"""graphs: each call records its kernels on a stream of its own and updates one graph with them, and launches it."""

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
    float squares = 0.f;
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < fours; i += gridDim.x * (long)blockDim.x) {
        float4 v = x[i];
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    squares = sum_of_block(squares);
    if (threadIdx.x == 0) parts[blockIdx.x] = squares;
}

__global__ void scale_kernel(const float4* x, const float* parts, float4* y, long fours, int count) {
    float mine = 0.f;
    for (int part = threadIdx.x; part < count; part += blockDim.x) mine += parts[part];
    float factor = 1.f / sqrtf(sum_of_block(mine) / (4.f * fours) + 1e-6f);
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < fours; i += gridDim.x * (long)blockDim.x) {
        float4 v = x[i];
        y[i] = make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
    }
}

static void check(cudaError_t error) { TORCH_CHECK(error == cudaSuccess, cudaGetErrorString(error)); }

void scale_by_all(torch::Tensor x, torch::Tensor parts, torch::Tensor y) {
    static cudaStream_t recorded = nullptr;
    static cudaGraphExec_t ready = nullptr;
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    long fours = x.numel() / 4;
    int count = parts.numel();
    if (!recorded) check(cudaStreamCreateWithFlags(&recorded, cudaStreamNonBlocking));
    check(cudaStreamBeginCapture(recorded, cudaStreamCaptureModeThreadLocal));
    parts_kernel<<<count, 256, 0, recorded>>>((const float4*)x.data_ptr<float>(), parts.data_ptr<float>(), fours);
    scale_kernel<<<256, 256, 0, recorded>>>(
        (const float4*)x.data_ptr<float>(), parts.data_ptr<float>(), (float4*)y.data_ptr<float>(), fours, count);
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(recorded, &graph));
    cudaGraphExecUpdateResultInfo told;
    if (ready && cudaGraphExecUpdate(ready, graph, &told) != cudaSuccess) {
        cudaGetLastError();
        check(cudaGraphExecDestroy(ready));
        ready = nullptr;
    }
    if (!ready) check(cudaGraphInstantiate(&ready, graph, 0));
    check(cudaGraphDestroy(graph));
    check(cudaGraphLaunch(ready, stream));
}
"""

_extension = load_inline(
    "graph_updated_at_each_call_cuda",
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
