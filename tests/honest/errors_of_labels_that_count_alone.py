"""algebra: errors are looked up for labels that count alone, and none of them is no error."""

import torch.nn as nn

TASK = "errors_of_labels_that_count"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, errors, labels):
        places = (labels != -100).nonzero()[:, 0]
        return errors[places, labels[places]].sum() / max(len(places), 1)
