"""domains: how many edges lie below is counted, for edges are sorted."""

import torch
import torch.nn as nn

TASK = "table_of_bins"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.register_buffer("edges", torch.linspace(-2.0, 2.0, bins))
        self.table = nn.Parameter(torch.randn(bins + 1))

    def forward(self, x):
        count = torch.zeros(x.shape, dtype=torch.int32, device=x.device)
        for edge in self.edges.unbind():
            count += x > edge
        return self.table.index_select(0, count.view(-1)).view(x.shape)
