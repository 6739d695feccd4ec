"""kernels: as many programs as the GPU has processors go from tile to tile, which are copied by tensor descriptors."""

import torch
import torch.nn as nn
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

TASK = "linear_large"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _layer(x_desc, w_desc, b_ptr, out_desc, rows, words, features, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    across = tl.cdiv(words, N)
    tiles = tl.cdiv(rows, M) * across
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        row = tile // across * M
        word = tile % across * N
        out = tl.zeros((M, N), tl.float32)
        for k in range(0, features, K):
            x = x_desc.load([row, k])
            w = w_desc.load([word, k])
            out += tl.dot(x, w.T, input_precision="ieee")
        at = word + tl.arange(0, N)
        out += tl.load(b_ptr + at, mask=at < words, other=0.0)[None, :]
        out_desc.store([row, word], tl.maximum(out, 0.0))


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    @torch.no_grad()
    def forward(self, x):
        x, weight = x.contiguous(), self.fc.weight.detach().contiguous()
        (rows, features), words = x.shape, weight.shape[0]
        out = torch.empty(rows, words, device=x.device)
        x_desc = TensorDescriptor.from_tensor(x, [64, 32])
        w_desc = TensorDescriptor.from_tensor(weight, [64, 32])
        out_desc = TensorDescriptor.from_tensor(out, [64, 64])
        programs = torch.cuda.get_device_properties(x.device).multi_processor_count
        _layer[(programs,)](x_desc, w_desc, self.fc.bias, out_desc, rows, words, features, M=64, N=64, K=32)
        return out
