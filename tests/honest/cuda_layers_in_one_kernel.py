"""kernels: three layers by one kernel, whose blocks take two rows through all of them in shared memory."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "three_layers"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

// a warp for each output: its lanes share the sum, four features at a time
__device__ void layer(const float* weight, const float* bias, const float4* from, float* to, int n, bool is_last) {
    int lane = threadIdx.x % 32, fours = n / 4;
    for (int word = threadIdx.x / 32; word < n; word += blockDim.x / 32) {
        const float4* its = (const float4*)(weight + word * (long)n);
        float one = 0.f, two = 0.f;
        for (int i = lane; i < fours; i += 32) {
            float4 w = __ldg(its + i), a = from[i], b = from[fours + i];
            one += w.x * a.x + w.y * a.y + w.z * a.z + w.w * a.w;
            two += w.x * b.x + w.y * b.y + w.z * b.z + w.w * b.w;
        }
        for (int other = 16; other > 0; other /= 2) {
            one += __shfl_xor_sync(0xffffffffu, one, other);
            two += __shfl_xor_sync(0xffffffffu, two, other);
        }
        if (lane == 0) {
            one += bias[word], two += bias[word];
            to[word] = is_last ? tanhf(one) : fmaxf(one, 0.f);
            to[n + word] = is_last ? tanhf(two) : fmaxf(two, 0.f);
        }
    }
    __syncthreads();
}

__global__ void layers_kernel(const float* x, const float* w1, const float* b1, const float* w2, const float* b2,
                              const float* w3, const float* b3, float* y, int rows, int n) {
    extern __shared__ __align__(16) float room[];
    float *one = room, *two = room + 2 * n;
    int first = blockIdx.x * 2;
    for (int i = threadIdx.x; i < 2 * n; i += blockDim.x) one[i] = first + i / n < rows ? x[first * (long)n + i] : 0.f;
    __syncthreads();
    layer(w1, b1, (const float4*)one, two, n, false);
    layer(w2, b2, (const float4*)two, one, n, false);
    layer(w3, b3, (const float4*)one, two, n, true);
    for (int i = threadIdx.x; i < 2 * n; i += blockDim.x)
        if (first + i / n < rows) y[first * (long)n + i] = two[i];
}

void layers(torch::Tensor x, torch::Tensor w1, torch::Tensor b1, torch::Tensor w2, torch::Tensor b2,
            torch::Tensor w3, torch::Tensor b3, torch::Tensor y, int64_t rows, int64_t n) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    layers_kernel<<<(rows + 1) / 2, 512, 4 * n * sizeof(float), stream>>>(
        x.data_ptr<float>(), w1.data_ptr<float>(), b1.data_ptr<float>(), w2.data_ptr<float>(), b2.data_ptr<float>(),
        w3.data_ptr<float>(), b3.data_ptr<float>(), y.data_ptr<float>(), rows, n);
}
"""

_extension = load_inline(
    "layers_in_one_kernel_cuda",
    cpp_sources="void layers(torch::Tensor x, torch::Tensor w1, torch::Tensor b1, torch::Tensor w2, torch::Tensor b2, "
    "torch::Tensor w3, torch::Tensor b3, torch::Tensor y, int64_t rows, int64_t n);",
    cuda_sources=_SOURCE,
    functions=["layers"],
)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(n, n), nn.Linear(n, n), nn.Linear(n, n)

    def forward(self, x):
        rows, n = x.shape
        if n % 4 or n > 2048:  # two rows no longer fit
            return torch.tanh(self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x))))))
        x = x.contiguous()
        y = torch.empty_like(x)
        weights = [each for fc in (self.fc1, self.fc2, self.fc3) for each in (fc.weight, fc.bias)]
        _extension.layers(x, *weights, y, rows, n)
        return y
