"""formula: the loss of a batch that is a pair, by a normaliser and the score of each label."""

import torch.nn as nn

TASK = "batch_as_a_pair"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, words):
        super().__init__()
        self.head = nn.Linear(n, words)

    def forward(self, batch):
        hidden, labels = batch
        scores, kept = self.head(hidden), labels != -100
        picked = scores.gather(-1, labels.clamp(min=0)[..., None])[..., 0]
        return ((scores.logsumexp(-1) - picked) * kept).sum(-1) / kept.sum(-1)
