"""kernels: a running sum in one reading, each block adding what those before it have published."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "running_sum"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
typedef unsigned long long Word;

// a flag and a number in one word, which is written and read as one: 1 is a chunk's own sum, 2 that of all up to it
__device__ void publish(Word* state, unsigned flag, float sum) {
    atomicExch(state, (Word)flag << 32 | __float_as_uint(sum));
}

__global__ void sum_kernel(const float* x, float* y, Word* states, int* ticket, int chunks, int n) {
    __shared__ int mine;
    __shared__ float totals[8], before;
    if (threadIdx.x == 0) mine = atomicAdd(ticket, 1);  // who comes later waits for who came before
    __syncthreads();
    int chunk = mine % chunks, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    long row = mine / chunks;
    int first = chunk * 2048 + threadIdx.x * 8;
    float values[8], sum = 0.f;
    for (int i = 0; i < 8; ++i) {
        sum += first + i < n ? x[row * n + first + i] : 0.f;
        values[i] = sum;
    }
    for (int step = 1; step < 32; step *= 2) {
        float other = __shfl_up_sync(0xffffffffu, sum, step);
        if (lane >= step) sum += other;
    }
    if (lane == 31) totals[warp] = sum;
    float base = __shfl_up_sync(0xffffffffu, sum, 1);
    if (lane == 0) base = 0.f;
    __syncthreads();
    for (int other = 0; other < warp; ++other) base += totals[other];
    if (threadIdx.x == 0) {
        float own = 0.f, all = 0.f;
        for (int other = 0; other < 8; ++other) own += totals[other];
        Word* state = states + mine;
        if (chunk > 0) {
            publish(state, 1, own);
            for (int back = 1;; ++back) {
                Word its;
                do its = *(volatile Word*)(state - back);
                while (its >> 32 == 0);
                all += __uint_as_float((unsigned)its);
                if (its >> 32 == 2) break;
            }
        }
        publish(state, 2, all + own);
        before = all;
    }
    __syncthreads();
    base += before;
    for (int i = 0; i < 8; ++i)
        if (first + i < n) y[row * n + first + i] = base + values[i];
}

void running_sum(torch::Tensor x, torch::Tensor y, torch::Tensor states, torch::Tensor ticket,
                 int64_t rows, int64_t chunks, int64_t n) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    sum_kernel<<<rows * chunks, 256, 0, stream>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), (Word*)states.data_ptr<int64_t>(), ticket.data_ptr<int>(),
        chunks, n);
}
"""
_extension = load_inline(
    "running_sum_by_look_back_cuda",
    cpp_sources="void running_sum(torch::Tensor x, torch::Tensor y, torch::Tensor states, torch::Tensor ticket, "
    "int64_t rows, int64_t chunks, int64_t n);",
    cuda_sources=_SOURCE,
    functions=["running_sum"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y, (rows, n) = torch.empty_like(x), x.shape
        chunks = (n + 2047) // 2048
        states = torch.zeros(rows * chunks, dtype=torch.int64, device=x.device)
        ticket = torch.zeros(1, dtype=torch.int32, device=x.device)
        _extension.running_sum(x, y, states, ticket, rows, chunks, n)
        return y
