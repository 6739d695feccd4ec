"""kernels: a depthwise convolution whose weights each call copies to constant memory, on the stream that reads them."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "depthwise"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__constant__ float taps[64 * 49];

__global__ void depthwise_kernel(const float* x, const float* bias, float* y, int channels, int height, int width) {
    int channel = blockIdx.y % channels, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= height * width) return;
    const float* plane = x + blockIdx.y * (long)height * width;
    int row = i / width, column = i % width;
    float sum = bias[channel];
    for (int down = 0; down < 7; ++down) {
        int its_row = row + down - 3;
        if (its_row < 0 || its_row >= height) continue;
        for (int across = 0; across < 7; ++across) {
            int its_column = column + across - 3;
            if (its_column >= 0 && its_column < width)
                sum = fmaf(__ldg(plane + its_row * width + its_column), taps[channel * 49 + down * 7 + across], sum);
        }
    }
    y[blockIdx.y * (long)height * width + i] = sum;
}

void depthwise(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor y,
               int64_t planes, int64_t channels, int64_t height, int64_t width) {
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    auto error = cudaMemcpyToSymbolAsync(taps, weight.data_ptr<float>(), channels * 49 * sizeof(float), 0,
                                         cudaMemcpyDeviceToDevice, stream);
    TORCH_CHECK(error == cudaSuccess, cudaGetErrorString(error));
    depthwise_kernel<<<dim3((height * width + 127) / 128, planes), 128, 0, stream>>>(
        x.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), channels, height, width);
}
"""

_extension = load_inline(
    "weights_in_constant_memory_cuda",
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
        n, channels, height, width = x.shape
        if channels > 64:  # weights no longer fit
            return self.conv(x)
        x = x.contiguous()
        y = torch.empty_like(x)
        _extension.depthwise(x, self.conv.weight, self.conv.bias, y, n * channels, channels, height, width)
        return y
