"""less work: what hangs on nothing that is not made yet is made at once."""

import torch
import torch.nn as nn

TASK = "parts_put_together"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, ready, pairs, took):
        count, depth, levels = len(ready), [0] * len(ready), {}
        for number, (one, two) in enumerate(pairs.tolist()):
            depth.append(max(depth[one], depth[two]) + 1)
            levels.setdefault(depth[-1], []).append(number)
        done = torch.cat([ready, torch.empty_like(took)])
        for _, numbers in sorted(levels.items()):
            these = torch.tensor(numbers)
            done[count + these] = done[pairs[these]].amax(1) + took[these]
        return done[count:].clone()
