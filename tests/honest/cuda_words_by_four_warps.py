"""kernels: the mean of a sentence's words by four warps, a quarter of the words each, four features at a time."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "words_averaged"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void mean_kernel(const long* words, const float4* table, float4* y, int length, int fours) {
    __shared__ float4 sums[4][32];
    __shared__ int counts[4];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, four = blockIdx.y * 32 + lane, count = 0;
    const long* its = words + blockIdx.x * (long)length;
    float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int i = warp; i < length; i += 4) {
        long word = __ldg(its + i);
        if (word == 0) continue;
        ++count;
        if (four < fours) {
            float4 v = __ldg(table + word * fours + four);
            sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
        }
    }
    sums[warp][lane] = sum;
    if (lane == 0) counts[warp] = count;
    __syncthreads();
    if (warp || four >= fours) return;
    for (int other = 1; other < 4; ++other) {
        float4 v = sums[other][lane];
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
        count += counts[other];
    }
    float factor = 1.f / max(count, 1);
    y[blockIdx.x * (long)fours + four] = make_float4(sum.x * factor, sum.y * factor, sum.z * factor, sum.w * factor);
}

void mean_of_words(torch::Tensor words, torch::Tensor table, torch::Tensor y, int64_t rows, int64_t length, int64_t n) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    mean_kernel<<<dim3(rows, (n / 4 + 31) / 32), 128, 0, stream>>>(
        (const long*)words.data_ptr<int64_t>(), (const float4*)table.data_ptr<float>(), (float4*)y.data_ptr<float>(),
        length, n / 4);
}
"""

_extension = load_inline(
    "words_by_four_warps_cuda",
    cpp_sources="void mean_of_words(torch::Tensor words, torch::Tensor table, torch::Tensor y, int64_t rows, "
    "int64_t length, int64_t n);",
    cuda_sources=_SOURCE,
    functions=["mean_of_words"],
)


class ModelNew(nn.Module):
    def __init__(self, words, n):
        super().__init__()
        self.table = nn.Embedding(words, n)

    def forward(self, words):
        (rows, length), table = words.shape, self.table.weight
        y = torch.empty(rows, table.shape[1], device=words.device)
        _extension.mean_of_words(words.contiguous(), table, y, rows, length, table.shape[1])
        return y
