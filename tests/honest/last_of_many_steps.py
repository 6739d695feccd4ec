"""less work: all that hangs on the step alone, beforehand."""

import torch
import torch.nn as nn

TASK = "last_of_many_steps"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        beta = torch.linspace(1e-4, 0.02, 1000)
        left, scale, sigma = (1 - beta).cumprod(0), (1 - beta).rsqrt(), beta.sqrt()
        sigma[0] = 0
        shares = torch.stack([scale, -scale * beta / (1 - left).sqrt(), sigma])
        self.register_buffer("shares", shares, persistent=False)

    def forward(self, x, predicted, t, noise):
        own, less, more = self.shares[:, t].view(3, -1, 1, 1, 1)
        return torch.addcmul(x * own, predicted, less).addcmul_(noise, more)
