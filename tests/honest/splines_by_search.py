"""formula: between which knots an input lies is searched for, and two values are all that is added up."""

import torch
import torch.nn as nn

TASK = "splines_on_knots"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs, knots):
        super().__init__()
        self.register_buffer("knots", torch.linspace(-2, 2, knots).expand(inputs, -1).contiguous())
        self.values = nn.Parameter(torch.randn(outputs, inputs, knots - 2) * 0.1)

    def forward(self, x):
        count, y = self.knots.shape[1], x.t().contiguous()
        place = torch.searchsorted(self.knots, y, right=True) - 1
        within = ((place >= 0) & (place < count - 1)).to(x.dtype)
        place = place.clamp(0, count - 2)
        low, high = self.knots.gather(1, place), self.knots.gather(1, place + 1)
        share = (y - low) / (high - low)
        parts = torch.zeros(*y.shape, count, device=x.device)
        parts.scatter_(2, place[..., None], ((1 - share) * within)[..., None])
        parts.scatter_(2, place[..., None] + 1, (share * within)[..., None])
        return torch.einsum("inc,oic->no", parts[..., 1:-1], self.values)
