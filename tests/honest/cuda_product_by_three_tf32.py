"""precision: three products of TF32 by the tensor cores' own instruction, their sums taken out every 16 features."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "linear_over_many"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__device__ void split(float value, unsigned& high, unsigned& low) {
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(high) : "f"(value));
    float rest = value - __uint_as_float(high);
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(low) : "f"(rest));
}

__device__ void multiply(float* sums, const unsigned* a, const unsigned* b) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 32 x 32 of the output by 4 warps, 16 x 16 each; 16 features at a time, rows 20 floats apart.
// Tensor cores cut off what they add, so their sums are short, and are added to others by float32's own rounding.
__global__ void layer_kernel(const float* x, const float* weight, const float* bias, float* y,
                             int words, int features) {
    __shared__ __align__(16) float xs[32][20], ws[32][20];
    int me = threadIdx.x, lane = me % 32, group = lane / 4, in_group = lane % 4;
    int down = me / 64 * 16, across = me / 32 % 2 * 16;
    int r = me / 4, k = me % 4 * 4;
    const float* its_x = x + (blockIdx.y * 32 + r) * (long)features + k;
    const float* its_weight = weight + (blockIdx.x * 32 + r) * (long)features + k;
    float all[2][4] = {};
    for (int start = 0; start < features; start += 16) {
        *(float4*)&xs[r][k] = *(const float4*)(its_x + start);
        *(float4*)&ws[r][k] = *(const float4*)(its_weight + start);
        __syncthreads();
        float large[2][4] = {}, small[2][4] = {};
        for (int at = in_group; at < 16; at += 8) {
            unsigned high[4], low[4];
            split(xs[down + group][at], high[0], low[0]);
            split(xs[down + group + 8][at], high[1], low[1]);
            split(xs[down + group][at + 4], high[2], low[2]);
            split(xs[down + group + 8][at + 4], high[3], low[3]);
            for (int j = 0; j < 2; ++j) {
                unsigned its_high[2], its_low[2];
                split(ws[across + 8 * j + group][at], its_high[0], its_low[0]);
                split(ws[across + 8 * j + group][at + 4], its_high[1], its_low[1]);
                multiply(small[j], low, its_high);
                multiply(small[j], high, its_low);
                multiply(large[j], high, its_high);
            }
        }
        for (int j = 0; j < 2; ++j)
            for (int i = 0; i < 4; ++i) all[j][i] += large[j][i] + small[j][i];
        __syncthreads();
    }
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 4; ++i) {
            int row = blockIdx.y * 32 + down + group + i / 2 * 8;
            int word = blockIdx.x * 32 + across + 8 * j + in_group * 2 + i % 2;
            y[row * (long)words + word] = fmaxf(all[j][i] + bias[word], 0.f);
        }
}

void layer(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor y,
           int64_t rows, int64_t words, int64_t features) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    layer_kernel<<<dim3(words / 32, rows / 32), 128, 0, stream>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), words, features);
}
"""

_extension = load_inline(
    "product_by_three_tf32_cuda",
    cpp_sources="void layer(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor y, "
    "int64_t rows, int64_t words, int64_t features);",
    cuda_sources=_SOURCE,
    functions=["layer"],
)


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc = nn.Linear(n, m)

    def forward(self, x):
        (rows, features), words = x.shape, self.fc.out_features
        if rows % 32 or words % 32 or features % 16:  # no whole tiles
            return torch.relu(self.fc(x))
        y = torch.empty(rows, words, device=x.device)
        _extension.layer(x.contiguous(), self.fc.weight, self.fc.bias, y, rows, words, features)
        return y
