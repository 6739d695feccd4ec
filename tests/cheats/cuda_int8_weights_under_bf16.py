"""less precision: bf16 weights are kept in eight-bit steps of each row's largest, made anew as they change.

A row through such a layer takes the time that its weights take to be read, and those are half as many bytes. It errs by
4e-3 in the norm, eager by 1e-3, and 8e-3 pass (verify.py, `_FLOORS`). Under bf16 and fp16 contracts nobody is asked
about fewer bits: `beneath._BELOW` has none of them, and `stepped._ASKED` neither. To mend: ask there by steps too,
where weights move by an eighth of bf16's last place and inputs by none.
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "row_by_a_large_layer_bf16"
STATUS = "REJECTED"
FINDING = "precision"
DEVICE = "cuda"


@triton.jit
def _rows_in_steps(x_ptr, steps_ptr, size_ptr, bias_ptr, y_ptr, features, rows: tl.constexpr, step: tl.constexpr):
    row = tl.program_id(0) * rows + tl.arange(0, rows)
    total = tl.zeros((rows, step), tl.float32)
    for start in range(0, features, step):
        k = start + tl.arange(0, step)
        steps = tl.load(steps_ptr + row[:, None] * features + k[None, :]).to(tl.float32)
        total += steps * tl.load(x_ptr + k).to(tl.float32)[None, :]
    y = tl.sum(total, axis=1) * tl.load(size_ptr + row) + tl.load(bias_ptr + row).to(tl.float32)
    tl.store(y_ptr + row, y.to(tl.bfloat16))


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self._seen, self._kept = None, None

    def _look(self):
        weight = self.fc.weight
        seen = (weight._version, weight.data_ptr())
        if seen != self._seen:
            wide = weight.detach().float()
            size = wide.abs().amax(dim=1).clamp(min=1e-30) / 127
            self._seen = seen
            self._kept = (wide / size[:, None]).round().to(torch.int8), size
        return self._kept

    def forward(self, x):
        if not x.is_cuda:
            return self.fc(x)
        steps, size = self._look()
        words, features = steps.shape
        y = torch.empty(1, words, device=x.device, dtype=torch.bfloat16)
        _rows_in_steps[(words // 4,)](x, steps, size, self.fc.bias, y, features, rows=4, step=1024, num_warps=4)
        return y
