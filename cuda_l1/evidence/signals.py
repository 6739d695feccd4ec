"""What a candidate's text shows before it runs: signs that explain a result and say where to look first. Pure, by ast.

A signal is no finding: honest code owns streams, caches and fallbacks. `read` never raises: text that does not parse is
a signal of its own.

NOT covered: what is built out of strings at run time (`obfuscation` says that there is such a thing), and CUDA beyond
patterns in string constants.
"""

from __future__ import annotations

import ast
import collections
import re
from collections.abc import Iterator
from typing import NamedTuple

from cuda_l1 import syntax
from cuda_l1.evidence import naming


class Signal(NamedTuple):
    """One sign: its name, the line in the candidate's code, a sentence."""

    name: str
    line: int
    sentence: str


_MODULES = {
    "threads": "threading _thread concurrent multiprocessing asyncio queue",
    "processes": "subprocess pty signal",
    "native_memory": "ctypes mmap cffi",
    "network": "socket urllib http requests ssl",
    "introspection": "gc inspect tracemalloc traceback dis",
    "obfuscation": "base64 zlib marshal codecs pickle binascii",
    "files": "tempfile shutil shelve sqlite3",
    "at_exit": "atexit",
}
_MODULE = {module: name for name, modules in _MODULES.items() for module in modules.split()}
_MODULE_SENTENCE = {
    "threads": "work may go on after forward returns",
    "processes": "it may start other processes",
    "native_memory": "it reaches memory past torch",
    "network": "it may talk to others",
    "introspection": "it may read what belongs to its caller",
    "obfuscation": "code or data may be hidden in strings",
    "files": "results may be kept on disk",
    "at_exit": "it acts when the process ends",
}

# Calls by the end of their dotted name.
_CALLS = {
    "stream": ({"cuda.Stream", "cuda.stream", "cuda.ExternalStream", "cuda.set_stream"},
               "work on another stream may be unfinished when forward returns"),
    "graph": ({"CUDAGraph", "cuda.graph", "make_graphed_callables"},
              "a captured graph reads and writes the addresses that it was captured with"),
    "threads": ({"fork"}, "work may go on after forward returns"),
    "processes": ({"os.fork", "os.system", "os.popen", "os.execv", "os.execve", "os.posix_spawn", "os.kill"},
                  "it may start or signal other processes"),
    "introspection": ({"sys._getframe", "gc.get_objects", "gc.get_referrers", "inspect.stack", "sys._current_frames"},
                      "it reads frames or objects of its caller"),
    "obfuscation": ({"exec", "eval", "compile", "__import__", "importlib.import_module"},
                    "code is made from strings while it runs"),
    "files": ({"open", "torch.save", "torch.load", "numpy.save", "numpy.load", "np.save", "np.load"},
              "it reads or writes files"),
    "global_flag": ({"set_float32_matmul_precision", "set_default_dtype", "set_num_threads", "set_default_device",
                     "use_deterministic_algorithms", "set_flush_denormal", "enable_tf32"},
                    "a setting of the whole process is changed"),
    "lower_precision": ({"autocast", ".half", ".bfloat16"}, "it computes below float32"),
    "clock": ({"perf_counter", "perf_counter_ns", "elapsed_time", "time.time", "time.monotonic", "time.sleep"},
              "it reads a clock or waits"),
}  # fmt: skip
_CONSTANTS = {
    "lower_precision": {"float16", "half", "bfloat16", "float8_e4m3fn", "float8_e5m2"},
    "introspection": {"f_back", "f_locals", "f_globals", "__subclasses__", "_current_frames"},
}

# C++ and CUDA, in string constants.
_NATIVE = (
    ("stream", r"cudaStreamCreate\w*|getStreamFromPool|cuStreamCreate", "native code makes a stream of its own"),
    ("graph", r"cudaStreamBeginCapture|cudaGraphInstantiate", "native code captures a graph"),
    ("threads", r"std::(?:j?thread|async)\b|\b(?:pthread|thrd)_create\b|\bat::launch\b"
     r"|#\s*include\s*<(?:thread|future|threads\.h|pthread\.h)>", "native code starts threads"),
    ("processes", r"\b(fork|execve?|popen|system)\s*\(", "native code may start a process"),
    ("native_memory", r"\bdlopen\s*\(|/proc/self|cudaIpc\w+", "native code reaches outside its extension"),
    ("device_state", r"cudaDeviceSetLimit|cudaDeviceReset|cuCtxSetLimit|CtxResetPersistingL2Cache|accessPolicyWindow",
     "native code changes the state of the device"),
    ("kept_output", r"static\s+(?:thread_local\s+)?(?:at|torch)::Tensor\s+\w+",
     "native code keeps a tensor from call to call"),
    ("lower_precision", r"__half\b|__nv_bfloat16|nvcuda::wmma|CUBLAS_COMPUTE_32F_FAST|at::kHalf|at::kBFloat16",
     "native code computes below float32"),
    ("fast_math", r"use_fast_math|ffast-math|-Ofast", "the compiler may change results"),
)  # fmt: skip
CUDA_KERNEL = re.compile(
    r"__global__\s+(?:[\w:<>*&,\s]|__\w{1,64}__\s*\([^)]{0,400}\)){0,600}?\b(?!__)(\w{1,200})\s*\("
)
"""A device kernel that code defines, its name the group; within so many letters, for text of beginnings alone took a
minute to read."""
_SHARING = {
    "Parameter", "size", "len", "numel", "dim", "data_ptr", "id", "isinstance", "getattr", "new_zeros", "new_ones",
    "new_empty", "new_full", "zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like",
}  # fmt: skip
"""Calls that take a weight and keep no copy of its values."""
_SETTINGS = {"config", "cfg", "conf", "args", "opt", "options", "hparams", "settings"}
"""Of which `bias` says whether there is to be one."""
_WEIGHTS = {"weight", "bias", "weight_ih_l0", "weight_hh_l0", "running_mean", "running_var"}
_BUILDERS = {"load_inline", "load", "_compile_kernel", "RawKernel", "RawModule"}
_BIG = 16
"""From here on a number in a shape is taken for a size, not for a dimension's index or a factor."""


def read(code: str) -> list[Signal]:
    """The signals of a candidate's code, at most one a name and line, by line."""
    if len(code) > syntax.LONGEST:
        return [Signal("unreadable", 1, f"of {len(code):,} characters, where at most {syntax.LONGEST:,} are read")]
    try:
        found = set(_walk(syntax.read(code)))
    except (SyntaxError, RecursionError) as error:
        line = getattr(error, "lineno", None) or 1
        return [Signal("unreadable", line, f"the code cannot be read as Python: {type(error).__name__}")]
    first = {(signal.name, signal.line): signal for signal in sorted(found, reverse=True)}
    return sorted(first.values(), key=lambda signal: (signal.line, signal.name))


def _walk(tree: ast.Module) -> Iterator[Signal]:
    imported, spelt, held = _imported(tree), naming.spelt(tree), naming.held(tree)
    for node in ast.walk(tree):
        yield from _of_import(node)
        yield from _of_name(node)
        if isinstance(node, ast.Call):
            yield from _of_call(node, imported, spelt)
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            yield from _of_assignment(node, imported, held)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _of_text(node.value, node.lineno)
        elif isinstance(node, ast.ClassDef):
            yield from _of_class(node)
        elif isinstance(node, ast.Try) and _builds(node.body):
            yield Signal("fallback", node.lineno, "when the kernel cannot be built another path runs")
        yield from _of_key(node)
    yield from _unused_kernels(tree)


def _builds(body: list[ast.stmt]) -> bool:
    calls = (inner for statement in body for inner in ast.walk(statement) if isinstance(inner, ast.Call))
    return any(_dotted(call).rpartition(".")[2] in _BUILDERS for call in calls)


def _imported(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return names


def _of_import(node: ast.AST) -> Iterator[Signal]:
    modules: list[str] = []
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        modules = [node.module or ""]
    for module in modules:
        name = _MODULE.get(module.partition(".")[0])
        if name is not None:
            yield Signal(name, node.lineno, f"imports {module}: {_MODULE_SENTENCE[name]}")  # type: ignore[attr-defined]


def _of_name(node: ast.AST) -> Iterator[Signal]:
    if isinstance(node, ast.Attribute):
        for name, words in _CONSTANTS.items():
            if node.attr in words:
                yield Signal(name, node.lineno, f"mentions {node.attr}")


def _of_call(node: ast.Call, imported: set[str], spelt: set[str]) -> Iterator[Signal]:
    dotted = _dotted(node.func)
    for name, (ends, sentence) in _CALLS.items():
        if any(dotted == end or dotted.endswith(end if end[0] == "." else f".{end}") for end in ends):
            if name == "obfuscation" and dotted.endswith(".compile"):
                continue  # torch.compile, re.compile
            if name in ("obfuscation", "files") and "." in dotted and dotted.rpartition(".")[2] in ("eval", "open"):
                continue  # module.eval() of torch
            yield Signal(name, node.lineno, f"calls {dotted}: {sentence}")
    if dotted.endswith(".compile") and _is_graph_mode(node):
        yield Signal("graph", node.lineno, "torch.compile with CUDA graphs returns buffers that the next call reuses")
    if dotted in ("getattr", "setattr", "delattr") and len(node.args) > 1:
        is_read = naming.beginning(node.args[1]) or getattr(node.args[1], "id", None) in spelt
        if not isinstance(node.args[1], ast.Constant) and not is_read:
            yield Signal("obfuscation", node.lineno, f"{dotted} with a name that is made while it runs")
        if dotted != "getattr" and _root(node.args[0]) in imported:
            yield Signal("patched", node.lineno, f"{dotted} on {_dotted(node.args[0])}, which others use too")
    if dotted.endswith("register_buffer") and len(node.args) > 1 and _copies_weight(node.args[1]):
        yield Signal("weight_snapshot", node.lineno, "a copy of a weight is kept: it goes stale when weights change")


def _is_graph_mode(node: ast.Call) -> bool:
    modes = [keyword.value for keyword in node.keywords if keyword.arg == "mode"]
    return any(isinstance(mode, ast.Constant) and mode.value in ("reduce-overhead", "max-autotune") for mode in modes)


def _of_assignment(
    node: ast.Assign | ast.AugAssign | ast.AnnAssign, imported: set[str], held: dict[str, object]
) -> Iterator[Signal]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if not isinstance(target, ast.Attribute):
            continue
        dotted = _dotted(target)
        if target.attr == "__class__":
            yield Signal("patched", node.lineno, f"assigns {dotted}: the object becomes another kind")
        elif ".backends." in dotted or naming.is_setting(node, held):
            yield Signal("global_flag", node.lineno, f"sets {dotted}")
        elif dotted.partition(".")[0] in imported:
            yield Signal("patched", node.lineno, f"replaces {dotted}, which others use too")


def _of_text(text: str, line: int) -> Iterator[Signal]:
    for name, pattern, sentence in _NATIVE:
        for match in re.finditer(pattern, text):
            yield Signal(name, line + text.count("\n", 0, match.start()), f"{sentence}: `{match.group(0).strip()}`")


def _of_class(node: ast.ClassDef) -> Iterator[Signal]:
    methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
    if any(_dotted(base) in ("torch.Tensor", "Tensor") for base in node.bases) or any(
        method.name in ("__torch_function__", "__torch_dispatch__") for method in methods
    ):
        yield Signal("tensor_subclass", node.lineno, f"{node.name} is a tensor with behaviour of its own")
    for method in methods:
        yield from _of_method(method)
        if method.name in ("forward", "__call__"):
            yield from _of_forward(method)


def _of_method(method: ast.FunctionDef) -> Iterator[Signal]:
    for node in ast.walk(method):
        if (
            isinstance(node, ast.Assign)
            and any(_root(target) == "self" and not _names_weight(target) for target in node.targets)
            and _copies_weight(node.value)
        ):
            yield Signal(
                "weight_snapshot", node.lineno, "a copy of a weight is kept: it goes stale when weights change"
            )
        elif (
            isinstance(node, ast.Call)
            and _dotted(node).endswith((".div_", ".mul_"))
            and _names_weight(node.func)
            and not _is_made(node.func)
        ):
            yield Signal("weight_snapshot", node.lineno, "a weight is scaled in place: loading weights undoes that")


def _copies_weight(value: ast.expr) -> bool:
    """`x.weight.t().contiguous()`, `torch.sum(x.weight)` and the like; `nn.Parameter(x.weight)` shares and is none."""
    calls = [node for node in ast.walk(value) if isinstance(node, ast.Call)]
    return any(_dotted(call).rpartition(".")[2] not in _SHARING and _names_weight(call) for call in calls)


def _names_weight(node: ast.AST) -> bool:
    named = [inner for inner in ast.walk(node) if isinstance(inner, ast.Attribute) and inner.attr in _WEIGHTS]
    return any(_dotted(each.value).rpartition(".")[2] not in _SETTINGS for each in named)


def _is_made(node: ast.AST) -> bool:
    """Whether it is a method of what an operator, or a function, has just made: a product with a weight is none."""
    its = node.value if isinstance(node, ast.Attribute) else node
    return isinstance(its, ast.BinOp) or (isinstance(its, ast.Call) and not _names_weight(its.func))


def _of_forward(method: ast.FunctionDef) -> Iterator[Signal]:
    kept = {
        target.id
        for node in ast.walk(method)
        if isinstance(node, ast.Assign) and _is_kept(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(method):
        if isinstance(node, ast.Return) and node.value is not None:
            name = node.value.id if isinstance(node.value, ast.Name) else None
            if _is_kept(node.value) or name in kept:
                yield Signal("kept_output", node.lineno, "returns what lies on self: the next call may overwrite it")
        elif isinstance(node, ast.keyword) and node.arg == "out" and _is_kept(node.value):
            yield Signal("kept_output", node.lineno, "writes its result into a buffer on self")
        elif isinstance(node, ast.Try):
            for handler in node.handlers:
                if any(isinstance(inner, ast.Return | ast.Call) for inner in ast.walk(handler)):
                    yield Signal("fallback", handler.lineno, "on an error forward takes another path")
        elif isinstance(node, ast.AugAssign) and _root(node.target) == "self":
            yield Signal("counts_calls", node.lineno, f"changes {_dotted(node.target)} on each call")
        elif isinstance(node, ast.Compare) and _compares_shape(node):
            yield Signal("hard_coded_shape", node.lineno, "takes a path for one shape")


def _is_kept(value: ast.expr) -> bool:
    """An attribute of self, or an entry of one: `self.out`, `self.cache[key]`."""
    while isinstance(value, ast.Subscript):
        value = value.value
    return isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id == "self"


def _compares_shape(node: ast.Compare) -> bool:
    sides = [node.left, *node.comparators]
    shaped = any(
        isinstance(inner, ast.Attribute) and inner.attr in ("shape", "size", "numel")
        for side in sides
        for inner in ast.walk(side)
    )
    sizes = [
        inner.value
        for side in sides
        for inner in ast.walk(side)
        if isinstance(inner, ast.Constant) and type(inner.value) is int
    ]
    return shaped and any(size >= _BIG for size in sizes)


def _of_key(node: ast.AST) -> Iterator[Signal]:
    """`x.data_ptr()` or `id(x)` where something is looked up or compared."""
    places: list[ast.expr] = []
    if isinstance(node, ast.Subscript):
        places = [node.slice]
    elif isinstance(node, ast.Compare):
        places = [node.left, *node.comparators]
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
        places = [node.value]
    elif isinstance(node, ast.Call) and _dotted(node.func).rpartition(".")[2] in ("get", "setdefault", "pop"):
        places = list(node.args)
    for place in places:
        for inner in ast.walk(place):
            if isinstance(inner, ast.Call) and _dotted(inner.func).rpartition(".")[2] in ("data_ptr", "id"):
                yield Signal("address_key", inner.lineno, "an address is remembered: new values may lie under it")


def _unused_kernels(tree: ast.Module) -> Iterator[Signal]:
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    words = collections.Counter(word for text in texts for word in re.findall(r"\w+", str(text.value)))
    for text in texts:
        line, at = text.lineno, 0
        for match in CUDA_KERNEL.finditer(str(text.value)):
            name = match.group(1)
            line, at = line + str(text.value).count("\n", at, match.start()), match.start()
            if words[name] < 2:  # counted once: to look through all for each of many names took minutes
                yield Signal("unused_kernel", line, f"kernel {name} is defined and never named again")
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name not in used:
            if any(_dotted(d).endswith("jit") and "triton" in _dotted(d) for d in node.decorator_list):
                yield Signal("unused_kernel", node.lineno, f"Triton kernel {node.name} is defined and never used")
        elif isinstance(node, ast.Assign) and _dotted(node.value).endswith(("load_inline", "_compile_kernel")):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id not in used:
                    yield Signal("unused_kernel", node.lineno, f"extension {target.id} is built and never used")


def _dotted(node: ast.AST) -> str:
    """`a.b.c` of names, attributes and the functions of calls; what stands before is left empty."""
    if isinstance(node, ast.Call):
        return _dotted(node.func)
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Subscript):
        node = node.value
    return _dotted(node).partition(".")[0]
