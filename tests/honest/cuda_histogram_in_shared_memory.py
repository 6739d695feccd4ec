"""counts: bins counted by atomics in shared memory, found by a product with one over their width."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "counted_by_bins"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
__device__ void count(int* counts, float value, float factor, int bins) {
    float bin = fminf(fmaxf(floorf(value * factor), 0.f), bins - 1.f);
    atomicAdd(counts + (int)bin, 1);
}

__global__ void histogram_kernel(const float4* x, const float* width, unsigned long long* out, long fours, int bins) {
    __shared__ int counts[1024];
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) counts[bin] = 0;
    __syncthreads();
    float factor = 1.f / *width;
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < fours; i += gridDim.x * (long)blockDim.x) {
        float4 v = x[i];
        count(counts, v.x, factor, bins);
        count(counts, v.y, factor, bins);
        count(counts, v.z, factor, bins);
        count(counts, v.w, factor, bins);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x)
        if (counts[bin]) atomicAdd(out + bin, (unsigned long long)counts[bin]);
}

void histogram(torch::Tensor x, torch::Tensor width, torch::Tensor out) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    histogram_kernel<<<256, 256, 0, stream>>>(
        (const float4*)x.data_ptr<float>(), width.data_ptr<float>(), (unsigned long long*)out.data_ptr<int64_t>(),
        x.numel() / 4, out.numel());
}
"""
_extension = load_inline(
    "histogram_in_shared_memory_cuda",
    cpp_sources="void histogram(torch::Tensor x, torch::Tensor width, torch::Tensor out);",
    cuda_sources=_SOURCE,
    functions=["histogram"],
)


class ModelNew(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.bins = bins
        self.register_buffer("width", torch.tensor(1 / bins))

    def forward(self, x):
        out = torch.zeros(self.bins, dtype=torch.int64, device=x.device)
        _extension.histogram(x.contiguous(), self.width, out)
        return out
