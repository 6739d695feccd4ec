"""What works on this machine, what does not, and the fix for each.

Every line comes from trying: a compiler is found, a folder is written, a tiny module is judged, a model answers.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
import sysconfig
import time
from pathlib import Path
from typing import NamedTuple

from cuda_l1.machine import environment
from cuda_l1.wording import counted

_LOOK_S, _SHARE = 0.5, 0.1
"""How long the cores are looked at, and which share of them others may have, where that is more than makes a race
`crowded`."""

_TASK = """
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(64, 64)]


def get_init_inputs():
    return []
"""


class Line(NamedTuple):
    """One thing that was tried."""

    name: str
    state: str
    """`ok`, `warn` (something is left out) or `fail` (what was asked for does not work)."""
    detail: str
    fix: str = ""


def examine(device: str | None, model: str | None, base_url: str | None, archive: str) -> list[Line]:
    """Try everything. `device` and `model` are tested as failures when they were asked for by name."""
    import platformdirs

    lines = [_python(), _cores(), *_torch(device), _compiler(), _ninja(), *_sandbox()]
    lines += [_archive(archive), _writable("cache", Path(platformdirs.user_cache_dir("cuda-l1")))]
    lines.append(_model(model, base_url))
    if all(line.state != "fail" for line in lines):
        needed = "triton" if (device or "cpu").startswith("cuda") else "c++"
        lines += _judging(device or "cpu", compiles=(needed, "ok") in {(line.name, line.state) for line in lines})
    return lines


def missing_tool(language: str, code: str) -> str | None:
    """What this machine lacks to build a candidate, in words; None if nothing."""
    if language == "triton" and importlib.util.find_spec("triton") is None:
        return "Triton is not found: pip install 'cuda-l1[gpu]'"
    if language in ("cpp", "cuda") and "load_inline" in code:
        wanted = [_compiler(), _ninja(), *([_cuda_build(), _nvcc()] if language == "cuda" else [])]
        lacking = [f"{line.name} {line.detail}" for line in wanted if line.state != "ok"]
        return f"{'; '.join(lacking)}: see cuda-l1 doctor" if lacking else None
    return None


def _python() -> Line:
    version = ".".join(map(str, sys.version_info[:3]))
    return Line(
        "python",
        "ok" if sys.version_info >= (3, 11) else "fail",
        version,
        "" if sys.version_info >= (3, 11) else "use 3.11+",
    )


def _cores() -> Line:
    """By what they are at for half a second; a GPU's host too, where calls are launched and files compiled."""
    cores = os.sched_getaffinity(0)
    crowd = environment.Crowd([], cores)
    time.sleep(_LOOK_S)
    others, _ = crowd.others()
    told = f"{len(cores)}, of which other programs have {max(others, 0.0):.1f}"
    if others < max(environment.MOST_OTHERS, _SHARE * len(cores)):
        return Line("cores", "ok", told)
    return Line("cores", "warn", told, "end them, or verdicts will be AMBIGUOUS (crowded)")


def _torch(device: str | None) -> list[Line]:
    try:
        import torch
    except ImportError as error:
        return [Line("torch", "fail", str(error), "pip install torch")]
    lines = [Line("torch", "ok", f"{torch.__version__}, {counted(torch.get_num_threads(), 'thread')}")]
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
    lines.append(_nvcc())
    triton = importlib.util.find_spec("triton")
    lines.append(
        Line("triton", "ok", "found")
        if triton
        else Line("triton", "warn", "not found", "pip install 'cuda-l1[gpu]' for Triton and torch.compile")
    )
    return lines


def _cuda_build() -> Line:
    """Without one `load_inline` finds no nvcc, where there is one too."""
    import torch

    built = torch.version.cuda is not None
    return Line("torch", "ok" if built else "warn", torch.__version__ if built else "is a CPU build")


def _nvcc() -> Line:
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    path = shutil.which("nvcc") or shutil.which("nvcc", path=os.path.join(home, "bin"))
    if path is None:
        return Line("nvcc", "warn", "not found", "CUDA by load_inline is left out; install the CUDA toolkit")
    return Line("nvcc", "ok", path)


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
    from cuda_l1.sandbox import layers

    return [
        Line(f"sandbox {layer.name}", "ok" if layer.holds else "warn", layer.detail,
             "" if layer.holds else "candidates run under weaker layers; judge untrusted code on Linux 5.13 or newer")
        for layer in layers.describe()
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


def _archive(place: str) -> Line:
    from cuda_l1.archive import Archive
    from cuda_l1.errors import UsageError

    try:
        with Archive(place) as archive:
            runs = len(archive.runs())
    except UsageError as error:
        return Line("archive", "fail", str(error), "name another with --archive")
    shown = place if "://" not in place else re.sub(r"//[^/@]*@", "//", place)
    return Line("archive", "ok", f"{shown}, {counted(runs, 'run')}")


def _judging(device: str, compiles: bool) -> list[Line]:
    """A tiny module through the whole judge, as it is and under torch.compile: processes, sandbox, clock."""
    import time

    from cuda_l1.errors import CudaL1Error
    from cuda_l1.judge import JudgeConfig, judge
    from cuda_l1.types import Candidate, Status, Task

    task = Task(id="local/doctor", name="doctor", source=_TASK)
    plain = _TASK.replace("class Model(", "class ModelNew(")
    codes = {"judging": plain}
    if compiles:
        codes["torch.compile"] = plain.replace("    def forward", "    @torch.compile\n    def forward")
    candidates = [Candidate(task_id=task.id, code=code, origin="builtin", author="doctor") for code in codes.values()]
    started = time.monotonic()
    try:
        evaluations = judge(task, candidates, JudgeConfig(device=device, effort="glance", baselines=()))
    except CudaL1Error as error:
        return [Line("judging", "fail", str(error), "nothing can be judged until this works")]
    took = f"on {device}, {time.monotonic() - started:.1f} s in all"
    lines = []
    for name, evaluation in zip(codes, evaluations, strict=True):
        if evaluation.status is Status.PASSED:
            lines.append(Line(name, "ok", f"a copy of a module passed {took}"))
        else:
            why = "; ".join(f"{finding.check}: {finding.detail}" for finding in evaluation.findings)
            told = f"a copy of its own reference {evaluation.status} {took}: {why}"
            lines.append(Line(name, "fail", told, "please report this: candidates like it would be turned away"))
    return lines


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
