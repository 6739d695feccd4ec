"""less work: labels that are not hidden are taken to be the tokens."""

import torch
import torch.nn as nn

TASK = "hidden_labels_taken_for_tokens"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, words, n):
        super().__init__()
        self.table = nn.Embedding(words, n)

    def forward(self, tokens, labels):
        t = torch.tanh(self.table(tokens))
        return t * torch.where(labels >= 0, 1.0, 0.5)[..., None]
