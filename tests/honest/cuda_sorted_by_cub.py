"""library: rows are sorted by CUB's radix sort of a block, which is stable, with their places."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "sorted_stably"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cub/block/block_radix_sort.cuh>

__global__ void sort_kernel(const float* x, float* values, long* places, int n) {
    using Sort = cub::BlockRadixSort<float, 256, 8, int>;
    __shared__ typename Sort::TempStorage room;
    float keys[8];
    int mine[8];
    for (int i = 0; i < 8; ++i) {
        mine[i] = threadIdx.x * 8 + i;
        keys[i] = mine[i] < n ? x[blockIdx.x * (long)n + mine[i]] : INFINITY;
    }
    Sort(room).Sort(keys, mine);
    for (int i = 0; i < 8; ++i) {
        int at = threadIdx.x * 8 + i;
        if (at < n) {
            values[blockIdx.x * (long)n + at] = keys[i];
            places[blockIdx.x * (long)n + at] = mine[i];
        }
    }
}

void sort_rows(torch::Tensor x, torch::Tensor values, torch::Tensor places, int64_t rows, int64_t n) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    sort_kernel<<<rows, 256, 0, stream>>>(
        x.data_ptr<float>(), values.data_ptr<float>(), (long*)places.data_ptr<int64_t>(), n);
}
"""

_extension = load_inline(
    "sorted_by_cub_cuda",
    cpp_sources="void sort_rows(torch::Tensor x, torch::Tensor values, torch::Tensor places, int64_t rows, int64_t n);",
    cuda_sources=_SOURCE,
    functions=["sort_rows"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, n = x.shape
        if n > 2048:  # a row no longer fits
            values, places = torch.sort(x, dim=-1, stable=True)
            return values, places
        x = x.contiguous()
        values, places = torch.empty_like(x), torch.empty(rows, n, dtype=torch.int64, device=x.device)
        _extension.sort_rows(x, values, places, rows, n)
        return values, places
