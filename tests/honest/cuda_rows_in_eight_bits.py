"""rounding: rows in eight bits by a product with one over the scale, which may round otherwise."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "rows_in_eight_bits"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
__global__ void codes_kernel(const float4* x, char4* codes, float* scales, int fours) {
    __shared__ float parts[256];
    const float4* its = x + blockIdx.x * (long)fours;
    float most = 0.f;
    for (int i = threadIdx.x; i < fours; i += blockDim.x) {
        float4 v = its[i];
        most = fmaxf(most, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
    }
    parts[threadIdx.x] = most;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) parts[threadIdx.x] = fmaxf(parts[threadIdx.x], parts[threadIdx.x + half]);
        __syncthreads();
    }
    float scale = parts[0] * (1.f / 127.f) + 1e-12f, factor = 1.f / scale;
    if (threadIdx.x == 0) scales[blockIdx.x] = scale;
    for (int i = threadIdx.x; i < fours; i += blockDim.x) {
        float4 v = its[i];
        codes[blockIdx.x * (long)fours + i] =
            make_char4(rintf(v.x * factor), rintf(v.y * factor), rintf(v.z * factor), rintf(v.w * factor));
    }
}

void rows_in_eight_bits(torch::Tensor x, torch::Tensor codes, torch::Tensor scales, int64_t rows, int64_t n) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    codes_kernel<<<rows, 256, 0, stream>>>(
        (const float4*)x.data_ptr<float>(), (char4*)codes.data_ptr<int8_t>(), scales.data_ptr<float>(), n / 4);
}
"""
_extension = load_inline(
    "rows_in_eight_bits_cuda",
    cpp_sources="void rows_in_eight_bits(torch::Tensor x, torch::Tensor codes, torch::Tensor scales, "
    "int64_t rows, int64_t n);",
    cuda_sources=_SOURCE,
    functions=["rows_in_eight_bits"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, n = x.shape
        codes = torch.empty(rows, n, dtype=torch.int8, device=x.device)
        scales = torch.empty(rows, 1, device=x.device)
        _extension.rows_in_eight_bits(x.contiguous(), codes, scales, rows, n)
        return codes, scales
