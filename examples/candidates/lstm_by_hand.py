"""`examples/lstm_by_hand.py` made faster in three ways that can be switched off: `cuda-l1 ablate` measures what each
is worth. With all of them on this is an ordinary candidate.
"""

import torch
from torch import nn

PARTS = ("HOISTED", "MERGED", "FUSED")
HOISTED = True  # the input's products of all steps before the loop
MERGED = True  # one product for the four gates instead of four
FUSED = True  # sigmoids and state update in place, into memory that is already there


class Gate(nn.Module):
    def __init__(self, features: int, hidden: int):
        super().__init__()
        self.of_input = nn.Linear(features, hidden)
        self.of_state = nn.Linear(hidden, hidden, bias=False)


class ModelNew(nn.Module):
    def __init__(self, features: int, hidden: int):
        super().__init__()
        self.hidden = hidden
        self.take = Gate(features, hidden)
        self.keep = Gate(features, hidden)
        self.new = Gate(features, hidden)
        self.show = Gate(features, hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gates = (self.take, self.keep, self.show, self.new)
        if MERGED:  # weights are joined in every call, so that they may change
            gates = (
                (
                    torch.cat([gate.of_input.weight for gate in gates]),
                    torch.cat([gate.of_input.bias for gate in gates]),
                    torch.cat([gate.of_state.weight for gate in gates]),
                ),
            )
        else:
            gates = [(gate.of_input.weight, gate.of_input.bias, gate.of_state.weight) for gate in gates]
        if HOISTED:
            of_inputs = [nn.functional.linear(x, weight, bias) for weight, bias, _ in gates]
        h = x.new_zeros(x.shape[1], self.hidden)
        c = x.new_zeros(x.shape[1], self.hidden)
        states = x.new_empty(x.shape[0], x.shape[1], self.hidden)
        for number in range(x.shape[0]):
            if HOISTED:
                parts = [of_input[number] for of_input in of_inputs]
            else:
                parts = [nn.functional.linear(x[number], weight, bias) for weight, bias, _ in gates]
            sums = [torch.addmm(part, h, of_state.t()) for part, (_, _, of_state) in zip(parts, gates, strict=True)]
            sums = sums[0].chunk(4, dim=1) if MERGED else sums
            h, c = cell(sums, c, states[number])
        return states


def cell(sums, c, out):
    """One step's state from the sums before the gates (take, keep, show, new); `out` is written and is the new h."""
    take, keep, show, new = sums
    if FUSED:
        c = torch.addcmul(take.sigmoid_() * new.tanh_(), keep.sigmoid_(), c)
        return torch.mul(show.sigmoid_(), torch.tanh(c), out=out), c
    c = torch.sigmoid(keep) * c + torch.sigmoid(take) * torch.tanh(new)
    out.copy_(torch.sigmoid(show) * torch.tanh(c))
    return out, c
