import torch
import torch.nn as nn

DAYS, PATIENTS = 64, 500


class Model(nn.Module):
    """What share of patients lives to each of some days (Kaplan and Meier); many were seen for a part of them."""

    def forward(self, days, died, horizons):
        alive = torch.ones(len(days), len(horizons), device=days.device)
        for day in range(DAYS):
            seen = (days >= day).sum(1).float()
            dead = ((days == day) & died).sum(1).float()
            share = torch.where(seen > 0, 1 - dead / seen.clamp(min=1), torch.ones_like(seen))
            alive = alive * torch.where(horizons >= day, share[:, None], torch.ones_like(alive))
        return alive


def get_inputs():
    return [torch.randint(0, DAYS, (32, PATIENTS)), torch.rand(32, PATIENTS) < 0.6, torch.randint(0, DAYS, (5,))]


def get_init_inputs():
    return []
