"""precision: tensor cores given each factor as two of bf16, whose three larger products have sixteen bits."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "linear_middle"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

__device__ void split(float value, __nv_bfloat16& high, __nv_bfloat16& low) {
    high = __float2bfloat16(value);
    low = __float2bfloat16(value - __bfloat162float(high));
}

// 64 x 64 of the output by 4 warps, 32 x 32 each; 16 features at a time
__global__ void layer_kernel(const float* x, const float* weight, const float* bias, float* y,
                             int words, int features) {
    __shared__ __align__(128) __nv_bfloat16 x_high[64][32], x_low[64][32], w_high[64][32], w_low[64][32];
    __shared__ __align__(128) float out[64][68];
    int row = blockIdx.y * 64, word = blockIdx.x * 64;
    int warp = threadIdx.x / 32, down = warp / 2 * 32, across = warp % 2 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2][2];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::fill_fragment(sums[i][j], 0.f);
    for (int start = 0; start < features; start += 16) {
        for (int i = threadIdx.x; i < 64 * 16; i += blockDim.x) {
            int r = i / 16, k = i % 16;
            split(x[(row + r) * (long)features + start + k], x_high[r][k], x_low[r][k]);
            split(weight[(word + r) * (long)features + start + k], w_high[r][k], w_low[r][k]);
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a_high, a_low;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> b_high, b_low;
        for (int i = 0; i < 2; ++i) {
            wmma::load_matrix_sync(a_high, &x_high[down + 16 * i][0], 32);
            wmma::load_matrix_sync(a_low, &x_low[down + 16 * i][0], 32);
            for (int j = 0; j < 2; ++j) {
                wmma::load_matrix_sync(b_high, &w_high[across + 16 * j][0], 32);
                wmma::load_matrix_sync(b_low, &w_low[across + 16 * j][0], 32);
                wmma::mma_sync(sums[i][j], a_low, b_high, sums[i][j]);
                wmma::mma_sync(sums[i][j], a_high, b_low, sums[i][j]);
                wmma::mma_sync(sums[i][j], a_high, b_high, sums[i][j]);
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(&out[down + 16 * i][across + 16 * j], sums[i][j], 68, wmma::mem_row_major);
    __syncthreads();
    for (int i = threadIdx.x; i < 64 * 64; i += blockDim.x) {
        int r = i / 64, c = i % 64;
        y[(row + r) * (long)words + word + c] = fmaxf(out[r][c] + bias[word + c], 0.f);
    }
}

void layer(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor y,
           int64_t rows, int64_t words, int64_t features) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    layer_kernel<<<dim3(words / 64, rows / 64), 128, 0, stream>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), words, features);
}
"""
_extension = load_inline(
    "wmma_three_products_cuda",
    cpp_sources="void layer(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor y, "
    "int64_t rows, int64_t words, int64_t features);",
    cuda_sources=_SOURCE,
    functions=["layer"],
)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        (rows, features), words = x.shape, self.fc.out_features
        if rows % 64 or words % 64 or features % 16:  # no whole tiles
            return torch.relu(self.fc(x))
        y = torch.empty(rows, words, device=x.device)
        _extension.layer(x.contiguous(), self.fc.weight, self.fc.bias, y, rows, words, features)
        return y
