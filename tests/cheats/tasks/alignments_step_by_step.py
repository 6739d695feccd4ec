"""Losses of alignments (CTC), step by step, of texts that may have no words; none is drawn so."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, blank, zero_infinity):
        super().__init__()
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(self, logits, targets, input_lengths, target_lengths):
        steps, batch, _ = logits.shape
        logp = logits.log_softmax(-1)
        n = targets.shape[1]
        extended = torch.full((batch, 2 * n + 1), self.blank, dtype=torch.long, device=logits.device)
        extended[:, 1::2] = targets
        neg = -1e30
        can_skip = torch.zeros_like(extended, dtype=torch.bool)
        can_skip[:, 2:] = (extended[:, 2:] != self.blank) & (extended[:, 2:] != extended[:, :-2])
        rows = torch.arange(batch, device=logits.device)
        alpha = torch.full((batch, 2 * n + 1), neg, device=logits.device)
        alpha[:, 0] = logp[0, rows, self.blank]
        alpha[:, 1] = torch.where(target_lengths > 0, logp[0, rows, extended[:, 1]], torch.full_like(alpha[:, 1], neg))
        for t in range(1, steps):
            one = torch.cat([torch.full_like(alpha[:, :1], neg), alpha[:, :-1]], 1)
            two = torch.cat([torch.full_like(alpha[:, :2], neg), alpha[:, :-2]], 1)
            two = torch.where(can_skip, two, torch.full_like(two, neg))
            new = torch.logsumexp(torch.stack([alpha, one, two]), 0) + logp[t].gather(1, extended)
            alpha = torch.where((t < input_lengths)[:, None], new, alpha)
        last = alpha[rows, 2 * target_lengths]
        before = alpha[rows, (2 * target_lengths - 1).clamp(min=0)]
        before = torch.where(target_lengths > 0, before, torch.full_like(before, neg))
        loss = -torch.logaddexp(last, before)
        if self.zero_infinity:
            loss = torch.where(loss > 1e29, torch.zeros_like(loss), loss)
        return (loss / target_lengths.clamp(min=1)).mean(), loss


def get_inputs():
    return [
        torch.randn(40, 8, 20),
        torch.randint(1, 20, (8, 10)),
        torch.randint(25, 41, (8,)),
        torch.randint(3, 11, (8,)),
    ]


def get_init_inputs():
    return [0, True]
