"""replay: a CUDA graph reads the address of the input that it was captured with."""

import torch
import torch.nn as nn

TASK = "linear_large"
STATUS = ("REJECTED", "WRONG_OUTPUT")
FINDING = ("replayed_output", "error", "timed_output")
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.graph = None

    def forward(self, x):
        if self.graph is None:
            self.captured = x
            torch.relu(self.fc(x))
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.y = torch.relu(self.fc(x))
        self.graph.replay()
        return self.y.clone()
