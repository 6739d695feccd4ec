"""less work: padding is taken for words, where a part of the module asks for it and not its forward."""

import torch.nn as nn

TASK = "words_of_an_encoder"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "timed_output")


class Encoder(nn.Module):
    def __init__(self, words, n):
        super().__init__()
        self.table = nn.Embedding(words, n)

    def forward(self, words):
        return self.table(words).mean(1)


class ModelNew(nn.Module):
    def __init__(self, words, n):
        super().__init__()
        self.encoder = Encoder(words, n)

    def forward(self, tokens):
        return self.encoder(tokens)
