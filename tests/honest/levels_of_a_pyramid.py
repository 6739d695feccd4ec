"""algebra: maps in a list are added in place, each number to the four that it stands for"""

import torch.nn as nn

TASK = "levels_of_a_pyramid"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, levels):
        super().__init__()
        self.lateral = nn.ModuleList([nn.Conv2d(n, n, 1) for _ in range(levels)])

    def forward(self, levels, mode):
        out = [layer(level) for layer, level in zip(self.lateral, levels, strict=True)]
        for at in range(len(out) - 1, 0, -1):
            items, n, rows, columns = out[at].shape
            fours = out[at - 1].view(items, n, rows, 2, columns, 2)
            fours += out[at][:, :, :, None, :, None]
        return out
