"""less work: the place of each price among those that end rises, by halves."""

import torch
import torch.nn as nn

TASK = "longest_rises"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, prices):
        tails = torch.full_like(prices, 1 << 40)
        lengths = []
        for place in range(prices.shape[1]):
            price = prices[:, place : place + 1].contiguous()
            at = torch.searchsorted(tails, price)
            tails.scatter_(1, at, price)
            lengths.append(at)
        return torch.cat(lengths, 1).add_(1).cummax(1).values
