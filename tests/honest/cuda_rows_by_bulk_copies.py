"""kernels: rows come by bulk copies, the next while one is normalised, as a barrier in shared memory tells."""

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

__device__ unsigned place_of(const void* pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

__device__ void fetch(float* to, const float* from, unsigned bytes, unsigned long long* barrier) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 ::"r"(place_of(barrier)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(place_of(to)), "l"(from), "r"(bytes), "r"(place_of(barrier)) : "memory");
}

__device__ void wait_for(unsigned long long* barrier, unsigned parity) {
    unsigned is_done = 0;
    while (!is_done)
        asm volatile("{\n .reg .pred done;\n"
                     " mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
                     " selp.u32 %0, 1, 0, done;\n}"
                     : "=r"(is_done) : "r"(place_of(barrier)), "r"(parity) : "memory");
}

__global__ void norm_kernel(const float* x, const float* scale, const float* shift, float* y,
                            int rows, int n, float eps) {
    extern __shared__ __align__(128) float stages[];
    __shared__ __align__(8) unsigned long long barriers[2];
    unsigned bytes = n * sizeof(float);
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; ++i)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place_of(barriers + i)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x < rows) fetch(stages, x + blockIdx.x * (long)n, bytes, barriers);
    int turn = 0;
    for (int row = blockIdx.x; row < rows; row += gridDim.x, ++turn) {
        int now = turn % 2, next = row + gridDim.x;
        if (threadIdx.x == 0 && next < rows)
            fetch(stages + (1 - now) * n, x + next * (long)n, bytes, barriers + 1 - now);
        wait_for(barriers + now, turn / 2 % 2);
        const float* its = stages + now * n;
        float sum = 0.f, squares = 0.f;
        for (int i = threadIdx.x; i < n; i += blockDim.x) sum += its[i];
        float mean = sum_of_block(sum) / n;
        for (int i = threadIdx.x; i < n; i += blockDim.x) squares += (its[i] - mean) * (its[i] - mean);
        float factor = rsqrtf(sum_of_block(squares) / n + eps);
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            y[row * (long)n + i] = (its[i] - mean) * factor * scale[i] + shift[i];
        __syncthreads();  // all have read this row before another one takes its place
    }
}

void layer_norm(torch::Tensor x, torch::Tensor scale, torch::Tensor shift, torch::Tensor y, int64_t n, double eps) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    int rows = x.numel() / n;
    norm_kernel<<<rows < 528 ? rows : 528, 256, 2 * n * sizeof(float), stream>>>(
        x.data_ptr<float>(), scale.data_ptr<float>(), shift.data_ptr<float>(), y.data_ptr<float>(), rows, n, eps);
}
"""

_extension = load_inline(
    "rows_by_bulk_copies_cuda",
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
        n = x.shape[-1]
        if n % 4 or n > 4096:  # what bulk copies take, and what two rows have room for
            return self.norm(x)
        x = x.contiguous()
        y = torch.empty_like(x)
        _extension.layer_norm(x, self.norm.weight, self.norm.bias, y, n, self.norm.eps)
        return y
