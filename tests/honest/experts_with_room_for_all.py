"""algebra: experts have as much room as the one that is chosen most"""

import torch
import torch.nn as nn

TASK = "experts_given"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(16, 32, 32) / 6)

    def forward(self, x, expert):
        order = expert.argsort(stable=True)
        chosen, places = expert[order], torch.arange(len(x), device=x.device)
        places = places - torch.searchsorted(chosen, torch.arange(16, device=x.device))[chosen]
        room = int(places.max()) + 1
        fits = places < room
        given = torch.zeros(16, room, 32, device=x.device)
        given[chosen[fits], places[fits]] = x[order[fits]]
        out = torch.zeros_like(x)
        out[order[fits]] = torch.bmm(given, self.weight)[chosen[fits], places[fits]]
        return out
