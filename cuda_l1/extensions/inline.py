"""Inline extensions in a second or two instead of half a minute: `load_inline` over slim headers.

Of the 33 s that torch's own `load_inline` takes for a three-line kernel, the kernel is less than one; the rest is
torch's headers, parsed twice. Here the same sources are compiled against `cuda_l1/headers/`: an `at::Tensor` of the
same layout, over a small library, the *shim*, that holds the rest behind C functions. Operators are called by
libtorch's own symbols, so that it runs as fast as torch's own build of it. What is not covered goes the old way.

What is safe to cache: the shim and the slim headers, made by the trusted parent (`warm`) from torch and this package
alone, named by the digest of all that goes in, and only read by candidates. A candidate's own objects are NOT shared,
not even between two starts of the same code: what one candidate's process wrote could be made by anything, and another
would load it as code. They stay in that process's scratch folder and die with it.

NOT covered: Windows, ROCm, SYCL, `use_pch`, files given to `load`, and packages with a setup.py; they are built as
ever.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import inspect
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

from cuda_l1.extensions import blame, slim
from cuda_l1.machine.environment import cpp_compiler
from cuda_l1.types import digest

_SHIM = "libcuda_l1_shim.so"
_KNOWN = {
    "name", "cpp_sources", "cuda_sources", "functions", "extra_cflags", "extra_cuda_cflags", "extra_ldflags",
    "extra_include_paths", "build_directory", "verbose", "with_cuda", "with_pytorch_error_handling",
    "keep_intermediates", "no_implicit_headers", "is_python_module",
}  # fmt: skip
"""Parameters of `load_inline` that the fast way honours; any other that is set takes the slow one."""
_CUDA_TEXT = """#include <torch/extension.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <c10/cuda/CUDAGuard.h>
#if __has_include(<cublas_v2.h>) && __has_include(<cusparse.h>)
#include <ATen/cuda/CUDAContext.h>
#endif
"""
"""What a CUDA source may see of torch."""


SLOW_WAY = "built over torch's own headers, which takes a minute or more: "
"""What a process prints before it begins with that; why follows."""


class NotCoveredError(Exception):
    """The fast way cannot build this, and says why; torch's own may."""


def warm(cache: Path) -> Path | None:
    """Make what all candidates of this machine share, once; its folder, or None where there is no C++ compiler.

    Call it in the trusted parent, outside any sandbox. Takes about 20 s on two cores the first time. Of several that
    want it at the same time one makes it, in a folder that it renames at the end, and the others wait.
    """
    import torch
    from torch.utils import cpp_extension

    compiler = cpp_compiler()
    if shutil.which(compiler) is None:
        return None
    home = cpp_extension.CUDA_HOME
    toolkit = [Path(home, part) for part in ("bin/nvcc", "include/cuda_runtime.h")] if home else []
    cuda = bool(torch.version.cuda and toolkit and all(part.exists() for part in toolkit))
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False).stdout
    made_of = [
        *sorted(slim.HEADERS.iterdir()),
        *(Path(module.__file__ or "") for module in (slim, blame)),
        Path(__file__),
    ]
    python = sysconfig.get_path("include")
    parts = (torch.__version__, torch.__file__, str(torch.version.cuda), str(cuda and home), version, python)
    folder = cache / digest(*parts, *(path.read_text() for path in made_of))
    if folder.exists():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            return folder
        draft = Path(tempfile.mkdtemp(prefix="draft-", dir=cache))
        try:
            if not _make(draft, compiler, cuda):
                return None
            draft.rename(folder)
        except subprocess.CalledProcessError:  # a compiler that cannot even preprocess torch's headers
            return None
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return folder


def warm_ahead(cache: Path) -> None:
    """Begin with that beside what else is to be done before the first candidate is built."""

    def begin() -> None:
        with contextlib.suppress(OSError):  # who needs it calls `warm`, and is told
            warm(cache)

    threading.Thread(target=begin, daemon=True).start()


def _make(folder: Path, compiler: str, cuda: bool) -> bool:
    """Headers, shim and names into the folder; False when the shim does not compile with this torch."""
    from torch.utils import cpp_extension

    _write_files(folder / "include", slim.COVERED)
    common = [compiler, _standard(), *_includes(cuda=cuda, torch_too=True)]
    libraries = ["c10", "torch_cpu", "torch_python", *(["c10_cuda", "torch_cuda"] if cuda else [])]
    link = [f"-L{cpp_extension.TORCH_LIB_PATH}", *(f"-l{name}" for name in libraries)]
    flags = ["-O2", "-fPIC", "-DAT_PER_OPERATOR_HEADERS", *(["-DCL1_WITH_CUDA"] if cuda else [])]
    parts = {source: folder / f"{source.stem}.o" for source in sorted(slim.HEADERS.glob("*.cpp"))}
    compiled = [[*common, *flags, "-c", str(source), "-o", str(made)] for source, made in parts.items()]
    linked = [compiler, "-shared", *map(str, parts.values()), "-o", str(folder / _SHIM), *link]
    probes = {"main.cpp": [*common, "-E", "-dD", "-x", "c++"]}
    texts = {"main.cpp": "#include <torch/extension.h>\n"}
    if cuda:
        nvcc = cpp_extension._join_cuda_home("bin", "nvcc")
        probes["cuda.cu"] = [nvcc, *common[1:], "-E", "-Xcompiler", "-dD", "-x", "cu"]
        texts["cuda.cu"] = _CUDA_TEXT
    with ThreadPoolExecutor(1) as beside:
        named = beside.submit(blame.write_names, folder, probes, texts)
        if _run_all(compiled) or _run_all([linked]):
            return False
        named.result()
    for made in parts.values():
        made.unlink()
    return True


def install(cache: str | None) -> None:
    """Replace `torch.utils.cpp_extension.load_inline` in this process. `cache` is what `warm` gave; None leaves it.

    The replacement returns an extension module like the original. Whatever the fast way cannot build is given to the
    original with the same arguments, unless the error is certainly the sources' own: then it is raised at once, as
    torch would have. `load` is torch's own in any case, and says that it is slow.
    """
    from torch.utils import cpp_extension

    cpp_extension.load = functools.wraps(cpp_extension.load)(functools.partial(_load, cpp_extension.load))
    if cache is None or not Path(cache, _SHIM).exists():
        return
    original = cpp_extension.load_inline
    cpp_extension.load_inline = functools.wraps(original)(functools.partial(_load_inline, Path(cache), original, {}))


def _load(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    _say_slow("files given to `load` always are; of texts given to `load_inline` most are built in seconds")
    return original(*args, **kwargs)


def _say_slow(why: str) -> None:
    print(f"{SLOW_WAY}{why}", file=sys.stderr, flush=True)


_Ended = ModuleType | tuple[type[Exception], str]
"""A module, or an error as type and text: an exception would keep its frames alive, and with them a call's inputs."""


def _load_inline(kit: Path, original: Callable[..., Any], ended: dict[str, _Ended], *args: Any, **kwargs: Any) -> Any:
    """`ended` is how the builds before went, by their arguments: torch's own looks for what it has built before it
    builds again, and code that asks in each forward, and catches the failure, is to pay for it once here too."""
    bound = inspect.signature(original).bind(*args, **kwargs)
    bound.apply_defaults()
    key = repr(bound.arguments)
    if key not in ended:
        try:
            ended[key] = _build(kit, bound.arguments, original)
        except (NotCoveredError, OSError, TypeError, ValueError) as error:
            # of odd arguments the original may make sense
            ended[key] = NotCoveredError, str(error)
        except (ImportError, RuntimeError) as error:
            ended[key] = type(error), str(error)
    before = ended[key]
    if isinstance(before, ModuleType):
        return before
    kind, text = before
    if kind is NotCoveredError:
        _say_slow(text)
        return original(*args, **kwargs)
    raise kind(text)


def _build(kit: Path, given: dict[str, Any], original: Callable[..., Any]) -> ModuleType:
    defaults = {name: parameter.default for name, parameter in inspect.signature(original).parameters.items()}
    unknown = {name for name, value in given.items() if name not in _KNOWN and value != defaults[name]}
    if unknown or not given["is_python_module"]:
        raise NotCoveredError(f"the fast way knows no {', '.join(sorted(unknown)) or 'is_python_module=False'}")
    from torch.utils import cpp_extension

    texts = _sources(given)
    with_cuda = "cuda.cu" in texts if given["with_cuda"] is None else bool(given["with_cuda"])
    if ("cuda.cu" in texts and not with_cuda) or not str(given["name"]).isidentifier():
        raise NotCoveredError("the fast way knows no cuda_sources without CUDA, and no name that is no identifier")
    if lacking := slim.lacking(list(texts.values())):
        raise NotCoveredError(f"the slim headers lack {', '.join(lacking)}")
    generated = slim.prepare(list(texts.values()), Path(cpp_extension._TORCH_PATH, "include"))
    home = given["build_directory"] or cpp_extension._get_build_directory(given["name"], False)
    folder = Path(tempfile.mkdtemp(prefix="fast-", dir=home))
    _write_files(folder, generated | texts)
    failed = _run_all([_compile(kit, folder, name, text, given, with_cuda) for name, text in texts.items()])
    library = folder / f"{given['name']}{cpp_extension.LIB_EXT}"
    failed = failed or _run_all([_link(kit, folder, list(texts), library, given, with_cuda)])
    if failed:
        if blame.is_certain(failed, texts, kit):
            raise RuntimeError(f"Error building extension '{given['name']}': {failed}")
        raise NotCoveredError(blame.first_error(failed))
    try:
        return cpp_extension._import_module_from_library(given["name"], str(folder), True)  # type: ignore[no-untyped-call, no-any-return]
    except ImportError as error:
        if blame.is_certain(str(error), texts, kit):
            raise
        raise NotCoveredError(str(error)) from error


def _sources(given: dict[str, Any]) -> dict[str, str]:
    """`main.cpp` and `cuda.cu` as torch would write them."""
    cpp, cuda = (
        [part] if isinstance(part, str) else list(part or []) for part in (given["cpp_sources"], given["cuda_sources"])
    )
    functions = given["functions"]
    if not given["no_implicit_headers"]:
        cpp.insert(0, "#include <torch/extension.h>")
        cuda[:0] = ["#include <torch/types.h>", "#include <cuda.h>", "#include <cuda_runtime.h>"] if cuda else []
    if functions is not None:
        named = {functions: functions} if isinstance(functions, str) else functions
        named = named if isinstance(named, dict) else {name: name for name in named}
        wrap = "torch::wrap_pybind_function({})" if given["with_pytorch_error_handling"] else "{}"
        cpp.append("PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {")
        cpp += [f'm.def("{name}", {wrap.format(name)}, "{doc}");' for name, doc in named.items()]
        cpp.append("}")
    return {"main.cpp": "\n".join(cpp)} | ({"cuda.cu": "\n".join(cuda)} if cuda else {})


def _compile(kit: Path, folder: Path, name: str, text: str, given: dict[str, Any], with_cuda: bool) -> list[str]:
    from torch.utils import cpp_extension

    own = [f"-I{os.path.abspath(path.strip())}" for path in given["extra_include_paths"] or []]
    stand_ins = [part for path in (folder, kit / "include", slim.HEADERS) for part in ("-isystem", str(path))]
    common = [
        f"-DTORCH_EXTENSION_NAME={given['name']}",
        "-DTORCH_API_INCLUDE_EXTENSION_H",
        *slim.flags([text]),
        *own,
        *stand_ins,
    ]
    common += _includes(cuda=with_cuda, torch_too=False)
    after = ["-idirafter", cpp_extension.include_paths()[0]]
    output = ["-c", str(folder / name), "-o", str(folder / f"{name}.o")]
    if name == "main.cpp":
        extra = _split(given["extra_cflags"])
        return [cpp_compiler(), *common, *after, "-fPIC", _standard(), *extra, *output]
    extra = _split(given["extra_cuda_cflags"])
    flags = [*cpp_extension.COMMON_NVCC_FLAGS, *cpp_extension._get_cuda_arch_flags(given["extra_cuda_cflags"]), *extra]
    standard = [] if any(flag.startswith("-std=") for flag in extra) else [_standard()]
    host = ["-ccbin", os.environ["CC"]] if "CC" in os.environ else []
    after = [part for flag in after for part in ("-Xcompiler", flag)]
    nvcc = cpp_extension._join_cuda_home("bin", "nvcc")
    return [nvcc, *host, *common, *after, "--compiler-options", "-fPIC", *flags, *standard, *output]


def _link(
    kit: Path, folder: Path, names: Sequence[str], library: Path, given: dict[str, Any], with_cuda: bool
) -> list[str]:
    from torch.utils import cpp_extension

    objects = [str(folder / f"{name}.o") for name in names]
    torch_libraries = [str(kit / _SHIM), f"-L{cpp_extension.TORCH_LIB_PATH}", "-lc10", "-ltorch_cpu"]
    runtime = [f"-L{cpp_extension._join_cuda_home('lib64')}", "-lcudart"] if with_cuda else []
    extra = _split(given["extra_ldflags"])
    return [
        cpp_compiler(),
        *objects,
        "-shared",
        *extra,
        *torch_libraries,
        *runtime,
        "-o",
        str(library),
    ]


def _run_all(commands: Sequence[list[str]]) -> str:
    """Run them side by side until one fails; what it printed, after its command, or nothing."""
    with contextlib.ExitStack() as stack:
        logs = [stack.enter_context(tempfile.TemporaryFile("w+", errors="replace")) for _ in commands]
        running = {
            subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT): (command, log)
            for command, log in zip(commands, logs, strict=True)
        }
        while running:
            ended = next((process for process in running if process.poll() is not None), None)
            if ended is None:
                time.sleep(0.01)
                continue
            command, log = running.pop(ended)
            if ended.returncode:
                for process in running:
                    _kill(process.pid)
                    process.wait()
                log.seek(0)
                return f"{shlex.join(command)}\n{log.read()}"
    return ""


def _kill(pid: int) -> None:
    """Kill a process and all below it: nvcc leaves its children running when it is ended."""
    with contextlib.suppress(OSError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        os.kill(pid, signal.SIGKILL)
        for child in children:
            _kill(int(child))


def _includes(*, cuda: bool, torch_too: bool) -> list[str]:
    from torch.utils import cpp_extension

    paths = [*cpp_extension.include_paths("cuda" if cuda else "cpp", torch_too), sysconfig.get_path("include")]
    return [part for path in paths for part in ("-isystem", path)]


def _standard() -> str:
    """The C++ standard that the installed torch builds extensions with."""
    from torch.utils import cpp_extension

    found = re.search(r"-std=c\+\+\d+", inspect.getsource(cpp_extension._write_ninja_file_to_build_library))
    return found[0] if found else "-std=c++17"


def _split(flags: Sequence[str] | None) -> list[str]:
    """Each flag as a shell would split it: torch writes them into a file of shell commands."""
    return [part for flag in flags or [] for part in shlex.split(flag)]


def _write_files(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
