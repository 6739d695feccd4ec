"""LSTM cell written by hand: four gates, each with two linear layers, in a Python loop over the steps.

What is slow: eight small matrix products and about ten elementwise operations a step, all launched from Python. The
half of the products that belongs to the input does not depend on the recurrence at all.
What a good engineer does: one product for the inputs of all steps and all gates before the loop, one for the four gates
of the state inside it, one fused kernel for the gates, and on a GPU a graph around the loop.
"""

import torch
from torch import nn

SIZES = {
    "cpu": {"BATCH": 16, "STEPS": 16, "FEATURES": 128, "HIDDEN": 256},
    "cuda": {"BATCH": 32, "STEPS": 32, "FEATURES": 256, "HIDDEN": 512},
}
BATCH = 16
STEPS = 16
FEATURES = 128
HIDDEN = 256


class Gate(nn.Module):
    """Sum of a linear map of the input and one of the state, before its nonlinearity."""

    def __init__(self, features: int, hidden: int):
        super().__init__()
        self.of_input = nn.Linear(features, hidden)
        self.of_state = nn.Linear(hidden, hidden, bias=False)

    def forward(self, x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        return self.of_input(x) + self.of_state(h)


class Model(nn.Module):
    """Takes x (STEPS, BATCH, FEATURES), returns the states of all steps (STEPS, BATCH, HIDDEN)."""

    def __init__(self, features: int, hidden: int):
        super().__init__()
        self.hidden = hidden
        self.take = Gate(features, hidden)
        self.keep = Gate(features, hidden)
        self.new = Gate(features, hidden)
        self.show = Gate(features, hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = x.new_zeros(x.shape[1], self.hidden)
        c = x.new_zeros(x.shape[1], self.hidden)
        states = []
        for step in x:
            take = torch.sigmoid(self.take(step, h))
            keep = torch.sigmoid(self.keep(step, h))
            new = torch.tanh(self.new(step, h))
            show = torch.sigmoid(self.show(step, h))
            c = keep * c + take * new
            h = show * torch.tanh(c)
            states.append(h)
        return torch.stack(states)


def get_inputs():
    return [torch.randn(STEPS, BATCH, FEATURES)]


def get_init_inputs():
    return [FEATURES, HIDDEN]
