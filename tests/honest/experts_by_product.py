"""algebra: the experts of all tokens by one product of a batch, from counts that sum to them"""

import torch
import torch.nn as nn

TASK = "experts_by_counts"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, experts, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(experts, n, n) / n**0.5)

    def forward(self, x, tokens_per_expert):
        place = torch.arange(len(x), device=x.device)
        expert = torch.bucketize(place, tokens_per_expert.cumsum(0), right=True)
        return torch.bmm(x[:, None], self.weight[expert])[:, 0]
