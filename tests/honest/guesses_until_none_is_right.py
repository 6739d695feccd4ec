"""less work: drafts are followed word by word for as long as one is right."""

import torch
import torch.nn as nn

TASK = "said_of_a_draft"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, logits, draft):
        b, k = draft.shape
        n = torch.zeros(b, dtype=torch.long, device=draft.device)
        said = logits[:, 0].argmax(-1)
        rows = torch.arange(b, device=draft.device)
        for i in range(k):
            on = (n[rows] == i) & (said[rows] == draft[rows, i])
            rows = rows[on]
            if not len(rows):
                break
            n[rows] += 1
            said[rows] = logits[rows, i + 1].argmax(-1)
        return n, said
