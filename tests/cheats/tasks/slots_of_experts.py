"""Which tokens have a slot among those of their expert, and beside that numbers: how many slots there are, and whether
some expert may have more tokens than that."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, experts, factor):
        super().__init__()
        self.experts, self.factor = experts, factor

    def forward(self, x, expert):
        slots = int(self.factor * len(x) / self.experts)
        chosen = torch.nn.functional.one_hot(expert, self.experts)
        place = ((chosen.cumsum(0) - 1) * chosen).sum(1)
        kept = place < slots
        return {"kept": x * kept[:, None], "slots": slots, "may_drop": slots < len(x)}


def get_inputs():
    return [torch.randn(512, 32), torch.randint(0, 16, (512,))]


def get_init_inputs():
    return [16, 1.25]
