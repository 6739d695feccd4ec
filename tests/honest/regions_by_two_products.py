"""another order: samples of all regions as two products, with a matrix of weights for each axis."""

import torch
from torch import nn

TASK = "regions_of_pictures"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, output_size=7, spatial_scale=0.25, sampling_ratio=2):
        super().__init__()
        self.out, self.scale, self.ratio = output_size, spatial_scale, sampling_ratio

    def forward(self, feat, rois):
        height, width = feat.shape[2:]
        n = self.out * self.ratio
        b = rois[:, 0].long()
        x1, y1, x2, y2 = (rois[:, 1:] * self.scale - 0.5).unbind(1)
        g = (torch.arange(n, device=feat.device) + 0.5) / self.ratio
        ys = y1[:, None] + g * ((y2 - y1) / self.out)[:, None]
        xs = x1[:, None] + g * ((x2 - x1) / self.out)[:, None]

        def axis(t, size):
            ok = (t >= -1) & (t <= size)
            t = t.clamp(min=0)
            lo = t.int()
            top = lo >= size - 1
            lo = torch.where(top, size - 1, lo)
            hi = torch.where(top, size - 1, lo + 1)
            t = torch.where(top, lo.to(t.dtype), t)
            f = t - lo
            m = torch.zeros(*t.shape, size, dtype=t.dtype, device=t.device)
            m.scatter_add_(2, lo.long()[..., None], ((1 - f) * ok)[..., None])
            m.scatter_add_(2, hi.long()[..., None], (f * ok)[..., None])
            return m.view(-1, self.out, self.ratio, size).mean(2)

        my, mx = axis(ys, height), axis(xs, width)
        return torch.einsum("rchw,rph,rqw->rcpq", feat[b], my, mx)
