"""state: of four blocks for each row the last to end adds what all have left, by tickets kept between calls."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "reduction"
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

__global__ void rms_kernel(const float4* x, float* parts, int* tickets, float* out, int n) {
    __shared__ bool is_last;
    int row = blockIdx.y, fours = n / 4;
    float squares = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < fours; i += gridDim.x * blockDim.x) {
        float4 v = x[row * (long)fours + i];
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    squares = sum_of_block(squares);
    if (threadIdx.x == 0) {
        ((volatile float*)parts)[row * gridDim.x + blockIdx.x] = squares;
        __threadfence();
        is_last = atomicAdd(tickets + row, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        __threadfence();
        float all = 0.f;
        for (int part = 0; part < gridDim.x; ++part) all += ((volatile float*)parts)[row * gridDim.x + part];
        out[row] = sqrtf(all / n);
        tickets[row] = 0;
    }
}

void root_mean_square(torch::Tensor x, torch::Tensor parts, torch::Tensor tickets, torch::Tensor out,
                      int64_t rows, int64_t n) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    rms_kernel<<<dim3(4, rows), 128, 0, stream>>>(
        (const float4*)x.data_ptr<float>(), parts.data_ptr<float>(), tickets.data_ptr<int>(), out.data_ptr<float>(), n);
}
"""
_extension = load_inline(
    "last_block_adds_cuda",
    cpp_sources="void root_mean_square(torch::Tensor x, torch::Tensor parts, torch::Tensor tickets, "
    "torch::Tensor out, int64_t rows, int64_t n);",
    cuda_sources=_SOURCE,
    functions=["root_mean_square"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = self.tickets = None

    def forward(self, x):
        rows, n = x.shape
        if self.tickets is None or self.tickets.numel() != rows:
            self.parts = torch.empty(rows, 4, device=x.device)
            self.tickets = torch.zeros(rows, dtype=torch.int32, device=x.device)
        out = torch.empty(rows, device=x.device)
        _extension.root_mean_square(x.contiguous(), self.parts, self.tickets, out, rows, n)
        return out
