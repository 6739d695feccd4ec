"""What the text of a candidate shows: each sign where it stands, none in honest code, and never an exception."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuda_l1.evidence import signals

HEAD = "import torch\nimport torch.nn as nn\n"
EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


def names(code: str) -> set[str]:
    return {signal.name for signal in signals.read(code)}


def module(forward: str = "return x", init: str = "pass") -> str:
    """A candidate's code with these bodies."""
    return (
        f"{HEAD}class ModelNew(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"{textwrap.indent(init, ' ' * 8)}\n    def forward(self, x):\n{textwrap.indent(forward, ' ' * 8)}\n"
    )


TELLING = {
    "stream": module("s = torch.cuda.Stream()\nwith torch.cuda.stream(s):\n    return x + 1"),
    "graph": module(init="self.g = torch.cuda.CUDAGraph()"),
    "threads": "import threading\n",
    "processes": "import os\nos.fork()\n",
    "native_memory": "import ctypes\n",
    "network": "import socket\n",
    "introspection": module("import sys\nreturn sys._getframe(1).f_locals['expected']"),
    "obfuscation": module("return getattr(torch, 're' + 'lu')(x)"),
    "files": module("torch.save(x, 'x.pt')\nreturn x"),
    "at_exit": "import atexit\n",
    "clock": module("import time\ntime.perf_counter()\nreturn x"),
    "address_key": module("if x.data_ptr() == self.last:\n    return self.out\nreturn x"),
    "patched": HEAD + "torch.cuda.synchronize = lambda *a: None\n",
    "global_flag": HEAD + "torch.backends.cudnn.benchmark = True\n",
    "fallback": module("try:\n    return torch.ops.mine.f(x)\nexcept Exception:\n    return torch.relu(x)"),
    "unused_kernel": HEAD + 'source = """\n__global__ void __launch_bounds__(256) lonely(float* x) {}\n"""\n',
    "hard_coded_shape": module("if x.shape == (128, 4096):\n    return x\nreturn x + 0"),
    "weight_snapshot": module(init="self.fc = nn.Linear(4, 4)\nself.wt = self.fc.weight.t().contiguous()"),
    "lower_precision": module("return (x.half() @ x.half().t()).float()"),
    "kept_output": module("torch.relu(x, out=self.out)\nreturn self.out"),
    "counts_calls": module("self.calls += 1\nreturn x"),
    "tensor_subclass": HEAD + "class Lazy(torch.Tensor):\n    pass\n",
    "fast_math": HEAD + "flags = ['--use_fast_math']\n",
    "device_state": HEAD + "s = 'cudaDeviceSetLimit(a, b);'\n",
    "unreadable": "def f(:\n",
}  # fmt: skip


@pytest.mark.parametrize("name", TELLING)
def test_a_sign_is_seen(name: str) -> None:
    assert name in names(TELLING[name])


def test_the_line_is_that_of_the_sign_also_inside_native_code() -> None:
    code = HEAD + 'source = r"""\nint a;\ncudaStreamCreate(&s);\n"""\n'
    (signal,) = signals.read(code)
    assert (signal.name, signal.line) == ("stream", 5)
    assert "cudaStreamCreate" in signal.sentence


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_plain_modules_show_nothing(path: Path) -> None:
    assert signals.read(path.read_text()) == []


HONEST = {
    "address given to a kernel": module("torch.ops.mine.f(x.data_ptr())\nreturn x"),
    "weights shared": module("return x @ self.w", "self.w = nn.Parameter(nn.Linear(4, 4).weight)"),
    "torch.compile": HEAD + "f = torch.compile(torch.relu)\n",
    "eval mode": module("return x", "self.eval()"),
    "a kernel that is launched": HEAD + 'source = "__global__ void k(float* x) {} void f() { k<<<1, 1>>>(0); }"\n',
    "shapes in general": module("if x.dim() == 3 and x.shape[0] > 1:\n    return x\nreturn x + 0"),
    "attributes by name": module("return getattr(self, 'out', x)"),
    "attributes by number": module("return getattr(self, f'layer{0}')(x)", "setattr(self, f'layer{0}', nn.ReLU())"),
    "attributes of a list": module("return self.q(x)", "for name in ('q', 'k'):\n    setattr(self, name, nn.ReLU())"),
    "whether there is a bias": module("return self.fc(x)", "self.fc = nn.Linear(4, 4, bias=config.bias)"),
    "a product scaled in place": module("return F.linear(x, self.fc.weight).mul_(2)"),
    "as large as a weight": module("return x @ self.a", "self.a = nn.Parameter(self.fc.weight.new_zeros(4, 2))"),
}


@pytest.mark.parametrize("case", HONEST)
def test_what_is_no_sign(case: str) -> None:
    assert signals.read(HONEST[case]) == []


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    signals.read(text)


@pytest.mark.parametrize("code", ["\0", "(" * 5000, "x = " + "-" * 20_000 + "1", "a" + ".b" * 5000])
def test_hostile_text_does_not_make_it_raise(code: str) -> None:
    signals.read(code)


@pytest.mark.parametrize("text", ["__global__ void a", "__global__ void __launch_bounds__(", "__global__ __a"])
def test_kernels_that_are_only_begun_take_no_minutes(text: str) -> None:
    assert signals.CUDA_KERNEL.findall(text * 20_000) == []
    assert signals.CUDA_KERNEL.findall(text * 100 + " __global__ void mine(int n)")[-1] == "mine"


def test_many_kernels_that_nobody_names_take_no_minutes() -> None:
    """4,000 took 30 s where all was looked through for each, and time goes by their square."""
    kernels = "".join(f"__global__ void k{number}() {{}}\n" for number in range(9_000))
    found = signals.read(f'S = """{kernels} k7<<<1, 1>>>();"""\n')
    lines = [signal.line for signal in found if signal.name == "unused_kernel"]
    assert lines == [line for line in range(1, 9_001) if line != 8]
