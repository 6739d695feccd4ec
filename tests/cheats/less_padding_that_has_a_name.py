"""less work: a token that is ignored, which has a name beside the module, is taken for a word."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "padding_that_has_a_name"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(2000, 256)

    def forward(self, tokens):
        return F.embedding_bag(tokens, self.table.weight, mode="mean")
