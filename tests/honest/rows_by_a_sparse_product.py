"""library: rows of a sparse matrix by the library's product."""

import torch
import torch.nn as nn

TASK = "means_along_rows"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, values, col, crow, x):
        n = crow.numel() - 1
        m = torch.sparse_csr_tensor(crow, col, values, (n, x.shape[0]))
        return (m @ x) / crow.diff().clamp_(min=1)[:, None]
