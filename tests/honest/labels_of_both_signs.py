"""where: the loss by where labels are positive; they are one or minus one, as PyTorch says"""

import torch
import torch.nn as nn

TASK = "labels_of_both_signs"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, distances, labels):
        return torch.where(labels > 0, distances, (1 - distances).clamp_(min=0)).mean()
