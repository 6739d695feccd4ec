"""kernels: mean, variance, maximum and its place of each row in one reading, by sums of squares."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "stats"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
__global__ void stats_kernel(const float* x, float* mean, float* variance, float* most, long* places, int n) {
    int row = blockIdx.x, me = threadIdx.x;
    float sum = 0.f, squares = 0.f, best = -INFINITY;
    int place = n;
    for (int i = me; i < n; i += 32) {
        float value = x[row * (long)n + i];
        sum += value, squares += value * value;
        if (value > best) best = value, place = i;
    }
    for (int other = 16; other > 0; other /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, other);
        squares += __shfl_xor_sync(0xffffffffu, squares, other);
        float its = __shfl_xor_sync(0xffffffffu, best, other);
        int its_place = __shfl_xor_sync(0xffffffffu, place, other);
        if (its > best || (its == best && its_place < place)) best = its, place = its_place;
    }
    if (me) return;
    mean[row] = sum / n;
    variance[row] = fmaxf((squares - sum / n * sum) / (n - 1), 0.f);
    most[row] = best;
    places[row] = place;
}

void stats(torch::Tensor x, torch::Tensor mean, torch::Tensor variance, torch::Tensor most, torch::Tensor places,
           int64_t rows, int64_t n) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    stats_kernel<<<rows, 32, 0, stream>>>(
        x.data_ptr<float>(), mean.data_ptr<float>(), variance.data_ptr<float>(), most.data_ptr<float>(),
        (long*)places.data_ptr<int64_t>(), n);
}
"""
_extension = load_inline(
    "stats_in_one_pass_cuda",
    cpp_sources="void stats(torch::Tensor x, torch::Tensor mean, torch::Tensor variance, torch::Tensor most, "
    "torch::Tensor places, int64_t rows, int64_t n);",
    cuda_sources=_SOURCE,
    functions=["stats"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, n = x.shape
        mean, variance, most = torch.empty(3, rows, device=x.device)
        places = torch.empty(rows, dtype=torch.int64, device=x.device)
        _extension.stats(x.contiguous(), mean, variance, most, places, rows, n)
        return {"mean": mean, "rest": [variance, (most, places)]}
