"""kernels: fifty rounds of a normalisation by one block for each matrix, which stays in shared memory."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "sinkhorn"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

// 64 x 64 by 256 threads: four for each row, 16 of its numbers each, and then four for each column
__global__ void rounds_kernel(const float* x, float* y, int rounds) {
    __shared__ float p[64][65], parts[4][64];
    int me = threadIdx.x, row = me / 4, quarter = me % 4, column = me % 64, part = me / 64;
    const float* its = x + blockIdx.x * 4096l;
    float most = -INFINITY;
    for (int i = me; i < 4096; i += 256) {
        p[i / 64][i % 64] = its[i];
        most = fmaxf(most, its[i]);
    }
    for (int other = 16; other > 0; other /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, other));
    if (me % 32 == 0) parts[0][me / 32] = most;
    __syncthreads();
    for (int warp = 0; warp < 8; ++warp) most = fmaxf(most, parts[0][warp]);
    for (int i = me; i < 4096; i += 256) p[i / 64][i % 64] = expf(p[i / 64][i % 64] - most);
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        float sum = 0.f;
        for (int i = 0; i < 16; ++i) sum += p[row][quarter + 4 * i];
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        for (int i = 0; i < 16; ++i) p[row][quarter + 4 * i] /= sum;
        __syncthreads();
        sum = 0.f;
        for (int i = 0; i < 16; ++i) sum += p[part * 16 + i][column];
        parts[part][column] = sum;
        __syncthreads();
        sum = (parts[0][column] + parts[1][column]) + (parts[2][column] + parts[3][column]);
        for (int i = 0; i < 16; ++i) p[part * 16 + i][column] /= sum;
        __syncthreads();
    }
    for (int i = me; i < 4096; i += 256) y[blockIdx.x * 4096l + i] = p[i / 64][i % 64];
}

void rounds_of(torch::Tensor x, torch::Tensor y, int64_t matrices, int64_t rounds) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    rounds_kernel<<<matrices, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), rounds);
}
"""

_extension = load_inline(
    "rounds_in_shared_memory_cuda",
    cpp_sources="void rounds_of(torch::Tensor x, torch::Tensor y, int64_t matrices, int64_t rounds);",
    cuda_sources=_SOURCE,
    functions=["rounds_of"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        if x.shape[1:] != (64, 64):
            p = torch.exp(x - x.amax(dim=(1, 2), keepdim=True))
            for _ in range(50):
                p = p / p.sum(2, keepdim=True)
                p = p / p.sum(1, keepdim=True)
            return p
        x = x.contiguous()
        y = torch.empty_like(x)
        _extension.rounds_of(x, y, x.shape[0], 50)
        return y
