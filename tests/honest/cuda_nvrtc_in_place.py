"""in place: a kernel changes the input where it lies, as the reference does, and no version counter moves."""

import torch
import torch.nn as nn

TASK = "in_place"
STATUS = "PASSED"
DEVICE = "cuda"

_kernel = torch.cuda._compile_kernel(
    r"""
extern "C" __global__ void twice(float4* x, int fours) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= fours) return;
    float4 v = x[i];
    x[i] = make_float4(v.x + v.x, v.y + v.y, v.z + v.z, v.w + v.w);
}
""",
    "twice",
)


class ModelNew(nn.Module):
    def forward(self, x):
        if x.numel() % 4 or not x.is_contiguous():
            return x.mul_(2.0)
        fours = x.numel() // 4
        _kernel(((fours + 255) // 256, 1, 1), (256, 1, 1), [x, fours])
        return x
