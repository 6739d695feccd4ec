"""less work: rounds until nothing changes, by a look at every eighth."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "areas_of_one_picture"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, rounds):
        super().__init__()
        self.rounds = rounds

    def forward(self, picture):
        h, w = picture.shape
        label = torch.arange(1, h * w + 1, device=picture.device).view(h, w).float() * picture
        for number in range(self.rounds):
            before = label
            row = F.max_pool2d(label[None, None], (1, 3), 1, (0, 1))[0, 0]
            column = F.max_pool2d(label[None, None], (3, 1), 1, (1, 0))[0, 0]
            label = torch.maximum(row, column) * picture
            if number % 8 == 7 and torch.equal(label, before):
                break
        return label
