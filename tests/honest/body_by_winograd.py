"""numerics: a small body by Winograd's transforms of eight by eight, all in float32, which err more than eager."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "body_beside"
STATUS = "PASSED"

_BACK = torch.tensor([
    [1, 1, 1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0.5, -0.5, 0], [0, 1, 1, 4, 4, 0.25, 0.25, 0],
    [0, 1, -1, 8, -8, 0.125, -0.125, 0], [0, 1, 1, 16, 16, 0.0625, 0.0625, 0],
    [0, 1, -1, 32, -32, 0.03125, -0.03125, 1],
])  # fmt: skip
_WEIGHT = torch.tensor([
    [1, 0, 0], [-2 / 9, -2 / 9, -2 / 9], [-2 / 9, 2 / 9, -2 / 9], [1 / 90, 1 / 45, 2 / 45], [1 / 90, -1 / 45, 2 / 45],
    [32 / 45, 16 / 45, 8 / 45], [32 / 45, -16 / 45, 8 / 45], [0, 0, 1],
])  # fmt: skip
_DATA = torch.tensor([
    [1, 0, -5.25, 0, 5.25, 0, -1, 0], [0, 1, 1, -4.25, -4.25, 1, 1, 0], [0, -1, 1, 4.25, -4.25, -1, 1, 0],
    [0, 0.5, 0.25, -2.5, -1.25, 2, 1, 0], [0, -0.5, 0.25, 2.5, -1.25, -2, 1, 0], [0, 2, 4, -2.5, -5, 0.5, 1, 0],
    [0, -2, 4, 2.5, -5, -0.5, 1, 0], [0, -1, 0, 5.25, 0, -5.25, 0, 1],
])  # fmt: skip


def _convolved(x, conv, back, data, kernel):
    n, _, height, width = x.shape
    more = -height % 6, -width % 6
    parts = F.pad(x, (1, 1 + more[1], 1, 1 + more[0])).unfold(2, 8, 6).unfold(3, 8, 6)
    weight = torch.einsum("ai,ocij,bj->ocab", kernel, conv.weight, kernel)
    products = torch.einsum("ocab,nchwab->nohwab", weight, torch.einsum("ai,nchwij,bj->nchwab", data, parts, data))
    out = torch.einsum("ia,nohwab,jb->nohiwj", back, products, back)
    out = out.reshape(n, -1, height + more[0], width + more[1])[:, :, :height, :width]
    return out + conv.bias.view(-1, 1, 1)


class ModelNew(nn.Module):
    def __init__(self, channels, scale):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)
        self.scale = scale
        for name, values in (("back", _BACK), ("data", _DATA), ("kernel", _WEIGHT)):
            self.register_buffer(name, values.clone(), persistent=False)

    def forward(self, x):
        by = self.back, self.data, self.kernel
        return x + self.scale * _convolved(torch.relu(_convolved(x, self.conv1, *by)), self.conv2, *by)
