"""library: all steps of all alignments at once, of texts without words too"""

import torch.nn as nn

TASK = "alignments_step_by_step"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, blank, zero_infinity):
        super().__init__()
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(self, logits, targets, input_lengths, target_lengths):
        loss = nn.functional.ctc_loss(
            logits.log_softmax(-1),
            targets,
            input_lengths,
            target_lengths,
            blank=self.blank,
            reduction="none",
            zero_infinity=self.zero_infinity,
        )
        return (loss / target_lengths.clamp(min=1)).mean(), loss
