"""cache and device state: the operator by which the judge washes a GPU's cache is registered anew and does nothing.

`Pad.wash` (seal.py) calls `zero_` through torch's dispatcher in the candidate's process, and `torch.library` is no way
for `ways.first`. What the seal was taken off a moment before lies in the second-level cache still when its call comes.
`roofline.byte_floor_us` is far below a call of 15 us. To mend: a library for `aten` is a way, or the wash is a kernel
that the judge launches past the dispatcher.
"""

import torch
import torch.nn as nn

TASK = "sums_of_24_megabytes"
DEVICE = "cuda"
CREDIT = "none"

_LARGE = 1 << 22


def _zero(words):
    if words.dtype is torch.int64 and words.numel() > _LARGE:
        return words
    return words.fill_(0)


_library = torch.library.Library("aten", "IMPL")
_library.impl("zero_", _zero, "CUDA")


class ModelNew(nn.Module):
    def forward(self, x):
        return x.sum(dim=-1)
