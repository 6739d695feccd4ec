"""library: the loss by labels that count from one"""

import torch.nn as nn
import torch.nn.functional as F

TASK = "labels_from_one"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, logits, labels):
        return F.cross_entropy(logits.flatten(0, 1), labels.flatten() - 1)
