"""counts: pairs of classes counted in shared memory first, by blocks that find each row's best themselves."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "classes_confused"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void count_kernel(const float* scores, const long* labels, unsigned long long* counts, int rows, int n) {
    extern __shared__ unsigned its[];
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) its[i] = 0;
    __syncthreads();
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
        const float* values = scores + row * (long)n;
        float most = values[0];
        int best = 0;
        for (int i = 1; i < n; ++i)
            if (values[i] > most) most = values[i], best = i;
        atomicAdd(its + labels[row] * n + best, 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n * n; i += blockDim.x)
        if (its[i]) atomicAdd(counts + i, (unsigned long long)its[i]);
}

void count_pairs(torch::Tensor scores, torch::Tensor labels, torch::Tensor counts, int64_t rows, int64_t n) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    count_kernel<<<64, 256, n * n * sizeof(unsigned), stream>>>(
        scores.data_ptr<float>(), (const long*)labels.data_ptr<int64_t>(),
        (unsigned long long*)counts.data_ptr<int64_t>(), rows, n);
}
"""

_extension = load_inline(
    "classes_confused_in_shared_memory_cuda",
    cpp_sources="void count_pairs(torch::Tensor scores, torch::Tensor labels, torch::Tensor counts, int64_t rows, "
    "int64_t n);",
    cuda_sources=_SOURCE,
    functions=["count_pairs"],
)


class ModelNew(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes

    def forward(self, scores, labels):
        n = self.classes
        counts = torch.zeros(n, n, dtype=torch.int64, device=scores.device)
        _extension.count_pairs(scores.contiguous(), labels.contiguous(), counts, scores.shape[0], n)
        return counts
