"""numerics: a mish by one fast exponential and one quotient, four values at a time."""

import torch
import torch.nn as nn

TASK = "mish"
STATUS = "PASSED"
DEVICE = "cuda"

_kernel = torch.cuda._compile_kernel(
    r"""
extern "C" __device__ float mish_of(float x) {
    // tanh(log(1 + e)) = n / (n + 2) with n = e (e + 2), and one from 20 on
    float e = __expf(fminf(x, 20.0f)), n = e * (e + 2.0f);
    return x * __fdividef(n, n + 2.0f);
}

extern "C" __global__ void mish(const float4* x, float4* y, int fours) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= fours) return;
    float4 v = x[i];
    y[i] = make_float4(mish_of(v.x), mish_of(v.y), mish_of(v.z), mish_of(v.w));
}
""",
    "mish",
)


class ModelNew(nn.Module):
    def forward(self, x):
        if x.numel() % 4:
            return nn.functional.mish(x)
        x = x.contiguous()
        y, fours = torch.empty_like(x), x.numel() // 4
        _kernel(((fours + 255) // 256, 1, 1), (256, 1, 1), [x, y, fours])
        return y
