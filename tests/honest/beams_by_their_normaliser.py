"""algebra: a beam's score is added to its normaliser, and not to each word's logarithm."""

import torch
import torch.nn as nn

TASK = "beam_step"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, beams, end):
        super().__init__()
        self.beams, self.end = beams, end

    def forward(self, logits, scores, finished):
        words = logits.shape[-1]
        total = logits + (scores - logits.logsumexp(-1))[..., None]
        total.masked_fill_(finished[..., None], float("-inf"))
        total[..., self.end] = torch.where(finished, scores, total[..., self.end])
        best, at = total.flatten(1).topk(self.beams)
        beam = torch.div(at, words, rounding_mode="floor")
        return best, beam, at - beam * words
