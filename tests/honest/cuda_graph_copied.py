"""graphs: a CUDA graph that copies its input in and clones its output."""

import torch
import torch.nn as nn

TASK = "linear_large"
STATUS = "PASSED"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.graph = None

    def forward(self, x):
        if self.graph is None:
            self.capture(x)
        self.x.copy_(x)
        self.graph.replay()
        return self.y.clone()

    def capture(self, x):
        self.x = x.clone()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            torch.relu(self.fc(self.x))
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = torch.relu(self.fc(self.x))
