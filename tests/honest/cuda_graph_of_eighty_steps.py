"""graphs: eighty small steps in a CUDA graph of half a millisecond, its input copied in and its output cloned."""

import torch
import torch.nn as nn

TASK = "steps_of_a_phase"
STATUS = "PASSED"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.steps = steps
        self.graph = None

    def plain(self, x):
        x = torch.tanh(x)
        y = x
        for _ in range(self.steps):
            y = y + 0.04 * torch.sin(x + y)
        return y

    def capture(self, x):
        self.x = x.clone()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self.plain(self.x)
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.plain(self.x)

    def forward(self, x):
        if self.graph is None:
            self.capture(x)
        self.x.copy_(x)
        self.graph.replay()
        return self.y.clone()
