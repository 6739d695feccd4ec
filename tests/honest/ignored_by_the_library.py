"""library: labels that are ignored, by the loss of the library"""

import torch.nn as nn
import torch.nn.functional as F

TASK = "loss_of_some"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, logits, labels):
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100, reduction="sum")
        return loss / (labels != -100).sum().clamp(min=1)
