"""Tasks for A/A runs: calls from a few microseconds to tens of milliseconds, on a GPU and on a CPU.

Each is a source in KernelBench's format with sizes for either device. The candidate of an A/A run is the same source
with its class renamed, so every verdict but SAME and AMBIGUOUS is false.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from cuda_l1.types import Candidate, Task

_SOURCE = """import torch
import torch.nn as nn
import torch.nn.functional as F

{sizes}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
{init}

    def forward(self, {arguments}):
{forward}


def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return []
"""


class Shape(NamedTuple):
    """One task before its sizes are filled in. `cuda` and `cpu` are assignments; None: too small for that device."""

    name: str
    cuda: str | None
    cpu: str | None
    forward: str
    inputs: str = "torch.randn(N, M)"
    init: str = "pass"
    arguments: str = "x"

    def source(self, sizes: str) -> str:
        """KernelBench's format."""
        return _SOURCE.format(
            sizes=sizes.replace("; ", "\n"),
            init=_indented(self.init),
            forward=_indented(self.forward),
            arguments=self.arguments,
            inputs=self.inputs,
        )


def _indented(text: str) -> str:
    return "\n".join("        " + line for line in text.splitlines())


_RECURRENCE = """h = torch.zeros(x.shape[1], M, device=x.device)
for step in range(x.shape[0]):
    h = torch.tanh(x[step] + h @ self.weight)
return h"""

SHAPES = (
    Shape("view", "N, M = 256, 256", None, "return x.t()"),
    Shape("scale, small", "N, M = 64, 64", "N, M = 64, 64", "return x * 1.5"),
    Shape("add, 4 MB", "N, M = 1024, 1024", "N, M = 256, 1024", "return x + y",
          "torch.randn(N, M), torch.randn(N, M)", arguments="x, y"),
    Shape("gelu, large", "N, M = 8192, 4096", "N, M = 512, 1024", "return F.gelu(x)"),
    Shape("layer norm", "N, M = 4096, 1024", "N, M = 256, 512", "return self.norm(x)",
          init="self.norm = nn.LayerNorm(M)"),
    Shape("softmax", "N, M = 4096, 4096", "N, M = 256, 1024", "return torch.softmax(x, dim=1)"),
    Shape("row sums", "N, M = 8192, 8192", "N, M = 1024, 1024", "return x.sum(dim=1)"),
    Shape("variance of columns", "N, M = 4096, 2048", "N, M = 512, 512", "return x.var(dim=0)"),
    Shape("matmul, small", "N, M = 512, 512", "N, M = 128, 128", "return x @ self.weight",
          init="self.weight = nn.Parameter(torch.randn(M, M) / M**0.5)"),
    Shape("matmul, middle", "N, M = 1024, 1024", "N, M = 256, 256", "return x @ self.weight",
          init="self.weight = nn.Parameter(torch.randn(M, M) / M**0.5)"),
    Shape("matmul, large", "N, M = 4096, 4096", "N, M = 768, 768", "return x @ self.weight",
          init="self.weight = nn.Parameter(torch.randn(M, M) / M**0.5)"),
    Shape("two matmuls, very large", "N, M = 8192, 8192", None, "return (x @ self.weight) @ self.weight",
          init="self.weight = nn.Parameter(torch.randn(M, M) / M**0.5)"),
    Shape("conv", "N, M = 64, 56", "N, M = 4, 28", "return self.conv(x)", "torch.randn(N, 64, M, M)",
          "self.conv = nn.Conv2d(64, 64, 3, padding=1)"),
    Shape("mlp, small", "N, M = 128, 512", "N, M = 32, 128", "return self.layers(x)",
          init="self.layers = nn.Sequential(nn.Linear(M, M), nn.ReLU(), nn.Linear(M, M), nn.ReLU(), nn.Linear(M, 16))"),
    Shape("loop of launches", "T, N, M = 64, 32, 128", "T, N, M = 32, 8, 64", _RECURRENCE, "torch.randn(T, N, M)",
          "self.weight = nn.Parameter(torch.randn(M, M) / M**0.5)"),
    Shape("lstm", "T, N, M = 64, 32, 256", "T, N, M = 16, 4, 64", "return self.lstm(x)[0]", "torch.randn(T, N, M)",
          "self.lstm = nn.LSTM(M, M, num_layers=2)"),
    Shape("attention", "N, M = 1024, 64", "N, M = 128, 32", "return F.scaled_dot_product_attention(x, y, y)",
          "torch.randn(4, 16, N, M), torch.randn(4, 16, N, M)", arguments="x, y"),
    Shape("chain, memory-bound", "N, M = 8192, 4096", "N, M = 512, 512",
          "for step in range(8):\n    x = torch.relu(x * 0.9 + 0.1) - 0.05\nreturn x"),
    Shape("matmul, 50 ms", None, "N, M = 2048, 1536", "return x @ self.weight",
          init="self.weight = nn.Parameter(torch.randn(M, M) / M**0.5)"),
)  # fmt: skip


def tasks(device: str) -> list[Task]:
    """Every task that exists for the device."""
    made = []
    for shape in SHAPES:
        sizes = shape.cuda if device.startswith("cuda") else shape.cpu
        if sizes is not None:
            made.append(Task(id=f"aa/{shape.name}", name=shape.name, source=shape.source(sizes)))
    return made


def itself(task: Task, number: int) -> Candidate:
    """The task's own code as a candidate. The number makes it another candidate of the same code."""
    code = re.sub(r"\bModel\b", "ModelNew", task.source) + f"\n# number {number}\n"
    return Candidate(task_id=task.id, code=code, origin="builtin", author=f"itself {number}")
