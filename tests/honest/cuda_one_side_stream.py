"""streams: everything on a stream of its own, handed over by wait_stream."""

import torch
import torch.nn as nn

TASK = "linear_large"
STATUS = "PASSED"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.side = None

    def forward(self, x):
        if self.side is None:
            self.side = torch.cuda.Stream()

        self.side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.side):
            y = torch.relu(self.fc(x))
        torch.cuda.current_stream().wait_stream(self.side)
        y.record_stream(torch.cuda.current_stream())
        return y
