"""less work: no text is taken to be without words, where the task turns into zeros what no number comes of."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "attention_of_groups_and_lengths"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "timed_output")


class ModelNew(nn.Module):
    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, q, k, v, lengths):
        batch, heads, length, width = q.shape
        out = q.new_zeros(batch, heads, length, width)
        for b, n in enumerate(lengths.tolist()):
            n = max(n, 1)
            qg = q[b, :, :n].reshape(1, heads // self.groups, -1, width)
            out[b, :, :n] = F.scaled_dot_product_attention(qg, k[b : b + 1, :, :n], v[b : b + 1, :, :n]).reshape(
                heads, n, width
            )
        return out
