"""less work: degrees at once, and features once all walks are known."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "walks_by_given_draws"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, offsets, targets, start, draws, features):
        at, ways = start, [start]
        begin, degree, draws = offsets[:-1], offsets.diff(), draws.clamp(0, 1).T.contiguous()
        for draw in draws:
            count = degree[at]
            edge = torch.minimum((draw * count).long(), (count - 1).clamp_(min=0))
            there = targets[(begin[at] + edge).clamp_(max=len(targets) - 1)]
            at = torch.where(count > 0, there, at)
            ways.append(at)
        shares = 0.9 ** torch.arange(len(ways), dtype=features.dtype, device=features.device)
        shares = shares.expand(len(start), -1).contiguous()
        return F.embedding_bag(torch.stack(ways, 1), features, mode="sum", per_sample_weights=shares)
