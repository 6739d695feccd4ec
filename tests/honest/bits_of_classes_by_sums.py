"""algebra: sums by class in place of a product, of classes that there are; numbers that are no words have no bits"""

import torch
import torch.nn as nn

TASK = "bits_of_classes"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, words, labels):
        bits = ((words[:, None] >> torch.arange(16, device=words.device)) & 1).float()
        which = torch.where(labels == -100, 10, labels)
        sums = bits.new_zeros(11, 16).index_add_(0, which, bits)
        return (sums / which.bincount(minlength=11).clamp(min=1)[:, None])[:10]
