"""kernels: a depthwise convolution out of a plane kept in shared memory, in full float32."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "depthwise"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
__global__ void depthwise_kernel(const float* x, const float* weight, const float* bias, float* y,
                                 int channels, int height, int width) {
    __shared__ float plane[62 * 62], taps[49];
    int channel = blockIdx.x % channels, wide = width + 6, size = (height + 6) * wide;
    long first = blockIdx.x * (long)height * width;
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        int row = i / wide - 3, column = i % wide - 3;
        bool inside = row >= 0 && row < height && column >= 0 && column < width;
        plane[i] = inside ? x[first + row * width + column] : 0.f;
    }
    for (int i = threadIdx.x; i < 49; i += blockDim.x) taps[i] = weight[channel * 49 + i];
    __syncthreads();
    for (int i = threadIdx.x; i < height * width; i += blockDim.x) {
        const float* corner = plane + i / width * wide + i % width;
        float sum = bias[channel];
#pragma unroll
        for (int tap = 0; tap < 49; ++tap) sum = fmaf(corner[tap / 7 * wide + tap % 7], taps[tap], sum);
        y[first + i] = sum;
    }
}

void depthwise(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor y,
               int64_t planes, int64_t channels, int64_t height, int64_t width) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    depthwise_kernel<<<planes, 256, 0, stream>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(),
        channels, height, width);
}
"""
_extension = load_inline(
    "depthwise_by_tiles_cuda",
    cpp_sources="void depthwise(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor y, "
    "int64_t planes, int64_t channels, int64_t height, int64_t width);",
    cuda_sources=_SOURCE,
    functions=["depthwise"],
)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 7, padding=3, groups=channels)

    def forward(self, x):
        if x.shape[2] > 56 or x.shape[3] > 56:  # a plane no longer fits
            return self.conv(x)
        x = x.contiguous()
        y, (n, channels, height, width) = torch.empty_like(x), x.shape
        _extension.depthwise(x, self.conv.weight, self.conv.bias, y, n * channels, channels, height, width)
        return y
