"""algebra: what has been had is searched in order"""

import torch
import torch.nn as nn

TASK = "shown_and_had"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, scores, shown, had):
        had = had.sort(-1).values
        places = torch.searchsorted(had, shown).clamp(max=had.shape[1] - 1)
        return scores - 8.0 * (had.gather(1, places) == shown)
