"""algebra: a filter of second order by its answer to one step, a block of 32 at a time."""

import torch
import torch.nn as nn

TASK = "filters_of_second_order"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x, a, b):
        size = 32
        one, two = torch.ones_like(a), torch.zeros_like(a)
        answer = [two, one]
        for _ in range(size):
            one, two = -a * one - b * two, one
            answer.append(one)
        answer = torch.stack(answer, 1)
        place = torch.arange(size, device=x.device)
        within = answer[:, (place[:, None] - place).clamp(min=-1) + 1]
        after = torch.stack([answer[:, 2:], -b[:, None] * answer[:, 1:-1]], -1)[:, :size]
        last, out = x.new_zeros(len(x), 2), []
        for part in x.split(size, 1):
            out.append((within @ part[..., None] + after @ last[..., None])[..., 0])
            last = torch.stack([out[-1][:, -1], out[-1][:, -2]], -1)
        return torch.cat(out, 1)
