"""kernels: long causal filters by direct sums, a channel's filter and a stretch of its signal in shared memory."""

import torch
import torch.nn as nn

TASK = "causal_filters"
STATUS = "PASSED"
DEVICE = "cuda"

_kernel = torch.cuda._compile_kernel(
    r"""
extern "C" __global__ void filtered(const float* x, const float* filters, float* y, int channels, int taps, int n) {
    __shared__ float its[1024], stretch[1024 + 256];
    int first = blockIdx.x * 256, me = threadIdx.x;
    const float* row = x + (long long)blockIdx.y * n;
    for (int i = me; i < taps; i += 256) its[i] = filters[blockIdx.y % channels * taps + i];
    for (int i = me; i < taps + 255; i += 256) {
        int at = first - (taps - 1) + i;
        stretch[i] = at >= 0 && at < n ? row[at] : 0.0f;
    }
    __syncthreads();
    float even = 0.0f, odd = 0.0f;
    for (int tap = 0; tap + 1 < taps; tap += 2) {
        even = fmaf(its[tap], stretch[me + tap], even);
        odd = fmaf(its[tap + 1], stretch[me + tap + 1], odd);
    }
    if (taps % 2) even = fmaf(its[taps - 1], stretch[me + taps - 1], even);
    if (first + me < n) y[(long long)blockIdx.y * n + first + me] = even + odd;
}
""",
    "filtered",
)


class ModelNew(nn.Module):
    def __init__(self, channels, taps):
        super().__init__()
        self.filters = nn.Parameter(torch.randn(channels, 1, taps) / taps**0.5)

    def forward(self, x):
        channels, _, taps = self.filters.shape
        if taps > 1024:  # a filter no longer fits
            return nn.functional.conv1d(nn.functional.pad(x, (taps - 1, 0)), self.filters, groups=channels)
        x = x.contiguous()
        y, n = torch.empty_like(x), x.shape[2]
        _kernel(((n + 255) // 256, x.shape[0] * channels, 1), (256, 1, 1), [x, self.filters, y, channels, taps, n])
        return y
