"""A state that decays at trained rates by steps that the input gives through a layer, as the second Mamba has it."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, n, heads, m):
        super().__init__()
        self.step, self.into, self.out = nn.Linear(n, heads), nn.Linear(n, m), nn.Linear(n, m)
        self.log_rate = nn.Parameter(torch.log(1 + 15 * torch.rand(heads)))
        self.bias = nn.Parameter(torch.rand(heads) - 4)

    def forward(self, u):
        step = F.softplus(self.step(u) + self.bias)
        decay = torch.exp(step * -torch.exp(self.log_rate))
        x = u.view(*step.shape, -1)
        state, into, out = 0, self.into(u), []
        for t, read in enumerate(self.out(u).unbind(1)):
            added = (step[:, t, :, None] * x[:, t])[..., None] * into[:, t, None, None]
            state = decay[:, t, :, None, None] * state + added
            out.append(torch.einsum("bhpm,bm->bhp", state, read))
        return torch.stack(out, 1).reshape(u.shape)


def get_inputs():
    return [torch.randn(2, 64, 32)]


def get_init_inputs():
    return [32, 4, 16]
