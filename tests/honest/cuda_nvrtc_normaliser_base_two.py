"""numerics: a logsumexp to the base of two in one reading, by lanes that merge what they have."""

import torch
import torch.nn as nn

TASK = "log_sum_positive"
STATUS = "PASSED"
DEVICE = "cuda"

_kernel = torch.cuda._compile_kernel(
    r"""
extern "C" __global__ void normaliser(const float* x, float* y, int rows, int n) {
    const float log2_of_e = 1.4426950408889634f, ln_of_2 = 0.6931471805599453f;
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float* its = x + (long long)row * n;
    float most = -3.4e38f, sum = 0.0f;
    for (int i = lane; i < n; i += 32) {
        float value = its[i] * log2_of_e, higher = fmaxf(most, value);
        sum = sum * exp2f(most - higher) + exp2f(value - higher);
        most = higher;
    }
    for (int other = 16; other > 0; other /= 2) {
        float its_most = __shfl_xor_sync(0xffffffffu, most, other);
        float its_sum = __shfl_xor_sync(0xffffffffu, sum, other);
        float higher = fmaxf(most, its_most);
        sum = sum * exp2f(most - higher) + its_sum * exp2f(its_most - higher);
        most = higher;
    }
    if (lane == 0) y[row] = (most + log2f(sum)) * ln_of_2;
}
""",
    "normaliser",
)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, n = x.shape
        y = torch.empty(rows, device=x.device)
        _kernel(((rows + 7) // 8, 1, 1), (256, 1, 1), [x, y, rows, n])
        return y
