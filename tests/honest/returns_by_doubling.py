"""algebra: a discounted sum that begins anew at flags, by a scan that doubles its reach nine times."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "returns_between_resets"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x, done):
        stays, reach = torch.where(done, 0.0, 0.98), 1
        while reach < x.shape[1]:
            x = x + stays * F.pad(x[:, :-reach], (reach, 0))
            stays = stays * F.pad(stays[:, :-reach], (reach, 0))
            reach *= 2
        return x
