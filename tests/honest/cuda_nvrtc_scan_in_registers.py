"""formula: a gated recurrence in registers, each step one fused product of how far the state is off."""

import torch
import torch.nn as nn

TASK = "gated_scan"
STATUS = "PASSED"
DEVICE = "cuda"

_kernel = torch.cuda._compile_kernel(
    r"""
extern "C" __global__ void scan(const float* x, const float* gates, float* y, int steps, int lanes) {
    int lane = blockIdx.x * blockDim.x + threadIdx.x;
    if (lane >= lanes) return;
    float state = 0.0f;
#pragma unroll 8
    for (int step = 0; step < steps; ++step) {
        long long at = (long long)step * lanes + lane;
        float value = x[at], decay = 1.0f / (1.0f + __expf(-gates[at]));
        state = fmaf(decay, state - value, value);
        y[at] = state;
    }
}
""",
    "scan",
)


class ModelNew(nn.Module):
    def forward(self, x, gates):
        x, gates = x.contiguous(), gates.contiguous()
        y, steps, lanes = torch.empty_like(x), x.shape[0], x[0].numel()
        _kernel(((lanes + 63) // 64, 1, 1), (64, 1, 1), [x, gates, y, steps, lanes])
        return y
