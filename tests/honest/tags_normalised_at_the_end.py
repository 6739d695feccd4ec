"""algebra: what each step's beliefs are divided by cancels, so that they are normalised once; step by step only their
largest is taken off."""

import torch.nn as nn

TASK = "tags_by_scores_of_each_step"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, start, scores):
        belief = start
        for t in range(scores.shape[1]):
            belief = ((belief - belief.amax(-1, keepdim=True))[:, :, None] + scores[:, t]).logsumexp(1)
        return belief.log_softmax(-1)
