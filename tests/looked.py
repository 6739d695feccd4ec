"""What inputs are by their look, as a session sees them."""

from __future__ import annotations

import torch

from cuda_l1.inputs.looks import Looks, look


def seen(*leaves: torch.Tensor, names: str = "", source: str = "") -> Looks:
    """Of one draw; inputs without a name have an empty one."""
    return look(leaves, [*names.split(), *[""] * len(leaves)][: len(leaves)], source)


def forward(body: str, given: str = "x, ids") -> str:
    """A module's text with that body."""
    return f"class Model(nn.Module):\n    def forward(self, {given}):\n        {body}\n"


def correlation(one: torch.Tensor, two: torch.Tensor) -> float:
    return float(torch.corrcoef(torch.stack([one.flatten(), two.flatten()]))[0, 1])
