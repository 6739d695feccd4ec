"""What machine this is, for the record that goes with every figure."""

from __future__ import annotations

import functools
import platform
import shutil
import subprocess

import torch

from cuda_l1.errors import CannotJudgeError
from cuda_l1.judge import sandbox
from cuda_l1.types import Environment

JUDGE_VERSION = "1"
"""Rises with every change that may change a verdict or a figure."""


def require(device: str) -> None:
    """CannotJudgeError unless `device` (cpu, cuda, cuda:N) is there."""
    if device == "cpu":
        return
    if not device.startswith("cuda"):
        raise CannotJudgeError(f"unknown device {device!r}: expected cpu, cuda or cuda:N")
    if not torch.cuda.is_available():
        raise CannotJudgeError(
            f"--device {device}: no CUDA device found by torch {torch.__version__}; "
            "use --device cpu, or install a CUDA build of torch"
        )
    index = int(device.partition(":")[2] or 0)
    if index >= torch.cuda.device_count():
        raise CannotJudgeError(
            f"--device {device}: this machine has {torch.cuda.device_count()} CUDA device(s), numbered from 0"
        )


@functools.cache
def device_name(device: str) -> str:
    """The marketing name of the GPU or CPU."""
    if device.startswith("cuda"):
        return torch.cuda.get_device_name(device)
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def describe(device: str, threads: int, sandbox_wanted: str, clocks: str | None) -> Environment:
    """The environment of an evaluation on `device`."""
    cuda = device.startswith("cuda")
    return Environment(
        device=device_name(device),
        arch="sm_{}{}".format(*torch.cuda.get_device_capability(device)) if cuda else platform.machine(),
        driver=_smi(device, "driver_version") if cuda else None,
        cuda=torch.version.cuda if cuda else None,
        torch=torch.__version__,
        triton=_version("triton"),
        compiler=_compiler(),
        python=platform.python_version(),
        threads=threads,
        clocks=clocks,
        sandbox=sandbox.layers(sandbox_wanted),
        judge_version=JUDGE_VERSION,
    )


def clocks(device: str) -> str | None:
    """SM clock now, e.g. `1980 MHz`; None on a CPU or where the driver does not say."""
    return _smi(device, "clocks.sm") if device.startswith("cuda") else None


def _smi(device: str, query: str) -> str | None:
    index = device.partition(":")[2] or "0"
    command = ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader", "-i", index]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


@functools.cache
def _compiler() -> str | None:
    path = shutil.which("c++") or shutil.which("g++")
    if path is None:
        return None
    done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False)
    return done.stdout.partition("\n")[0] or None


@functools.cache
def _version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
