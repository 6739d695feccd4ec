"""Ways from a candidate's text to code beside its own and libraries', and so to the judge's in its process.

Such text rejects nobody: small wins of it are not believed (trial), for a tighter loop around the calls saves as much.
Where names lead to is asked of the modules that this process has loaded.

NOT covered: native code that finds Python's objects by itself, or code and text that are put together from parts, and
what functions of libraries reach through others of theirs.
"""

from __future__ import annotations

import ast
import contextlib
import re
import sys
import unicodedata
import warnings
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType

from cuda_l1 import syntax
from cuda_l1.evidence import naming, owned, signals

_SIGNALS = {
    "introspection", "native_memory", "obfuscation", "patched", "processes", "threads", "files", "at_exit",
    "unreadable",
}  # fmt: skip
_PLAIN_MODULES = {
    "__future__", "abc", "bisect", "cmath", "collections", "contextlib", "copy", "cupy", "dataclasses", "einops",
    "enum", "functools", "hashlib", "heapq", "itertools", "logging", "math", "numbers", "numpy", "operator", "os",
    "pathlib", "random", "re", "statistics", "string", "struct", "textwrap", "time", "torch", "torchvision", "triton",
    "types", "typing", "typing_extensions", "warnings", "weakref",
}  # fmt: skip
_PLAIN_PARTS = {
    "logging": set(),
    "numpy": {"dtypes", "fft", "linalg", "ma", "random", "typing"},
    "torch": {
        "_C", "_VF", "amp", "autograd", "backends", "compiler", "cpu", "cuda", "distributions", "fft", "func",
        "functional", "jit", "library", "linalg", "masked", "nested", "nn", "ops", "profiler", "random", "return_types",
        "signal", "sparse", "special", "types", "version", "xpu",
    },
    "torch._dynamo": {"config"},
    "torch._inductor": {"config"},
    "torch.utils": {"checkpoint", "cpp_extension", "dlpack"},
    "triton": {"compiler", "language", "runtime", "testing", "tools"},
}  # fmt: skip
"""Of libraries that have parts which run text, or read pickles, under plain names: by module, those that do not."""
_PRIVATE_PARTS = {"_C", "_dynamo", "_inductor"}
"""Of these, though nobody may have loaded them."""
_PLAIN_NAMES = {
    "__add__", "__all__", "__call__", "__constants__", "__enter__", "__exit__", "__file__", "__getattr__",
    "__getitem__", "__init__", "__iter__", "__len__", "__main__", "__matmul__", "__mul__", "__name__", "__neg__",
    "__new__", "__next__", "__post_init__", "__pow__", "__repr__", "__setattr__", "__setitem__", "__slots__",
    "__str__", "__sub__", "__truediv__", "__version__",
}  # fmt: skip
_NAMES = {
    "attrgetter", "builtins", "cr_frame", "ctypes", "cuda_l1", "dir", "gc", "gi_frame", "globals", "importlib",
    "inspect", "locals", "methodcaller", "register_at_fork", "sys", "tb_frame", "vars",
}  # fmt: skip
"""Modules that others have as attributes of their own, and what leads to such."""
_OF_MODULES = {"builtins", "ctypes", "dir", "gc", "globals", "importlib", "inspect", "io", "locals", "sys", "vars"}
"""Of these, and of what such modules hold, names that a module of torch's lacks."""
_CALLED_BACK = {
    "_activate_gpu_trace", "_gpu_trace", "_sanitizer", "enable_cuda_sanitizer", "_IncludeDispatchKeyGuard",
    "_dispatch_tls_set_dispatch_key_included",
}  # fmt: skip
"""By which torch calls somebody back as it waits for a device, or runs any operator in his code first."""
_LEADING = _NAMES | {
    "CodeType", "Formatter", "ForwardRef", "FunctionType", "LambdaType", "PyCodeCache", "_eval_type", "bltns",
    "ctypeslib", "currentframe", "dictConfig", "eval_frame", "fileConfig", "get_type_hints", "load_library", "loads",
    "green_contexts", "make_dataclass", "mro", "set_eval_frame", "singledispatchmethod", "fork", "_fork", *_CALLED_BACK,
}  # fmt: skip
"""And what libraries have that runs text, starts threads, or gives frames and native code."""
_LEADING_NAMES = _LEADING | {"f_back", "f_builtins", "f_globals", "f_locals"}
"""And what leads from one frame to others, and to what they hold."""
_OTHERS = {
    "asyncio", "atexit", "bdb", "codecs", "codeop", "concurrent", "copyreg", "doctest", "imp", "io", "linecache",
    "marshal", "multiprocessing", "os", "pdb", "pickle", "pkgutil", "pydoc", "runpy", "serialization", "shelve",
    "shutil", "socket", "subprocess", "tempfile", "threading", "timeit", "traceback", "unittest", "zipimport",
}  # fmt: skip
"""Modules that a part of a library holds, under names that are no operation's: of what is not loaded here, and of what
comes back under a name that nobody follows."""
_FUNCTIONS = {"eval", "exec", "compile", "getattr", "setattr", "delattr", "__import__", "open", "breakpoint"}
"""Of Python's own, seen where they are called by these names: not where they are handed on."""
_RUNNING = {"exec", "_getframe", "get_type_hints", "__import__"}
"""What a library's function uses that runs text, or looks at frames, for whoever calls it."""
_CHECKING = {"namedtuple"}
"""What runs text that holds names alone."""
_COPYING = {"wraps": 1, "update_wrapper": 2}
"""Functions that give somebody another one's attributes, with how many arguments say of whom, and not of which."""
_TAKING = {"__torch_function__", "__torch_dispatch__", "__getattribute__", "__class_getitem__", "__instancecheck__"}
"""Methods to which others' operations, or looks, come."""
_INSTEAD = {"requires_grad": ": call requires_grad_(False)", "data": ": call copy_ on it"}
"""What is as good, and no assignment."""
_ITS_OWN = ": only `self`, its parts and classes of the text are known to be its own"
_FLAGS = {
    "allow_tf32", "benchmark", "deterministic", "enabled", "fp32_precision", "allow_fp16_reduced_precision_reduction",
    "allow_bf16_reduced_precision_reduction",
}  # fmt: skip
_OF_OS = {"path", "environ", "getenv", "cpu_count", "sched_getaffinity", "makedirs", "sep", "getpid"}
_HELD_MODULES = _PLAIN_MODULES | {"_operator", "posixpath"}
_PTX = (
    r"""\s*(?:_*volatile_*)?\s*\(\s*"(?:\\n|\\t|"\s*"|[\s{]|\.reg[^;"]*;)*"""
    r"(?:atom|barrier|bf[ei]|cp|createpolicy|cvta?|dp[24]a|elect|ex2|fence|fma|griddepcontrol|ld|ldmatrix|lg2|lop3|mad|mapa"
    r"|mbarrier|membar|mma|nanosleep|prmt|rcp|redux?|rsqrt|setmaxnreg|shfl|st|stmatrix|tanh|tcgen05|vote|wgmma|wmma)"
    r"(?:\.\w+(?:::\w+)*)+(?:;|\s+[^:\s])"
)
"""What begins with an instruction that a GPU alone has, and is no label."""
_NATIVE = re.compile(
    r"\b_?Py(?!Torch)[A-Z_]\w+|\b(py|pybind11)\s*::\s*(module_?|import|eval|exec|globals|object|handle|function)\b"
    r"|\b(using\s+)?namespace\s+\w*\s*=?\s*(py|pybind11)\b|\bdlv?sym\b|\bsyscall\b|/proc/|##"
    r"|\b(?:pkey_)?mprotect\b|\bPROT_EXEC\b|\bmremap\b|\b_*asm_*\b(?!" + _PTX + r")|\bTHP\w+"
    r"|<sys/socket\.h>|(?<![\w.>:])(?:::\s*)?(?:(?:recv|send)(?:m?msg|from|to)?|clone|sigaction)\s*\("
    r"|(?<![\w>])::\s*(?:read|write)v?\s*\("
    r'|\bTORCH_LIBRARY\w*\s*\(\s*aten\b|"aten\b|#\s*line\b'
    r"|\bcupti\w+|\bRecordFunction\w*|\badd(?:Global|ThreadLocal)Callback\b|\bGPUTrace\b|\bSetAllocator\b"
    r"|\bdevice_guard_impl_registry\b|\bDeviceGuardImplRegistrar\b|\bIncludeDispatchKeyGuard\b"
)
"""The last of these are called back around operations that are not theirs, or put something before all of them."""
_OF_TORCH = re.compile(r"\Aaten(?:::|\Z)")
"""To what code of one's own may be put: torch's own operators, by name."""
_TYPES = re.compile(r"#\s*type:(.*)")
"""A comment that `torch.jit.script` evaluates."""
_STRINGS_AND_COMMENTS = re.compile(
    r""""(?:\\.|[^"\\])*+(?:"|\Z|\\)|'(?:\\[^'\n]+|[^'\\\n])'|//[^\n]*|/\*.*?(?:\*/|\Z)""", re.DOTALL
)
"""What does not end goes on to the text's end: to look for its end from each of many beginnings would take hours."""


def first(code: str) -> str:
    """The first way that the text shows, with its line; empty where it shows none."""
    for signal in signals.read(code):
        if signal.name in _SIGNALS:
            return f"line {signal.line}: {signal.sentence}"
    for number, line in enumerate(re.split(r"\r\n?|\n", code), 1):
        for word in _evaluated_comment(line):
            return f"line {number}: {word}"
    tree = syntax.read(code)
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    docs = {id(node.body[0].value) for node in ast.walk(tree) if _has_doc(node)}  # type: ignore[attr-defined]
    naming.as_attributes(tree)
    held = naming.held(tree)
    own = owned.of(tree, held)
    its = _says_nothing(tree, own, held)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in (*ast.walk(tree), *texts):
        if id(node) in docs:
            continue
        said = () if id(node) in its else (*_names(node), *_changed(node, own))
        for word in (*_modules(node), *said, *_native(node), *_evaluated(node), *_reached(node, held)):
            return f"line {getattr(node, 'lineno', 1)}: {word}"
        if isinstance(node, ast.Name) and node.id in _FUNCTIONS and id(node) not in called | its:
            return f"line {node.lineno}: {node.id} is handed on"
    return ""


def _reached(node: ast.AST, held: dict[str, object]) -> Iterator[str]:
    """Where a name, or a chain of attributes, leads to a module that is not a plain one, or to `os` beyond paths."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [alias.name for alias in node.names]
        yield from _unloaded(node, names)
        yield from (f"all of {node.module}" for name in names if name == "*" and isinstance(node, ast.ImportFrom))
        if isinstance(node, ast.ImportFrom) and node.module == "os":
            yield from (f"os.{name}" for name in names if name not in _OF_OS)
        yield from (said for alias in node.names for said in _beyond(held.get(alias.asname or alias.name), alias.name))
        return
    root, *names = _chain(node).split(".")
    here, unloaded = held.get(root), ""
    if isinstance(here, naming.Unloaded):
        yield from (f"{name} of {here.name}" for name in names if name in _OTHERS)
        return
    yield from _beyond(here, root)
    for name in names:
        if isinstance(here, ModuleType):
            if here.__name__ == "os" and name not in _OF_OS:
                yield f"os.{name}"
            unloaded = "" if name in vars(here) else f"{here.__name__}.{name}"
            here = vars(here).get(name)
            yield from _beyond(here, ast.unparse(node))
        elif unloaded:  # a part that is loaded when somebody asks for it
            if name in _OTHERS:
                yield f"{name} of {unloaded}"
            unloaded += f".{name}"
        if unloaded and not _is_plain(unloaded, _HELD_MODULES):
            yield unloaded


def _unloaded(node: ast.Import | ast.ImportFrom, names: list[str]) -> Iterator[str]:
    """Parts of libraries that are not loaded here and meant for nobody else, or what others hold of other modules."""
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else names
    if isinstance(node, ast.ImportFrom):
        modules += [f"{node.module}.{name}" for name in names if _is_part(f"{node.module}.{name}")]
    for module in modules:
        own = [part for part in module.split(".") if part.startswith("_") or part in ("tests", "testutils")]
        if module not in sys.modules and set(own) - _PRIVATE_PARTS and not module.startswith("__"):
            yield f"{module}, a part that is not loaded here"
    if isinstance(node, ast.ImportFrom) and node.module not in sys.modules:
        yield from (f"{name} of {node.module}" for name in names if name in _OTHERS)


def _is_part(module: str) -> bool:
    """Whether what is imported from a package may be a part of it: the package has nothing of that name."""
    package, _, name = module.rpartition(".")
    return package in sys.modules and name not in vars(sys.modules[package])


def _beyond(here: object, said: str) -> Iterator[str]:
    if isinstance(here, ModuleType) and not _is_plain(here.__name__, _HELD_MODULES):
        yield f"{said} is {here.__name__}"
    if isinstance(here, FunctionType) and here.__name__ not in _CHECKING:
        used = _used(here.__code__)
        running = _RUNNING if here.__module__.startswith("torch.") else _RUNNING | {"eval"}
        if used & running or used >= {"sys", "modules"}:
            yield f"{said} runs text, or looks at modules or frames"


def _used(code: CodeType) -> set[str]:
    """Names in a function, and in those within it."""
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return set(code.co_names).union(*map(_used, inner))


def _is_plain(module: str, roots: set[str]) -> bool:
    """Whether a module is one of these, or a part of one: of some libraries one of the plain parts."""
    root, *parts = module.split(".")
    if root not in roots:
        return False
    at = root
    for part in parts:
        if at not in _PLAIN_PARTS:
            return True
        if part not in _PLAIN_PARTS[at] and f"{at}.{part}" not in _PLAIN_PARTS:
            return False
        at = f"{at}.{part}"
    return True


def _has_doc(node: ast.AST) -> bool:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return isinstance(node, kinds) and ast.get_docstring(node, clean=False) is not None


def _modules(node: ast.AST) -> Iterator[str]:
    """Modules that are not known to be plain ones, and what others hold of such."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        aliases = [alias.name for alias in node.names]
        modules = [node.module or "."] if isinstance(node, ast.ImportFrom) else aliases
        leading = [name for alias in aliases for name in alias.split(".") if name.lstrip("_") in _LEADING]
        others = [module for module in modules if not _is_plain(module, _PLAIN_MODULES)]
        yield from (f"{name} is imported, which leads to more than a call's work" for name in (*others, *leading))


def _names(node: ast.AST) -> Iterator[str]:
    """Of modules, of Python's own, and strings that are one."""
    names: list[str] = []
    if isinstance(node, ast.Attribute):
        names = [node.attr]
        yield from (f"{name} may be a module" for name in {node.attr} & _OTHERS)
    elif isinstance(node, ast.Name):
        names = [node.id]
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from {node.name} & _TAKING
    elif isinstance(node, ast.MatchClass):
        names = node.kwd_attrs
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        names = [node.value.partition(".")[0]]
        yield from _OF_TORCH.findall(node.value)
    elif isinstance(node, ast.Call) and len(node.args) > 1 and (start := naming.beginning(node.args[1])):
        may_be = [name for name in sorted(_LEADING_NAMES) if name.startswith(start)]
        yield from (f"a name that is made while it runs, such as {name}" for name in may_be[:1])
    yield from (f"{name} leads to what is Python's or others'" for name in filter(_is_leading, names))


def _is_leading(name: str) -> bool:
    is_pythons = name[:2] == name[-2:] == "__" and name.isidentifier() and name not in _PLAIN_NAMES
    return name.lstrip("_") in _NAMES or name in _LEADING_NAMES or is_pythons


def _says_nothing(tree: ast.AST, own: owned.Own, held: dict[str, object]) -> set[int]:
    """Nodes whose names, though Python's or those of modules, lead to nobody else's: parts of its own (`self.gc`), a
    function's own variables (`vars = x.var(0)`), what a class is called (`self.__class__.__name__`), and settings."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and naming.is_setting(node, held):
            found |= set(map(id, node.targets))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found |= set(map(id, naming.locals_of(node)))
        elif isinstance(node, ast.Attribute):
            is_direct = isinstance(node.value, ast.Name) and node.value.id == "self"
            is_flag = node.attr in _FLAGS and naming.in_full(node, held).startswith("torch.backends.")
            if is_flag or (is_direct and node.attr in _OF_MODULES and own.has(node.value)):
                found.add(id(node))
            if node.attr in ("__name__", "__qualname__") and isinstance(node.ctx, ast.Load):
                found |= {id(node.value)} if getattr(node.value, "attr", "") == "__class__" else set()
    return found


def _changed(node: ast.AST, own: owned.Own) -> Iterator[str]:
    """Attributes that are given to what may be another's: not to the module itself, a class of the text, or a flag. And
    such as are asked of another by names that are made while it runs."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del) and not own.has(node.value):
        yield f"{_chain(node)} is assigned, and may be another's{_INSTEAD.get(node.attr, _ITS_OWN)}"
    if isinstance(node, ast.Call) and _chain(node.func) == "getattr" and not all(map(own.has, node.args[:1])):
        yield from (f"getattr on {_chain(whose)}, with a name that is made while it runs" for whose in node.args[:1])
    if isinstance(node, ast.Call) and (_chain(node.func) in ("setattr", "delattr") or _is_unbound(node)):
        yield from (_chain(whose) for whose in node.args[:1] if not own.has(whose))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
        whose, name = getattr(node.func, "value", node), _chain(node.func).rpartition(".")[2]
        is_parent = isinstance(whose, ast.Call) and _chain(whose.func) == "super"
        if name == "__setattr__" and not all(map(own.has, whose.args[1:] if is_parent else [whose])):
            yield f"{_chain(whose)}.{name}"
        if name in _COPYING and (node.keywords or len(node.args) > _COPYING[name]):
            yield f"{name} is told which attributes to give"


def _is_unbound(call: ast.Call) -> bool:
    """`type.__setattr__(whose, name, value)`."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "__setattr__" and len(call.args) > 2


def _evaluated_comment(line: str) -> Iterator[str]:
    """What a comment that says types names beside types: `torch.jit.script` evaluates it, several lines as one."""
    for found in _TYPES.finditer(line):
        for word in re.findall(r"\w+", unicodedata.normalize("NFKC", found.group(1))):
            yield from _named(word)


def _evaluated(node: ast.AST) -> Iterator[str]:
    """The same of strings, which libraries evaluate as annotations; a word alone (a mode) is none."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and not node.value.strip().isidentifier():
        yield from _leads(node.value)


def _leads(text: str) -> Iterator[str]:
    """What an expression holds by which text is run, or names of Python's; nothing where it is no expression."""
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for inner in ast.walk(ast.parse(text.strip(), mode="eval")):
            if isinstance(inner, ast.Name | ast.Attribute):
                yield from _named(inner.id if isinstance(inner, ast.Name) else inner.attr)


def _named(word: str) -> Iterator[str]:
    if word in _FUNCTIONS or _is_leading(word):
        yield f"{word} in text that a library may evaluate"


def _native(node: ast.AST) -> Iterator[str]:
    """Native code that speaks to Python, or reaches its own process."""
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    if found := _NATIVE.search(_without_comments(text)):
        yield found.group(0)


def _without_comments(source: str) -> str:
    """C++ without its comments; as it is where quotes in a raw string may hide code among them."""
    if 'R"' in source:
        return source
    return _STRINGS_AND_COMMENTS.sub(lambda found: " " if _is_comment(found.group(0)) else found.group(0), source)


def _is_comment(text: str) -> bool:
    return text.startswith("//") or (text.startswith("/*") and text.endswith("*/"))


def _chain(node: ast.AST) -> str:
    """The names of a chain of attributes and entries; begins with a dot where a call stands in it."""
    names = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        names += [node.attr] if isinstance(node, ast.Attribute) else []
        node = node.value
    return ".".join([node.id if isinstance(node, ast.Name) else "", *reversed(names)])
