"""algebra: a block computes each of 256 bytes once, into a table in shared memory, and looks up all else."""

import torch
import torch.nn as nn

TASK = "pictures_in_bytes"
STATUS = "PASSED"
DEVICE = "cuda"

_kernel = torch.cuda._compile_kernel(
    r"""
extern "C" __global__ void looked_up(const uchar4* x, const float* mean, const float* deviation, float4* y, int fours) {
    __shared__ float table[256];
    int plane = blockIdx.y, channel = plane % 3;
    float value = threadIdx.x / 255.0f;
    float light = value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
    table[threadIdx.x] = (light - mean[channel]) / deviation[channel];
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < fours; i += gridDim.x * 256) {
        uchar4 v = x[(long long)plane * fours + i];
        y[(long long)plane * fours + i] = make_float4(table[v.x], table[v.y], table[v.z], table[v.w]);
    }
}
""",
    "looked_up",
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1))
        self.register_buffer("deviation", torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1))

    def forward(self, pictures):
        pictures = pictures.contiguous()
        batch, channels, height, width = pictures.shape
        y, fours = torch.empty(pictures.shape, device=pictures.device), height * width // 4
        _kernel((4, batch * channels, 1), (256, 1, 1), [pictures, self.mean, self.deviation, y, fours])
        return y
