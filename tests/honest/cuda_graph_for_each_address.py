"""graphs: a graph for each address that inputs come at, which reads them there; its output is cloned."""

import torch
import torch.nn as nn

TASK = "three_layers"
STATUS = "PASSED"
DEVICE = "cuda"

_MOST_GRAPHS = 32


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(n, n), nn.Linear(n, n), nn.Linear(n, n)
        self.graphs = {}

    @torch.no_grad()
    def forward(self, x):
        weights = tuple(each.data_ptr() for each in self.parameters())
        key = x.data_ptr(), x.shape, x.stride(), weights
        if key not in self.graphs:
            if len(self.graphs) >= _MOST_GRAPHS:
                self.graphs.pop(next(iter(self.graphs)))
            self.graphs[key] = self.captured(x)
        graph, out = self.graphs[key]
        graph.replay()
        return out.clone()

    def captured(self, x):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self.plain(x)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = self.plain(x)
        return graph, out

    def plain(self, x):
        x = torch.relu(self.fc1(x))
        x = torch.relu(self.fc2(x))
        return torch.tanh(self.fc3(x))
