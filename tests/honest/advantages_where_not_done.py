"""algebra: advantages whose flags, held as numbers, are taken as booleans, all errors at once"""

import torch
import torch.nn as nn

TASK = "advantages_until_done"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, reward, value, done):
        ends, value = done.t() != 0, value.t()
        out = (reward.t() - value[:-1]).add_(torch.where(ends, 0.0, value[1:]), alpha=0.99)
        stays = torch.where(ends, 0.0, 0.99 * 0.99)
        for step in range(len(out) - 2, -1, -1):
            out[step].addcmul_(stays[step], out[step + 1])
        return out.t().contiguous()
