"""outputs: a number and its place are written as one pair of eight bytes, and given as two views, each its own half."""

import torch
import torch.nn as nn

TASK = "best_and_where"
STATUS = "PASSED"
DEVICE = "cuda"

_kernel = torch.cuda._compile_kernel(
    r"""
extern "C" __global__ void best(const float* x, int2* pairs, int rows, int n) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float most = x[(long long)row * n];
    int place = 0;
    for (int i = lane; i < n; i += 32) {
        float value = x[(long long)row * n + i];
        if (value > most) most = value, place = i;
    }
    for (int other = 16; other > 0; other /= 2) {
        float its = __shfl_xor_sync(0xffffffffu, most, other);
        int its_place = __shfl_xor_sync(0xffffffffu, place, other);
        if (its > most || (its == most && its_place < place)) most = its, place = its_place;
    }
    if (lane == 0) pairs[row] = make_int2(__float_as_int(most), place);
}
""",
    "best",
)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, n = x.shape
        pairs = torch.empty(rows, 2, dtype=torch.int32, device=x.device)
        _kernel(((rows + 7) // 8, 1, 1), (256, 1, 1), [x, pairs, rows, n])
        return pairs.view(torch.float32)[:, 0], pairs[:, 1]
