"""How long the longest rise is that ends at each place or before, in rows of prices in cents."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, prices):
        tails = torch.full_like(prices, 1 << 40)
        lengths = []
        for place in range(prices.shape[1]):
            price = prices[:, place : place + 1]
            at = (tails < price).sum(1, keepdim=True)
            tails = tails.scatter(1, at, price)
            lengths.append(at + 1)
        return torch.cat(lengths, 1).cummax(1).values


def get_inputs():
    return [torch.randint(0, 100000, (64, 384))]


def get_init_inputs():
    return []
