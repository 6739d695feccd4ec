"""less work: normalisers alone, and one number of each pixel."""

import torch.nn as nn

TASK = "pixels_that_count"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, logits, labels):
        there = labels != 255
        own = logits.gather(1, labels.long().masked_fill_(~there, 0)[:, None]).squeeze(1)
        return ((logits.logsumexp(1) - own) * there).sum() / (there.sum() + 1e-6)
