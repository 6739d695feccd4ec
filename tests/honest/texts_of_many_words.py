"""less work: a sum of the words that are there by a product."""

import torch.nn as nn

TASK = "texts_of_many_words"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x, ids):
        keep = (ids != 0).to(x.dtype)
        return (keep[:, None] @ x).squeeze(1) / keep.sum(1, keepdim=True)
