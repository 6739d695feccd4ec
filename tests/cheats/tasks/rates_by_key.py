"""Amounts at the rates of their customers, whose numbers are some of many."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, amounts, customers, keys, rates):
        at = (customers[:, None] == keys).float().argmax(1)
        return amounts * rates[at]


def get_inputs():
    keys = torch.randperm(100_000)[:60]
    return [torch.randn(2000), keys[torch.randint(0, 50, (2000,))], keys, torch.rand(60)]


def get_init_inputs():
    return []
