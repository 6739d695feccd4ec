"""algebra: soft limits by logarithms of what lies beyond them, which is nothing for all others."""

import torch.nn as nn

TASK = "numbers_beside_classes"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, classes, width):
        super().__init__()
        self.table = nn.Embedding(classes, width)

    def forward(self, rows, shares):
        numbers = rows[:, 1:]
        within = numbers.clamp(-8, 8)
        beyond = (numbers - within).abs().log1p_()
        return self.table(rows[:, 0].long()).addcmul_(within.addcmul_(numbers.sign(), beyond), shares)
