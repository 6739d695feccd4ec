"""nondeterminism: shares of edges by atomics, a maximum of floats by those on integers, and sums as they come."""

import torch
import torch.nn as nn

TASK = "shares_of_edges"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
extern "C" __global__ void highest(const float* scores, const long long* ends, float* most, int count, int heads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float value = scores[i] + 0.0f;
    float* its = most + ends[i / heads] * heads + i % heads;
    // as integers floats rise above zero, and fall below it
    if (value >= 0.0f) atomicMax((int*)its, __float_as_int(value));
    else atomicMin((unsigned*)its, __float_as_uint(value));
}

extern "C" __global__ void add(const float* scores, const long long* ends, const float* most, float* powers,
                               float* sums, int count, int heads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    long long at = ends[i / heads] * heads + i % heads;
    float power = expf(scores[i] - most[at]);
    powers[i] = power;
    atomicAdd(sums + at, power);
}

extern "C" __global__ void divide(const long long* ends, const float* sums, float* powers, int count, int heads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) powers[i] /= sums[ends[i / heads] * heads + i % heads];
}
"""

_highest, _add, _divide = (torch.cuda._compile_kernel(_SOURCE, name) for name in ("highest", "add", "divide"))


class ModelNew(nn.Module):
    def __init__(self, nodes):
        super().__init__()
        self.nodes = nodes

    def forward(self, scores, ends):
        scores, ends = scores.contiguous(), ends.contiguous()
        count, heads = scores.numel(), scores.shape[1]
        most = torch.full((self.nodes, heads), float("-inf"), device=scores.device)
        sums, powers = torch.zeros_like(most), torch.empty_like(scores)
        grid, block = ((count + 255) // 256, 1, 1), (256, 1, 1)
        _highest(grid, block, [scores, ends, most, count, heads])
        _add(grid, block, [scores, ends, most, powers, sums, count, heads])
        _divide(grid, block, [ends, sums, powers, count, heads])
        return powers
