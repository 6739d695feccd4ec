"""What torch.compile loads before its first kernel, loaded ahead in the nursery whose forks will call it.

Measured: on an H200 a fresh process's first call took 11.5 s, 9 s of them imports and the rest much the same for all
code; a fork of one that has them takes 2 s. On a CPU it is 14 of 18 s, most of them for six trial builds that say which
vector instructions there are.

NOT covered: what a first call asks of a GPU. Whoever has asked the driver anything has spoiled CUDA for its forks.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib
import os
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DEVICE = "CUDA_L1_COMPILES_FOR"
"""In the environment of a nursery whose workers will call torch.compile: the kind of their device, cpu or cuda."""

_PACKAGES = ("torch._dynamo.backends", "torch._inductor.fx_passes.serialized_patterns")
"""Of these all modules."""
_MODULES = {
    "torch": (
        "_dynamo.repro.after_dynamo", "_subclasses.schema_check_mode", "distributed.tensor.experimental",
        "export._trace", "fx.experimental.validator",
    ),
    "torch._inductor": (
        "choices", "compiler_bisector", "extern_node_serializer", "kernel_template_choice", "runtime.caching",
    ),
    "torch._inductor.codegen": (
        "cpp", "cpp_wrapper_cpu_array_ref", "cpp_wrapper_gpu", "cpp_wrapper_mps", "cuda_combined_scheduling", "halide",
        "memory_planning", "mps", "pallas", "python_wrapper_mtia", "wrapper_fxir",
    ),
    "torch._inductor.fx_passes": (
        "apply_gumbel_max_trick", "efficient_conv_bn_eval", "freezing_patterns", "fuse_attention", "mkldnn_fusion",
        "pad_mm", "quantization",
    ),
    "sympy": ("combinatorics",),
    "triton": ("compiler.code_generator", "experimental.gluon", "language.semantic", "tools.tensor_descriptor"),
}  # fmt: skip
"""What a first call imports beside, of torch 2.11 to 2.13. What another torch has elsewhere is imported when called."""


def variables(device: str, cache: Path) -> dict[str, str]:
    """The environment of such a nursery; what it finds out about the machine is kept in `cache`."""
    kind = device.partition(":")[0]
    found = {DEVICE: kind, "TORCHINDUCTOR_CACHE_DIR": str(cache / "inductor")}
    if kind == "cuda":  # whether there is a GPU is asked of NVML, which forks do not mind
        found["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    return found


def load(kind: str) -> None:
    """Load it, for a `kind` of device. Raises whatever torch does where it has no compiler."""
    importlib.import_module("torch._dynamo")
    importlib.import_module("torch._inductor.compile_fx")
    config: Any = importlib.import_module("torch._inductor.config")
    # Their folder is fixed when Inductor is loaded, and a worker may not write there; they pay from five kernels on.
    config.cpp_cache_precompile_headers = False
    for name in _names():
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    for module, digest in (("torch._inductor.codecache", "torch_key"), ("triton.runtime.cache", "triton_key")):
        _digest(module, digest)
    if kind == "cpu":
        instructions = importlib.import_module("torch._inductor.cpu_vec_isa")
        with contextlib.suppress(AttributeError):  # another torch, with other names: it tries for itself
            _remember_trials(instructions)
        instructions.pick_vec_isa()


def load_kernels() -> None:
    """Load Triton, where there is one, and torch's formulas for operations, which load a part of it: 0.3 s of each
    session, and as much of each of its candidates."""
    names = [f"triton.{name}" for name in ("runtime.jit", *_MODULES["triton"])]
    for name in ("torch.utils.flop_counter", *names):
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    _digest("triton.runtime.cache", "triton_key")


def _digest(module: str, name: str) -> None:
    with contextlib.suppress(Exception):  # of torch's or Triton's own sources, half a second
        getattr(importlib.import_module(module), name)()


def spoils_cuda() -> bool:
    """Whether a fork of this process cannot bring CUDA up, where there is a GPU."""
    import torch

    if not os.path.exists("/dev/nvidiactl"):
        return False
    pid = os.fork()
    if not pid:
        try:
            torch.cuda.init()  # type: ignore[no-untyped-call]
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1] != 0


def _names() -> Iterator[str]:
    for package, names in _MODULES.items():
        yield from (f"{package}.{name}" for name in names)
    for package in _PACKAGES:
        with contextlib.suppress(Exception):
            yield from (f.name for f in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."))


def _remember_trials(instructions: Any) -> None:
    """Let a trial build that was good once on this machine be good. torch keeps what it built, but loads it again in
    every process, in an interpreter of its own and one process at a time: with 16 workers that took 90 s."""
    fingerprint, tried = instructions._get_isa_dry_compile_fingerprint, instructions.VecISA.check_build
    marks = Path(os.environ["TORCHINDUCTOR_CACHE_DIR"], "trials")
    marks.mkdir(parents=True, exist_ok=True)
    said = Path("/proc/cpuinfo").read_text().splitlines()
    processor = next((line for line in said if line.startswith(("flags", "Features"))), "")

    def remembered(instruction: Any, code: str) -> bool:
        known = repr((fingerprint(instruction.build_arch_flags()), processor, code))
        with open(marks / hashlib.sha256(known.encode()).hexdigest(), "ab") as mark:
            fcntl.flock(mark, fcntl.LOCK_EX)  # whoever comes meanwhile waits for the first one's word
            good = bool(os.fstat(mark.fileno()).st_size)
            if not good and tried(instruction, code):
                good = bool(mark.write(b"good\n"))
        return good

    instructions.VecISA.check_build = remembered
