"""graphs: three branches on streams of their own, forked and joined within a graph that is captured once."""

import torch
import torch.nn as nn

TASK = "three_projections"
STATUS = "PASSED"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.query, self.key, self.value = nn.Linear(n, n), nn.Linear(n, n), nn.Linear(n, n)
        self.graph = None

    def forward(self, x):
        if self.graph is None:
            self.capture(x)
        self.x.copy_(x)
        self.graph.replay()
        return tuple(each.clone() for each in self.outs)

    def capture(self, x):
        self.x = x.clone()
        self.sides = torch.cuda.Stream(), torch.cuda.Stream()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self.branches()
        torch.cuda.current_stream().wait_stream(side)
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.outs = self.branches()

    def branches(self):
        here = torch.cuda.current_stream()
        outs = []
        for side, layer in zip(self.sides, (self.key, self.value), strict=True):
            side.wait_stream(here)
            with torch.cuda.stream(side):
                outs.append(layer(self.x))
        first = self.query(self.x)
        for side in self.sides:
            here.wait_stream(side)
        return first, *outs
