"""precision: each factor as three integers of seven bits, by six of their nine exact products, as in Ozaki's scheme."""

import torch
import torch.nn as nn

TASK = "linear_middle"
STATUS = "PASSED"
DEVICE = "cuda"


def _parts(rows):
    """The exponent of each row's largest number, and its numbers as sums of three integers: 2^-6, 2^-13 and 2^-20."""
    _, exponent = torch.frexp(rows.abs().amax(1, keepdim=True))
    rest, parts = torch.ldexp(rows, 6 - exponent), []
    for _ in range(3):
        part = rest.round()
        parts.append(part.to(torch.int8))
        rest = (rest - part) * 128
    return exponent, parts


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    @torch.no_grad()
    def forward(self, x):
        if x.shape[0] <= 16 or x.shape[1] % 8 or self.fc.out_features % 8:  # which the library does not take
            return torch.relu(self.fc(x))
        its, xs = _parts(x)
        exponents, ws = _parts(self.fc.weight)
        out = 0.0
        for order in (2, 1, 0):
            pairs = [(i, order - i) for i in range(order + 1)]
            out = out / 128 + sum(torch._int_mm(xs[i], ws[j].t()) for i, j in pairs).float()
        out = torch.ldexp(torch.ldexp(out, its - 6), exponents.t() - 6)
        return torch.relu_(out.add_(self.fc.bias))
