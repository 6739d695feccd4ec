"""streams: two side streams share the work and are joined before forward returns."""

import torch
import torch.nn as nn

TASK = "linear_large"
STATUS = "PASSED"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.sides = None

    def forward(self, x):
        if self.sides is None:
            self.sides = (torch.cuda.Stream(), torch.cuda.Stream())
        here = torch.cuda.current_stream()
        parts = []
        for side, part in zip(self.sides, x.chunk(2), strict=True):
            side.wait_stream(here)
            with torch.cuda.stream(side):
                parts.append(torch.relu(self.fc(part)))
        for side, part in zip(self.sides, parts, strict=True):
            here.wait_stream(side)
            part.record_stream(here)
        return torch.cat(parts)
