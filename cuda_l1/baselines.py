"""What a user would try before asking us: eager, three modes of torch.compile, a CUDA graph, and two settings.

A Task goes in; out come Candidates, each the task's own source followed by a `ModelNew(Model)`, and the reason for
each that is left out. Names in the state_dict stay those of `Model`; weights are read at every call, so they may be
loaded or changed in place at any time. Rows backed by a CUDA graph clone their outputs, as an honest user must: the
next replay overwrites them. The judge sets the precision, the same for all.

Not covered: combinations of these (channels_last under torch.compile), and whether a row runs at all on this task: the
judge finds out, and reports it as missing with its reason.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from cuda_l1.errors import ConfigError, nearest
from cuda_l1.types import Candidate, Task

NAMES = (
    "eager",
    "compile",
    "compile_reduce_overhead",
    "compile_max_autotune",
    "graph",
    "cudnn_benchmark",
    "channels_last",
)

_EAGER = '''
class ModelNew(Model):
    """The task's own module, as it is."""
'''

_COMPILE = '''
import torch


class ModelNew(Model):
    """torch.compile in mode {mode!r}. It compiles at the first call."""

    forward = torch.compile(Model.forward, mode={mode!r}, dynamic=False)
'''

_FRESH = '''
import torch
from torch.utils._pytree import tree_map_only


def _fresh(value):
    """A copy of what a CUDA graph returned: its next replay overwrites the original."""
    return value.clone() if isinstance(value, torch.Tensor) else tree_map_only(torch.Tensor, torch.clone, value)
'''

_COMPILE_GRAPHED = (
    _FRESH
    + '''

_compiled = torch.compile(Model.forward, mode={mode!r}, dynamic=False)


class ModelNew(Model):
    """torch.compile in mode {mode!r}, which replays CUDA graphs. It compiles at the first call."""

    def forward(self, *args, **kwargs):
        torch.compiler.cudagraph_mark_step_begin()
        return _fresh(_compiled(self, *args, **kwargs))
'''
)

_GRAPH = (
    _FRESH
    + '''

class ModelNew(Model):
    """The forward as a CUDA graph, one for each set of shapes and dtypes; no gradients.

    Weights may change in place; `to()`, `half()` and the like drop the graphs. A parameter replaced by another tensor
    is not seen.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._graphs = {}

    def _apply(self, *args, **kwargs):
        self._graphs = {}
        return super()._apply(*args, **kwargs)

    @torch.no_grad()
    def forward(self, *args):
        key = (self.training, *[(a.shape, a.dtype) if isinstance(a, torch.Tensor) else a for a in args])
        if key not in self._graphs:
            self._graphs[key] = self._capture(args)
        graph, inputs, outputs = self._graphs[key]
        for own, given in zip(inputs, args):
            if isinstance(own, torch.Tensor):
                own.copy_(given)
        graph.replay()
        return _fresh(outputs)

    def _capture(self, args):
        inputs = [a.clone() if isinstance(a, torch.Tensor) else a for a in args]
        buffers = [buffer.clone() for buffer in self.buffers()]
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):  # libraries choose algorithms and allocate workspaces, which a capture does not allow
                super().forward(*inputs)
        torch.cuda.current_stream().wait_stream(stream)
        for buffer, before in zip(self.buffers(), buffers):  # in train mode the warm-up moved running statistics
            buffer.copy_(before)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            outputs = super().forward(*inputs)
        return graph, inputs, outputs
'''
)

_CUDNN_BENCHMARK = '''
import torch

torch.backends.cudnn.benchmark = True


class ModelNew(Model):
    """cuDNN times its algorithms at each new shape and keeps the fastest. The setting is the whole process's."""
'''

_CHANNELS_LAST = '''
import torch

_FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}


def _last(value):
    """The same values with channels innermost, if they are an image or a volume."""
    if isinstance(value, torch.Tensor) and value.dim() in _FORMATS:
        return value.contiguous(memory_format=_FORMATS[value.dim()])
    return value


class ModelNew(Model):
    """Weights, buffers and inputs of four and five dimensions in channels_last."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for tensor in [*self.parameters(), *self.buffers()]:
            tensor.data = _last(tensor.data)

    def forward(self, *args, **kwargs):
        return super().forward(*map(_last, args), **kwargs)
'''

_MODES = {
    "compile": "default",
    "compile_reduce_overhead": "reduce-overhead",
    "compile_max_autotune": "max-autotune",
}
_OTHERS = {
    "eager": _EAGER,
    "graph": _GRAPH,
    "cudnn_benchmark": _CUDNN_BENCHMARK,
    "channels_last": _CHANNELS_LAST,
}


def parse_names(text: str) -> tuple[str, ...]:
    """Names separated by commas, or `all`, or `none`, in the order given. ConfigError for an unknown one."""
    if text.strip() in ("all", "none"):
        return NAMES if text.strip() == "all" else ()
    return _known([name.strip() for name in text.split(",")])


def build(task: Task, names: Sequence[str], device: str) -> tuple[list[Candidate], dict[str, str]]:
    """The baselines named that can run on `device` (cpu, cuda, cuda:N), and for each of the others the reason."""
    is_cuda = device.startswith("cuda")
    candidates: list[Candidate] = []
    missing: dict[str, str] = {}
    for name in _known(names):
        reason = _obstacle(task, name, is_cuda)
        if reason is None:
            code = f"{task.source.rstrip()}\n\n{_addition(name, is_cuda)}"
            candidates.append(Candidate(task_id=task.id, code=code, origin="baseline", author=name))
        else:
            missing[name] = reason
    return candidates, missing


def _known(names: Sequence[str]) -> tuple[str, ...]:
    for name in names:
        if name not in NAMES:
            hint = nearest(name.replace("-", "_"), NAMES, cutoff=0.5) or "."
            raise ConfigError(f"unknown baseline {name!r}{hint} Known: {', '.join(NAMES)}; or all, or none")
    return tuple(dict.fromkeys(names))


def _addition(name: str, is_cuda: bool) -> str:
    """What follows the task's source."""
    if name not in _MODES:
        return _OTHERS[name]
    graphed = is_cuda and name != "compile"
    return (_COMPILE_GRAPHED if graphed else _COMPILE).format(mode=_MODES[name])


def _obstacle(task: Task, name: str, is_cuda: bool) -> str | None:
    """Why a baseline cannot run, or cannot differ from another; None if it can."""
    if name in ("graph", "cudnn_benchmark") and not is_cuda:
        return "needs a CUDA device; the device is cpu"
    if name in ("cudnn_benchmark", "channels_last") and not _may_convolve(task.source):
        return "the source has no convolution, which is what it is for"
    if name == "compile_reduce_overhead" and not is_cuda:
        # Compared by the generated code of torch 2.13: equal but for assertions on the inputs' strides.
        return "on a CPU it is the same as compile: the mode only adds CUDA graphs"
    if name in _MODES:
        return _no_triton() if is_cuda else _no_cpp()
    return None


def _may_convolve(source: str) -> bool:
    """Whether the source names a convolution, or imports from packages in which one may hide."""
    for node in ast.walk(ast.parse(source)):
        word = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if "conv" in word.lower():
            return True
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = ["." * node.level + (node.module or "")]
        if any(module.partition(".")[0] not in {"torch", *sys.stdlib_module_names} for module in modules):
            return True
    return False


def _no_cpp() -> str | None:
    """What torch.compile lacks on a CPU: it writes C++ and builds it with CXX, else g++ (clang++ on macOS)."""
    compiler = os.environ.get("CXX", "clang++" if sys.platform == "darwin" else "g++")
    if shutil.which(compiler) is None:
        return f"torch.compile needs a C++ compiler, and {compiler} is not found: install it, or set CXX"
    return _no_headers()


def _no_triton() -> str | None:
    """What torch.compile lacks on CUDA: it writes Triton, and Triton builds its launcher in C."""
    if importlib.util.find_spec("triton") is None:
        return "torch.compile needs Triton on CUDA: pip install 'cuda-l1[gpu]'"
    compilers = [os.environ["CC"]] if "CC" in os.environ else ["gcc", "clang", "cc"]
    if not any(map(shutil.which, compilers)):
        return f"Triton needs a C compiler, and {' or '.join(compilers)} is not found: install it, or set CC"
    return _no_headers()


def _no_headers() -> str | None:
    folder = sysconfig.get_path("include")
    if (Path(folder) / "Python.h").exists():
        return None
    return f"torch.compile needs Python's headers, and {folder}/Python.h is not found: install python3-dev"
