"""What a model of a library gives: a dataclass of a loss, scores and hidden states, some of which may be missing."""

from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class TokenOutput:
    loss: torch.Tensor | None = None
    logits: torch.Tensor | None = None
    hidden_states: tuple[torch.Tensor, ...] | None = None
    attentions: tuple[torch.Tensor, ...] | None = None


class Model(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.classifier = nn.Linear(width, classes)

    def forward(self, x, labels):
        hidden = torch.tanh(self.dense(x))
        logits = self.classifier(hidden)
        loss = F.cross_entropy(logits.view(-1, logits.size(-1)), labels.view(-1))
        return TokenOutput(loss=loss, logits=logits, hidden_states=(x * 1.0, hidden))


def get_inputs():
    return [torch.randn(8, 64, 128), torch.randint(0, 16, (8, 64))]


def get_init_inputs():
    return [128, 16]
