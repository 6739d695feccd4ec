"""algebra: two steps of a linear recurrence are one, of the product of their matrices, so that all are done in eight
rounds."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "states_mixed_by_given_matrices"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, mixes, x):
        while x.shape[1] > 1:
            if x.shape[1] % 2:
                x = F.pad(x, (0, 0, 0, 0, 1, 0))
                mixes = F.pad(mixes, (0, 0, 0, 0, 1, 0))
            first, second = mixes[:, ::2], mixes[:, 1::2]
            x, mixes = x[:, 1::2] + second @ x[:, ::2], second @ first
        return x[:, 0]
