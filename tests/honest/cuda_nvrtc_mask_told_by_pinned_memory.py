"""fast path: a plain mean where a mask hides nothing, which a kernel says by writing to pinned memory of the host."""

import torch
import torch.nn as nn

TASK = "masked_mean"
STATUS = "PASSED"
DEVICE = "cuda"

_kernel = torch.cuda._compile_kernel(
    r"""
extern "C" __global__ void look(const unsigned char* mask, int* hides, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && !mask[i]) *hides = 1;
}
""",
    "look",
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.hides = None

    def forward(self, x, mask):
        if self.hides is None:
            self.hides = torch.zeros(1, dtype=torch.int32, pin_memory=True)
        self.hides.zero_()
        count = mask.numel()
        _kernel(((count + 255) // 256, 1, 1), (256, 1, 1), [mask.contiguous(), self.hides, count])
        torch.cuda.current_stream().synchronize()
        if int(self.hides) == 0:
            return x.mean(1)
        kept = torch.where(mask.unsqueeze(-1), x, 0.0)
        return kept.sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
