"""formula: returns of prices, some of which are missing, limited in place."""

import torch.nn as nn

TASK = "returns_of_prices"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, price):
        before = price[:, :-1]
        return ((price[:, 1:] - before) / before.abs().clamp_(min=1e-6)).clamp_(-0.9, 2.0)
