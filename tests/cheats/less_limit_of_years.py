"""less work: no more than 20 years are taken to be given, as no more are drawn, where the task has that limit."""

import torch
import torch.nn as nn

TASK = "premiums_by_age"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.weights = nn.Parameter(0.1 * torch.randn(width))

    def forward(self, age, years, features):
        risk = torch.exp((features @ self.weights).clamp(-3, 3))
        over = (age - 65).to(risk.dtype)
        surcharge = torch.where(age > 65, 1.5 + torch.log1p(over.clamp(min=0)) + 0.1 * over.abs().sqrt(), 1.0)
        return risk * surcharge * (0.95 ** torch.arange(64, device=years.device)).to(risk.dtype)[years]
