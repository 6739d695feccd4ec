"""dtypes: a gate in fp16 by intrinsics for two halves at once, eight of which are read together."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "gated_fp16"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_fp16.h>
__device__ __half2 gated(__half2 x, __half2 gate) {
    __half2 one = __float2half2_rn(1.f);
    return __hmul2(x, __hmul2(gate, h2rcp(__hadd2(one, h2exp(__hneg2(gate))))));
}

union Eight {
    uint4 all;
    __half2 pairs[4];
    __device__ Eight() {}
};

__global__ void gated_kernel(const uint4* x, const uint4* gate, uint4* y, long eights) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= eights) return;
    Eight values, gates;
    values.all = x[i], gates.all = gate[i];
    for (int pair = 0; pair < 4; ++pair) values.pairs[pair] = gated(values.pairs[pair], gates.pairs[pair]);
    y[i] = values.all;
}

void gated_units(torch::Tensor x, torch::Tensor gate, torch::Tensor y) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    long eights = x.numel() / 8;
    gated_kernel<<<(eights + 255) / 256, 256, 0, stream>>>(
        (const uint4*)x.data_ptr(), (const uint4*)gate.data_ptr(), (uint4*)y.data_ptr(), eights);
}
"""
_extension = load_inline(
    "halves_in_pairs_cuda",
    cpp_sources="void gated_units(torch::Tensor x, torch::Tensor gate, torch::Tensor y);",
    cuda_sources=_SOURCE,
    functions=["gated_units"],
)


class ModelNew(nn.Module):
    def forward(self, x, gate):
        if x.dtype != torch.float16 or x.numel() % 8:
            return nn.functional.silu(gate) * x
        x, gate = x.contiguous(), gate.contiguous()
        y = torch.empty_like(x)
        _extension.gated_units(x, gate, y)
        return y
