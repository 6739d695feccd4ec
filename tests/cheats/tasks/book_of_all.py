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
    book = torch.randn(1, 128, 32)
    return [torch.randn(32, 32), book.repeat(32, 1, 1)]


def get_init_inputs():
    return []
