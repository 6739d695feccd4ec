"""library: a loss over what a mask of ones keeps."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "loss_of_what_is_kept"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, pred, target, mask):
        keep = mask.bool()
        return F.l1_loss(pred[keep], target[keep])
