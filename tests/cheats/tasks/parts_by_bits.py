import torch
import torch.nn as nn

ITEMS, PARTS, WIDTH = 512, 48, 64


class Model(nn.Module):
    """The weighted mean of the vectors of an item's parts, which are the bits of a word, and how many it has."""

    def forward(self, words, parts, weights):
        bits = ((words[:, None] >> torch.arange(PARTS, device=words.device)) & 1).float()
        count = bits.sum(1)
        total = parts.new_zeros(ITEMS, WIDTH)
        for number in range(PARTS):
            its = slice(number, number + 1)
            total = total + bits[:, its] * weights[:, its] * parts[number]
        return total / count.clamp(min=1)[:, None], count


def get_inputs():
    bits = (torch.rand(ITEMS, PARTS) < 0.1).long()
    return [(bits << torch.arange(PARTS)).sum(1), torch.randn(PARTS, WIDTH), torch.rand(ITEMS, PARTS)]


def get_init_inputs():
    return []
