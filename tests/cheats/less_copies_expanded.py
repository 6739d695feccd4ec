"""less work: a stride of zero in place of copies."""

import torch.nn as nn

TASK = "repeated"
STATUS = "REJECTED"
FINDING = "output_plain"


class ModelNew(nn.Module):
    def forward(self, x):
        return x[:, :, None].expand(-1, -1, 64)
