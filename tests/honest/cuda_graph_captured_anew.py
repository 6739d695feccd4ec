"""graphs: batch norm folded into a convolution within a graph's weights; both are made anew when a version moves."""

import torch
import torch.nn as nn

TASK = "convnorm"
STATUS = "PASSED"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.conv = nn.Conv2d(n_in, n_out, 3, padding=1)
        self.bn = nn.BatchNorm2d(n_out)
        self.mark = self.graph = None

    @torch.no_grad()
    def forward(self, x):
        sources = (*self.parameters(), *self.buffers())
        mark = [tuple(x.shape), *((each.data_ptr(), each._version) for each in sources)]
        if mark != self.mark:
            self.capture(x)
            self.mark = mark
        self.x.copy_(x)
        self.graph.replay()
        return self.y.clone()

    def capture(self, x):
        bn = self.bn
        scale = bn.weight * torch.rsqrt(bn.running_var + bn.eps)
        self.weight = self.conv.weight * scale[:, None, None, None]
        self.bias = (self.conv.bias - bn.running_mean) * scale + bn.bias
        self.x, self.graph, self.y = x.clone(), None, None
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self.folded()
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.folded()

    def folded(self):
        return torch.relu_(nn.functional.conv2d(self.x, self.weight, self.bias, padding=1)).mean(dim=(2, 3))
