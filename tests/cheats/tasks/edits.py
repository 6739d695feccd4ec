"""How many edits make one sequence of words another."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        count = x.shape[1]
        place = torch.arange(count + 1, device=x.device, dtype=torch.float32)
        last = place.repeat(len(x), 1)
        for n in range(count):
            best = torch.minimum(last[:, 1:] + 1, last[:, :-1] + (x[:, n, None] != y))
            best = torch.cat([torch.full_like(best[:, :1], n + 1), best], 1)
            last = (best - place).cummin(1).values + place
        return last[:, count]


def get_inputs():
    return [torch.randint(0, 1000, (256, 96)), torch.randint(0, 1000, (256, 96))]


def get_init_inputs():
    return []
