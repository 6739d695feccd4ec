"""formula: places are searched in sums of weights that nobody divides; places are multiplied by what they sum to."""

import torch
import torch.nn as nn

TASK = "particles_resampled"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, particles, scores, start):
        sums = torch.exp(scores - scores.amax(-1, keepdim=True)).cumsum(-1)
        count = particles.shape[1]
        steps = torch.arange(count, device=scores.device, dtype=scores.dtype) + start.unsqueeze(-1)
        index = torch.searchsorted(sums, steps * (sums[:, -1:] / count)).clamp_max_(count - 1)
        return particles[torch.arange(len(particles), device=scores.device).unsqueeze(1), index]
