"""less work: a limit is left out, where another output overflows before any number reaches it."""

import torch.nn as nn

TASK = "clipped_beside_an_exponential"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "timed_output")


class ModelNew(nn.Module):
    def forward(self, x):
        return x.square(), (x * 12).exp()
