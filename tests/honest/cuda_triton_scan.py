"""another order: a recurrence's steps joined two and two, by Triton's scan, where the reference goes one by one."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "gated_scan"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _joined(decay, state, next_decay, next_state):
    return decay * next_decay, state * next_decay + next_state


@triton.jit
def _scan(x_ptr, gates_ptr, out_ptr, steps, lanes, STEPS: tl.constexpr, LANES: tl.constexpr):
    step = tl.arange(0, STEPS)
    lane = tl.program_id(0) * LANES + tl.arange(0, LANES)
    at = step[:, None] * lanes + lane[None, :]
    inside = (step[:, None] < steps) & (lane[None, :] < lanes)
    x = tl.load(x_ptr + at, mask=inside, other=0.0)
    gates = tl.load(gates_ptr + at, mask=inside, other=0.0)
    decay = 1.0 / (1.0 + tl.exp(-gates))
    rest = 1.0 / (1.0 + tl.exp(gates))
    _, states = tl.associative_scan((decay, rest * x), 0, _joined)
    tl.store(out_ptr + at, states, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x, gates):
        x, gates = x.contiguous(), gates.contiguous()
        steps, lanes, out = x.shape[0], x[0].numel(), torch.empty_like(x)
        grid = (triton.cdiv(lanes, 16),)
        _scan[grid](x, gates, out, steps, lanes, STEPS=triton.next_power_of_2(steps), LANES=16)
        return out
