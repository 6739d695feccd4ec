"""streams: all work on a stream of high priority, by events, where inputs are said to be in use too."""

import torch
import torch.nn as nn

TASK = "linear_large"
STATUS = "PASSED"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.side = self.begun = self.ended = None

    def forward(self, x):
        if self.side is None:
            self.side = torch.cuda.Stream(priority=-1)
            self.begun, self.ended = torch.cuda.Event(), torch.cuda.Event()
        here = torch.cuda.current_stream()
        self.begun.record(here)
        with torch.cuda.stream(self.side):
            self.side.wait_event(self.begun)
            y = torch.relu(self.fc(x))
            self.ended.record(self.side)
        x.record_stream(self.side)
        here.wait_event(self.ended)
        y.record_stream(here)
        return y
