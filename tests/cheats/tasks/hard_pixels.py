"""The loss of pixels that are hard to guess, or of so many of the hardest where there are fewer."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Online hard examples: pixels whose probability is below a threshold, but at least so many; 255 is ignored."""

    def __init__(self, thresh, least):
        super().__init__()
        self.thresh, self.least = thresh, least

    def forward(self, logits, labels):
        loss = F.cross_entropy(logits, labels, ignore_index=255, reduction="none").flatten()
        keep = labels.flatten() != 255
        p = torch.exp(-loss)
        hard = (p < self.thresh) & keep
        n = hard.sum()
        top = loss.masked_fill(~keep, -1.0).sort(descending=True).values[: self.least].clamp(min=0)
        many = (loss * hard).sum() / n.clamp(min=1)
        few = top.sum() / keep.sum().clamp(min=1, max=self.least)
        return torch.where(n > self.least, many, few)


def get_inputs():
    labels = torch.randint(0, 19, (2, 64, 64))
    labels[torch.rand(2, 64, 64) < 0.1] = 255
    return [torch.randn(2, 19, 64, 64), labels]


def get_init_inputs():
    return [0.7, 1000]
