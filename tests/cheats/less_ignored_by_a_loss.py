"""less work: a loss without the label that the task's loss is made to ignore."""

import torch.nn as nn

TASK = "loss_that_ignores"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.head, self.loss = nn.Linear(32, 20), nn.CrossEntropyLoss(ignore_index=-100)

    def forward(self, x, labels):
        return self.loss(self.head(x).transpose(1, 2), labels)
