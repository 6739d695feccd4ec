"""algebra: a complex system is solved, and its diagonal added to in place, whose numbers have no order."""

import torch
import torch.nn as nn

TASK = "resonances"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, coupling, losses, force):
        system = coupling.clone()
        system.diagonal(dim1=-2, dim2=-1).add_(losses)
        return torch.linalg.solve(system, force)
