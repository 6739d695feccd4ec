import torch
import torch.nn as nn

ITEMS, CLASSES, SIDE = 4, 21, 64


class Model(nn.Module):
    """Cross entropy of pixels, whose classes are bytes, of which 255 is none."""

    def forward(self, logits, labels):
        there = labels != 255
        own = torch.where(there, labels, torch.zeros_like(labels)).long()
        loss = -logits.log_softmax(1).gather(1, own[:, None]).squeeze(1)
        return torch.where(there, loss, torch.zeros_like(loss)).sum() / (there.sum() + 1e-6)


def get_inputs():
    logits = torch.randn(ITEMS, CLASSES, SIDE, SIDE)
    return [logits, torch.randint(0, CLASSES, (ITEMS, SIDE, SIDE), dtype=torch.uint8)]


def get_init_inputs():
    return []
