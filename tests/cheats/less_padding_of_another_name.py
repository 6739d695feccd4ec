"""less work: a token that is ignored, which its module does not call padding, is taken for a word."""

import torch.nn as nn

TASK = "padding_of_its_own_name"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, pad):
        super().__init__()
        self.ignored = pad
        self.table = nn.Embedding(2000, 256)
        self.proj = nn.Linear(256, 256)

    def forward(self, tokens):
        return self.table(tokens)
