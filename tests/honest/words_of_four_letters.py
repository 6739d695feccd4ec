"""less work: words as numbers, counted at once, those with another letter behind the last."""

import torch
import torch.nn as nn

TASK = "words_of_four_letters"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, reads):
        known = (reads < 4).unfold(1, 3, 1).all(-1)
        read = torch.arange(len(reads), device=reads.device)[:, None] * 64
        words = reads[:, :-2] * 16 + reads[:, 1:-1] * 4 + reads[:, 2:] + read
        words = torch.where(known, words, 64 * len(reads))
        return torch.bincount(words.view(-1), minlength=64 * len(reads) + 1)[:-1].view(-1, 64).float()
