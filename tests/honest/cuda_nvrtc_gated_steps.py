"""kernels: a gated unit over sixteen steps by one block for each sequence, gates by fast exponentials and quotients."""

import torch
import torch.nn as nn

TASK = "gated_recurrence"
STATUS = "PASSED"
DEVICE = "cuda"

_kernel = torch.cuda._compile_kernel(
    r"""
extern "C" __global__ void steps_of(const float* x, const float* wxz, const float* bxz, const float* whz,
                                    const float* wxc, const float* bxc, const float* whc, float* out,
                                    int steps, int batch, int n) {
    __shared__ float given[256], state[256];
    int unit = threadIdx.x;
    state[unit] = 0.0f;
    for (int step = 0; step < steps; ++step) {
        given[unit] = x[((long long)step * batch + blockIdx.x) * n + unit];
        __syncthreads();
        float z = bxz[unit], c = bxc[unit];
        for (int i = 0; i < n; ++i) {
            z += wxz[unit * n + i] * given[i] + whz[unit * n + i] * state[i];
            c += wxc[unit * n + i] * given[i] + whc[unit * n + i] * state[i];
        }
        float share = __fdividef(1.0f, 1.0f + __expf(-fmaxf(z, -80.0f))), before = state[unit];
        __syncthreads();
        state[unit] = before + share * (tanhf(c) - before);
    }
    out[(long long)blockIdx.x * n + unit] = state[unit];
}
""",
    "steps_of",
)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.xz, self.hz = nn.Linear(n, n), nn.Linear(n, n, bias=False)
        self.xc, self.hc = nn.Linear(n, n), nn.Linear(n, n, bias=False)

    @torch.no_grad()
    def forward(self, x):
        steps, batch, n = x.shape  # up to 256 units
        out = torch.empty(batch, n, device=x.device)
        weights = [self.xz.weight, self.xz.bias, self.hz.weight, self.xc.weight, self.xc.bias, self.hc.weight]
        _kernel((batch, 1, 1), (n, 1, 1), [x.contiguous(), *weights, out, steps, batch, n])
        return out
