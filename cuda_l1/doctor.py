"""What works on this machine, what does not, and the fix for each.

Every line comes from trying: a compiler is found, a folder is written, a device multiplies, a model answers.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple


class Line(NamedTuple):
    """One thing that was tried."""

    name: str
    state: str
    """`ok`, `warn` (something is left out) or `fail` (what was asked for does not work)."""
    detail: str
    fix: str = ""


def examine(device: str | None, model: str | None, base_url: str | None, archive: str) -> list[Line]:
    """Try everything. `device` and `model` are tested as failures when they were asked for by name."""
    lines = [_python(), *_torch(device), _compiler(), _ninja(), *_sandbox(), _writable("archive", Path(archive).parent)]
    import platformdirs

    lines.append(_writable("cache", Path(platformdirs.user_cache_dir("cuda-l1"))))
    lines.append(_model(model, base_url))
    return lines


def _python() -> Line:
    version = ".".join(map(str, sys.version_info[:3]))
    return Line(
        "python",
        "ok" if sys.version_info >= (3, 11) else "fail",
        version,
        "" if sys.version_info >= (3, 11) else "use 3.11+",
    )


def _torch(device: str | None) -> list[Line]:
    try:
        import torch
    except ImportError as error:
        return [Line("torch", "fail", str(error), "pip install torch")]
    lines = [Line("torch", "ok", f"{torch.__version__}, {torch.get_num_threads()} threads")]
    wanted = device is not None and device.startswith("cuda")
    if not torch.cuda.is_available():
        build = "a CPU build" if torch.version.cuda is None else f"built for CUDA {torch.version.cuda}"
        state = "fail" if wanted else "warn"
        fix = "install a CUDA build of torch and a driver; until then --device cpu"
        return [*lines, Line("cuda", state, f"no device; torch is {build}", fix)]
    for index in range(torch.cuda.device_count()):
        properties = torch.cuda.get_device_properties(index)
        square = torch.ones(64, 64, device=f"cuda:{index}")
        works = bool((square @ square == 64).all())
        detail = (
            f"{properties.name}, {properties.total_memory / 2**30:.0f} GiB, sm_{properties.major}{properties.minor}"
        )
        lines.append(
            Line(f"cuda:{index}", "ok" if works else "fail", detail, "" if works else "a product came out wrong")
        )
    nvcc = shutil.which("nvcc") or shutil.which(
        "nvcc", path=os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin")
    )
    lines.append(
        Line("nvcc", "ok", nvcc)
        if nvcc
        else Line("nvcc", "warn", "not found", "CUDA by load_inline is left out; install the CUDA toolkit")
    )
    triton = importlib.util.find_spec("triton")
    lines.append(
        Line("triton", "ok", "found")
        if triton
        else Line("triton", "warn", "not found", "pip install 'cuda-l1[gpu]' for Triton and torch.compile")
    )
    return lines


def _compiler() -> Line:
    path = shutil.which(os.environ.get("CXX", "c++")) or shutil.which("g++")
    if path is None:
        return Line("c++", "warn", "not found", "torch.compile on a CPU and load_inline are left out; install g++")
    header = Path(sysconfig.get_paths()["include"]) / "Python.h"
    if not header.exists():
        return Line("c++", "warn", f"{path}, but no {header.name}", "install the Python headers (python3-dev)")
    return Line("c++", "ok", path)


def _ninja() -> Line:
    path = shutil.which("ninja") or shutil.which("ninja", path=str(Path(sys.executable).parent))
    return (
        Line("ninja", "ok", path)
        if path
        else Line("ninja", "warn", "not found", "load_inline is left out; pip install ninja")
    )


def _sandbox() -> list[Line]:
    from cuda_l1.judge import sandbox

    return [
        Line(f"sandbox {layer.name}", "ok" if layer.holds else "warn", layer.detail,
             "" if layer.holds else "candidates run under weaker layers; judge untrusted code on Linux 5.13 or newer")
        for layer in sandbox.describe()
    ]  # fmt: skip


def _writable(name: str, folder: Path) -> Line:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".cuda-l1-probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        return Line(name, "fail", str(error), "make the folder writable, or name another")
    return Line(name, "ok", str(folder))


def _model(model: str | None, base_url: str | None) -> Line:
    if model is None:
        return Line(
            "model", "warn", "none asked for", "transforms need none; for a model give --model NAME [--base-url URL]"
        )
    from cuda_l1 import llm
    from cuda_l1.errors import ModelError

    try:
        llm.connect(model, base_url=base_url)
    except ModelError as error:
        return Line("model", "fail", str(error), "see docs/models.md")
    return Line("model", "ok", f"{model} answers")
