"""kernels: a layer by tiles in full float32, whose next ones are copied to shared memory while these are used."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "linear_large"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_pipeline.h>

// 64 x 64 of the output by 256 threads, 4 x 4 each; 16 features at a time, rows 20 floats apart
__global__ void layer_kernel(const float* x, const float* weight, const float* bias, float* y,
                             int words, int features) {
    __shared__ __align__(16) float xs[2][64][20], ws[2][64][20];
    int me = threadIdx.x, r = me / 4, k = me % 4 * 4, down = me / 16, across = me % 16;
    const float* its_x = x + (blockIdx.y * 64 + r) * (long)features + k;
    const float* its_weight = weight + (blockIdx.x * 64 + r) * (long)features + k;
    float sums[4][4] = {};
    int steps = features / 16;
    __pipeline_memcpy_async(&xs[0][r][k], its_x, 16);
    __pipeline_memcpy_async(&ws[0][r][k], its_weight, 16);
    __pipeline_commit();
    for (int step = 0; step < steps; ++step) {
        int now = step % 2;
        if (step + 1 < steps) {
            __pipeline_memcpy_async(&xs[1 - now][r][k], its_x + (step + 1) * 16, 16);
            __pipeline_memcpy_async(&ws[1 - now][r][k], its_weight + (step + 1) * 16, 16);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int at = 0; at < 16; ++at) {
            float a[4], b[4];
            for (int i = 0; i < 4; ++i) a[i] = xs[now][down + 16 * i][at], b[i] = ws[now][across + 16 * i][at];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) sums[i][j] = fmaf(a[i], b[j], sums[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            int row = blockIdx.y * 64 + down + 16 * i, word = blockIdx.x * 64 + across + 16 * j;
            y[row * (long)words + word] = fmaxf(sums[i][j] + __ldg(bias + word), 0.f);
        }
}

void layer(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor y,
           int64_t rows, int64_t words, int64_t features) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    layer_kernel<<<dim3(words / 64, rows / 64), 256, 0, stream>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), words, features);
}
"""
_extension = load_inline(
    "product_by_copies_ahead_cuda",
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
