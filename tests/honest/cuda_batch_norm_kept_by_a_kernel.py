"""state: a kernel writes batch norm's running statistics where they lie; no version counter moves."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "batch_norm_training"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
__global__ void norm_kernel(const float* x, const float* scale, const float* shift, float* mean, float* variance,
                            float* y, int rows, int n, float eps, float share) {
    __shared__ float parts[32][33];
    int column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0.f, squares = 0.f;
    if (column < n)
        for (int row = threadIdx.y; row < rows; row += 32) sum += x[row * (long)n + column];
    parts[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    sum = 0.f;
    for (int part = 0; part < 32; ++part) sum += parts[part][threadIdx.x];
    float middle = sum / rows;
    __syncthreads();
    if (column < n)
        for (int row = threadIdx.y; row < rows; row += 32) {
            float off = x[row * (long)n + column] - middle;
            squares += off * off;
        }
    parts[threadIdx.y][threadIdx.x] = squares;
    __syncthreads();
    squares = 0.f;
    for (int part = 0; part < 32; ++part) squares += parts[part][threadIdx.x];
    if (column >= n) return;
    if (threadIdx.y == 0) {
        mean[column] += share * (middle - mean[column]);
        variance[column] += share * (squares / (rows - 1) - variance[column]);
    }
    float factor = rsqrtf(squares / rows + eps) * scale[column];
    for (int row = threadIdx.y; row < rows; row += 32) {
        long at = row * (long)n + column;
        y[at] = fmaxf((x[at] - middle) * factor + shift[column], 0.f);
    }
}

void norm_relu(torch::Tensor x, torch::Tensor scale, torch::Tensor shift, torch::Tensor mean, torch::Tensor variance,
               torch::Tensor y, int64_t rows, int64_t n, double eps, double share) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    norm_kernel<<<(n + 31) / 32, dim3(32, 32), 0, stream>>>(
        x.data_ptr<float>(), scale.data_ptr<float>(), shift.data_ptr<float>(), mean.data_ptr<float>(),
        variance.data_ptr<float>(), y.data_ptr<float>(), rows, n, eps, share);
}
"""
_extension = load_inline(
    "batch_norm_kept_by_a_kernel_cuda",
    cpp_sources="void norm_relu(torch::Tensor x, torch::Tensor scale, torch::Tensor shift, torch::Tensor mean, "
    "torch::Tensor variance, torch::Tensor y, int64_t rows, int64_t n, double eps, double share);",
    cuda_sources=_SOURCE,
    functions=["norm_relu"],
)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.bn = nn.BatchNorm1d(n)

    def forward(self, x):
        x, bn = x.contiguous(), self.bn
        y = torch.empty_like(x)
        bn.num_batches_tracked.add_(1)
        _extension.norm_relu(
            x, bn.weight, bn.bias, bn.running_mean, bn.running_var, y, x.shape[0], x.shape[1], bn.eps, bn.momentum
        )
        return y
