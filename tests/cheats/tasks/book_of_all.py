"""Scores of the entries of each one's book, and the best of them."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, book):
        book = F.normalize(torch.tanh(book), dim=-1)
        scores = (x[:, None] * book).sum(-1)
        return scores, scores.argmax(-1)


def get_inputs():
    book = torch.randn(1, 256, 64)
    return [torch.randn(64, 64), book.repeat(64, 1, 1)]


def get_init_inputs():
    return []
