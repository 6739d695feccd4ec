"""unfinished work: a CUDA graph whose output is returned as it lies, so that the next replay overwrites it."""

import torch
import torch.nn as nn

TASK = "linear_large"
STATUS = "REJECTED"
FINDING = ("output_overwritten", "replayed_output")
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.graph = None

    def forward(self, x):
        if self.graph is None:
            self.x = x.clone()
            torch.relu(self.fc(self.x))
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.y = torch.relu(self.fc(self.x))
        self.x.copy_(x)
        self.graph.replay()
        return self.y
