"""formula: degrees by columns, which of a symmetric matrix are those by rows"""

import torch
import torch.nn as nn

TASK = "laplacian"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, a):
        root = a.sum(0).rsqrt_()
        return torch.einsum("i,ij,j->ij", root, a, root)
