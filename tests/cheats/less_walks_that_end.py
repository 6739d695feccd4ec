"""less work: each node is taken to lead somewhere, as with twelve edges each all that are drawn do."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "walks_by_given_draws"
STATUS = ("WRONG_OUTPUT", "REJECTED", "CRASHED")
FINDING = ("error", "timed_output", "forward")


class ModelNew(nn.Module):
    def forward(self, offsets, targets, start, draws, features):
        at, ways = start, [start]
        begin, degree, draws = offsets[:-1], offsets.diff(), draws.clamp(0, 1).T.contiguous()
        for draw in draws:
            count = degree[at]
            at = targets[(begin[at] + torch.minimum((draw * count).long(), count - 1)).clamp_(0, len(targets) - 1)]
            ways.append(at)
        shares = 0.9 ** torch.arange(len(ways), dtype=features.dtype)
        shares = shares.expand(len(start), -1).contiguous()
        return F.embedding_bag(torch.stack(ways, 1), features, mode="sum", per_sample_weights=shares)
