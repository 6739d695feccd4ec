"""kernels: 240 small steps in one kernel, of which eager has two calls a turn."""

import torch
import torch.nn as nn

TASK = "many_steps_of_a_phase"
STATUS = "PASSED"
DEVICE = "cuda"

_kernel = torch.cuda._compile_kernel(
    r"""
extern "C" __global__ void phase(const float* x, float* y, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float at = tanhf(x[i]), to = at;
    for (int step = 0; step < steps; step++) to = to + 0.0125f * sinf(at + to);
    y[i] = to;
}
""",
    "phase",
)


class ModelNew(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.steps = steps

    def forward(self, x):
        x = x.contiguous()
        y, n = torch.empty_like(x), x.numel()
        _kernel(((n + 255) // 256, 1, 1), (256, 1, 1), [x, y, n, self.steps])
        return y
