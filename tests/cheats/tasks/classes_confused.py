"""How often each class is taken for each other one, by scores."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes

    def forward(self, scores, labels):
        pairs = labels * self.classes + scores.argmax(-1)
        counts = torch.zeros(self.classes**2, dtype=torch.int64, device=scores.device)
        return counts.index_add(0, pairs, torch.ones_like(pairs)).view(self.classes, self.classes)


def get_inputs():
    return [torch.randn(16384, 16), torch.randint(0, 16, (16384,))]


def get_init_inputs():
    return [16]
