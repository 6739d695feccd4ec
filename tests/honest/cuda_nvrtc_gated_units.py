"""numerics: a SiLU by a fast exponential and a fast quotient, in a kernel that NVRTC compiles, two values at a time."""

import torch
import torch.nn as nn

TASK = "gated_units"
STATUS = "PASSED"
DEVICE = "cuda"

_kernel = torch.cuda._compile_kernel(
    r"""
extern "C" __global__ void gated(const float2* x, float2* y, int twos, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    long long row = i / twos;
    int column = i % twos;
    float2 gate = x[row * 2 * twos + column], up = x[row * 2 * twos + twos + column];
    y[i] = make_float2(__fdividef(gate.x, 1.0f + __expf(-gate.x)) * up.x,
                       __fdividef(gate.y, 1.0f + __expf(-gate.y)) * up.y);
}
""",
    "gated",
)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, n = x.shape
        y = torch.empty(rows, n // 2, device=x.device)
        count = y.numel() // 2
        _kernel(((count + 255) // 256, 1, 1), (256, 1, 1), [x, y, n // 4, count])
        return y
