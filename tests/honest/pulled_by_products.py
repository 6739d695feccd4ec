"""formula: what pulls a body by one product, less itself as often as they weigh; what each does to itself left out."""

import torch
import torch.nn as nn

TASK = "pulled_by_all"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, eps, dt):
        super().__init__()
        self.eps, self.dt = eps, dt

    def acc(self, p, m):
        pt = p.t().contiguous()
        d = pt.unsqueeze(1) - pt.unsqueeze(2)
        r = torch.rsqrt(d.square().sum(0).add_(self.eps**2))
        w = (r * r * r * m).fill_diagonal_(0)
        return torch.addcmul(w @ p, w.sum(1, keepdim=True), p, value=-1)

    def forward(self, p, v, m):
        v = torch.add(v, self.acc(p, m), alpha=0.5 * self.dt)
        p = torch.add(p, v, alpha=self.dt)
        v = torch.add(v, self.acc(p, m), alpha=0.5 * self.dt)
        return p, v, 0.5 * torch.dot(m, v.square().sum(-1))
