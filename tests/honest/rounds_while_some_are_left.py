"""fast path: rounds within a mask for as long as something is not reached, looked at every fourth time."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "distances_within_a_mask"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, mask):
        reached, distance = 1 - mask, mask.clone()
        for turn in range(48):
            if turn % 4 == 0 and bool((reached > 0).all()):
                break
            reached = F.max_pool2d(reached, 3, 1, 1)
            distance += 1 - reached
        return distance
