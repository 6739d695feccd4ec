"""containers: a dataclass of its own, with the name and the fields that the reference's has; tanh in place."""

from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "losses_in_a_dataclass"
STATUS = "PASSED"


@dataclass
class TokenOutput:
    loss: torch.Tensor
    logits: torch.Tensor
    hidden_states: tuple
    attentions: None = None


class ModelNew(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.classifier = nn.Linear(width, classes)

    def forward(self, x, labels):
        hidden = self.dense(x).tanh_()
        logits = self.classifier(hidden)
        loss = F.cross_entropy(logits.flatten(0, -2), labels.flatten())
        return TokenOutput(loss, logits, (x.clone(), hidden))
