"""words: comments and names with Stream, cache, time.sleep, torch.allclose, try and except in them."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        # A Stream of inputs; no cache, no time.sleep(1), no torch.cuda.Event.elapsed_time, no os._exit, no while True:
        cached_result = self.fc(x)  # torch.allclose(expected, cached_result) would hold, except for rounding
        self.data_ptr_cache = {}
        return torch.relu(cached_result)
