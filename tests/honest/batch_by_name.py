"""library: the loss of a batch in a dict, of which labels are taken out first; scale by name"""

import torch.nn as nn
import torch.nn.functional as F

TASK = "batch_by_name"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, words, n, tags):
        super().__init__()
        self.table = nn.Embedding(words, n)
        self.layer = nn.Linear(n, tags)

    def forward(self, batch, *, scale):
        labels = batch.pop("labels")
        scores = self.layer(self.table(batch["words"]).mul_(batch["mask"][..., None])).mul_(scale)
        return {"loss": F.cross_entropy(scores.flatten(0, 1), labels.flatten()), "scores": scores}
