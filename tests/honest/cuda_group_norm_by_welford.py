"""kernels: a group norm by Welford's sums, merged by pairs, and a SiLU by fast intrinsics."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "group_norm_silu"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
__global__ void norm_kernel(const float* x, const float* scale, const float* shift, float* y,
                            int groups, int each, int size, float eps) {
    __shared__ float means[256], squares[256], counts[256];
    int n = each * size, me = threadIdx.x;
    long first = blockIdx.x * (long)n;
    float mean = 0.f, square = 0.f, count = 0.f;
    for (int i = me; i < n; i += blockDim.x) {
        float value = x[first + i], off = value - mean;
        count += 1.f;
        mean += off / count;
        square += off * (value - mean);
    }
    means[me] = mean, squares[me] = square, counts[me] = count;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) {
            float both = counts[me] + counts[me + half], off = means[me + half] - means[me];
            if (both > 0.f) {
                means[me] += off * counts[me + half] / both;
                squares[me] += squares[me + half] + off * off * counts[me] * counts[me + half] / both;
            }
            counts[me] = both;
        }
        __syncthreads();
    }
    float all = means[0], factor = rsqrtf(squares[0] / n + eps);
    for (int i = me; i < n; i += blockDim.x) {
        int channel = blockIdx.x % groups * each + i / size;
        float value = (x[first + i] - all) * factor * scale[channel] + shift[channel];
        y[first + i] = __fdividef(value, 1.f + __expf(-value));
    }
}

void norm_silu(torch::Tensor x, torch::Tensor scale, torch::Tensor shift, torch::Tensor y,
               int64_t blocks, int64_t groups, int64_t each, int64_t size, double eps) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    norm_kernel<<<blocks, 256, 0, stream>>>(
        x.data_ptr<float>(), scale.data_ptr<float>(), shift.data_ptr<float>(), y.data_ptr<float>(),
        groups, each, size, eps);
}
"""
_extension = load_inline(
    "group_norm_by_welford_cuda",
    cpp_sources="void norm_silu(torch::Tensor x, torch::Tensor scale, torch::Tensor shift, torch::Tensor y, "
    "int64_t blocks, int64_t groups, int64_t each, int64_t size, double eps);",
    cuda_sources=_SOURCE,
    functions=["norm_silu"],
)


class ModelNew(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        x = x.contiguous()
        y, norm = torch.empty_like(x), self.norm
        groups, each, size = norm.num_groups, x.shape[1] // norm.num_groups, x.shape[2] * x.shape[3]
        _extension.norm_silu(x, norm.weight, norm.bias, y, x.shape[0] * groups, groups, each, size, norm.eps)
        return y
