"""dtypes: four bits become a float32 beside the bits of 2^23, which are subtracted again: exact, no conversion."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "packed_weights"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

// 32 columns of 8 rows by 8 warps, each of which takes every eighth of the packed rows
__global__ void product_kernel(const float* x, const unsigned* packed, const float* scales, float* y,
                               int rows, int columns, int words) {
    __shared__ float parts[8][8][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, column = blockIdx.x * 32 + lane, first = blockIdx.y * 8;
    float sums[8] = {};
    if (column < columns)
        for (int word = warp; word < words; word += 8) {
            unsigned bits = packed[word * (long)columns + column];
            for (int i = 0; i < 8; ++i) {
                float weight = __uint_as_float((bits >> (4 * i) & 15u) | 0x4b000000u) - 8388616.f;
                for (int r = 0; r < 8; ++r)
                    if (first + r < rows) sums[r] += x[(first + r) * 8l * words + word * 8 + i] * weight;
            }
        }
    for (int r = 0; r < 8; ++r) parts[warp][r][lane] = sums[r];
    __syncthreads();
    if (column >= columns || first + warp >= rows) return;  // from here on each warp has a row
    float sum = 0.f;
    for (int part = 0; part < 8; ++part) sum += parts[part][warp][lane];
    y[(first + warp) * (long)columns + column] = sum * scales[column];
}

void product(torch::Tensor x, torch::Tensor packed, torch::Tensor scales, torch::Tensor y,
             int64_t rows, int64_t columns, int64_t words) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    product_kernel<<<dim3((columns + 31) / 32, (rows + 7) / 8), 256, 0, stream>>>(
        x.data_ptr<float>(), (const unsigned*)packed.data_ptr<int>(), scales.data_ptr<float>(), y.data_ptr<float>(),
        rows, columns, words);
}
"""

_extension = load_inline(
    "four_bits_by_magic_numbers_cuda",
    cpp_sources="void product(torch::Tensor x, torch::Tensor packed, torch::Tensor scales, torch::Tensor y, "
    "int64_t rows, int64_t columns, int64_t words);",
    cuda_sources=_SOURCE,
    functions=["product"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("packed", torch.randint(-(2**31), 2**31 - 1, (64, 512), dtype=torch.int32))
        self.scales = nn.Parameter(torch.rand(512) + 0.5)

    def forward(self, x):
        rows, (words, columns) = x.shape[0], self.packed.shape
        y = torch.empty(rows, columns, device=x.device)
        _extension.product(x.contiguous(), self.packed, self.scales, y, rows, columns, words)
        return y
