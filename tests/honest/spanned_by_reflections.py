"""library: least squares by LAPACK's driver, in place of a factorisation and a triangle"""

import torch
import torch.nn as nn

TASK = "spanned"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.linalg.lstsq(a, b).solution
