"""What holds a candidate's process: Landlock and seccomp where the kernel has them, resource limits and a process group
always.

Held by Landlock (ABI 4 and newer for the network): reading outside the Python runtime, the system's libraries and the
scratch folder; writing outside the scratch folder; TCP; signals and abstract sockets to other processes (ABI 6).
Held by seccomp: new sockets of any kind, tracing and reading other processes, leaving the session, namespaces, mounts,
kernel keys, io_uring, BPF, the system's clock. A root user's capabilities are dropped. Held by limits: file size, open
files, core dumps, address space on a CPU, processes where the user is not root. Stopped and killed as one: the session,
which nobody can leave.

NOT covered: GPU memory, the number of processes of a root user, and whatever the GPU's driver lets an open device do.
Bubblewrap is not used: with these layers its namespaces would add only a process table of its own. Against kernel and
driver exploits run the judge in a virtual machine.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import struct
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from cuda_l1.errors import CannotJudgeError
from cuda_l1.sandbox import seccomp

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_RULE_PATH_BENEATH = 1
_CAPABILITY_VERSION_3 = 0x20080522

# https://docs.kernel.org/userspace-api/landlock.html, one bit a right, in the order of the ABI
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_SCOPE_ABSTRACT_SOCKET, _SCOPE_SIGNAL = 1, 2

_SYSTEM = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin", "/opt", "/sys")
_SYSTEM_FILES = (
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime",
    "/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/etc/nvidia-container-runtime",
)  # fmt: skip
_PROC = ("cpuinfo", "meminfo", "stat", "version", "filesystems", "devices", "driver", "sys", "modules")
"""What of /proc concerns no process; a candidate sees its own as well, and no other: environments hold keys."""
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")


class Layer(NamedTuple):
    """One layer of the sandbox, as `doctor` shows it."""

    name: str
    holds: bool
    detail: str


def landlock_abi() -> int:
    """Version of Landlock in the running kernel; 0 where there is none."""
    return max(_syscall(_CREATE_RULESET, None, 0, 1, check=False), 0)


def describe() -> list[Layer]:
    """The layers on this machine, strongest first."""
    return [
        landlock(landlock_abi()),
        Layer("seccomp", seccomp.available(), "sockets, tracing, sessions, namespaces, io_uring"),
        Layer("rlimits", True, "file size, open files, core dumps, process group"),
    ]


def landlock(abi: int) -> Layer:
    """That layer, by the version of it."""
    if not abi:
        return Layer("landlock", False, "the kernel has no Landlock (Linux 5.13+)")
    held = ["files", *(["TCP"] if abi >= 4 else []), *(["signals"] if abi >= 6 else [])]
    return Layer("landlock", True, f"ABI {abi}: {', '.join(held)}")


def require() -> None:
    """CannotJudgeError where nothing keeps a candidate from the user's files."""
    if landlock_abi() <= 0:
        raise CannotJudgeError(
            "nothing on this machine keeps a candidate from your files: that takes Landlock (Linux 5.13 or newer; "
            "cuda-l1 doctor says what holds); --sandbox none runs candidates with your own rights"
        )


def layers(wanted: str) -> str:
    """The layers that hold when `wanted` (auto or none) is asked for, as `Environment.sandbox` records them."""
    return "none" if wanted == "none" else "+".join(layer.name for layer in describe() if layer.holds)


def runtime_folders() -> list[str]:
    """What a worker must read in order to run Python, torch and this package at all."""
    package = Path(__file__).resolve().parent.parent
    temporary = Path(tempfile.gettempdir()).resolve()
    # A script's own folder is on the path too: never one that holds other processes' scratch folders.
    entries = [entry for entry in sys.path if entry and not temporary.is_relative_to(Path(entry).resolve())]
    folders = [sys.prefix, sys.base_prefix, str(package), *entries]
    # An editable install puts the whole checkout on the path; the package itself is enough.
    return sorted({entry for entry in map(os.path.realpath, folders) if Path(entry) != package.parent})


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends, however that happens."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0)


def enter(scratch: str, readable: list[str], writable: list[str], *, is_cuda: bool) -> None:
    """Restrict this process and all that it will start, for good. Call before any thread exists, and `seal` after the
    device is up."""
    _limit(is_cuda)
    _drop_capabilities()
    abi = landlock_abi()
    if abi:
        devices = []
        if is_cuda:  # the driver names its threads through /proc; without that cuInit answers 304
            devices = [f"/proc/{os.getpid()}", *(f"/dev/{n}" for n in os.listdir("/dev") if n.startswith("nvidia"))]
        proc = [f"/proc/{os.getpid()}", *(f"/proc/{name}" for name in _PROC)]
        _landlock(abi, [*readable, *proc, *_SYSTEM, *_SYSTEM_FILES], [scratch, *writable, *_DEVICES, *devices])


_MOST_PROCESSES = 512


def _processes() -> int:
    """Threads that this user has now: the kernel counts them all against one limit."""
    return sum(map(_threads, filter(str.isdigit, os.listdir("/proc"))))


def _threads(pid: str) -> int:
    """Of a process of this user; others end at any time, also between two looks."""
    try:
        return len(os.listdir(f"/proc/{pid}/task")) if os.stat(f"/proc/{pid}").st_uid == os.getuid() else 0
    except OSError:
        return 0


def seal() -> None:
    """The last layer, over threads that exist by now too."""
    if seccomp.available():
        seccomp.enter()


def _limit(is_cuda: bool) -> None:
    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: 1 << 30, resource.RLIMIT_NOFILE: 4096}
    limits[resource.RLIMIT_NPROC] = _processes() + _MOST_PROCESSES
    if not is_cuda:  # CUDA reserves far more addresses than it uses
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        limits[resource.RLIMIT_AS] = max(physical * 3 // 4, 8 << 30)
    with contextlib.suppress(OSError):  # a file in memory is in no limit: where there is none left, who took it ends
        Path("/proc/self/oom_score_adj").write_text("1000")
    for name, value in limits.items():
        _, hard = resource.getrlimit(name)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(name, (value, value))


def _drop_capabilities() -> None:
    """What root may do beyond others: set the clock, raise its own limits, open files by handle."""
    none = struct.pack("<6I", *[0] * 6)
    ctypes.CDLL(None).capset(struct.pack("<Ii", _CAPABILITY_VERSION_3, 0), none)


def _landlock(abi: int, readable: list[str], writable: list[str]) -> None:
    handled = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(abi, 16)) - 1
    network = 3 if abi >= 4 else 0
    scope = _SCOPE_ABSTRACT_SOCKET | _SCOPE_SIGNAL if abi >= 6 else 0
    attributes = struct.pack("<QQQ", handled, network, scope)[: 24 if abi >= 6 else 16 if abi >= 4 else 8]
    ruleset = _syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    for paths, rights in ((readable, _READ), (writable, handled)):
        for path in paths:
            _allow(ruleset, path, rights & handled)
    ctypes.CDLL(None).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there needs no rule
    try:
        if not Path(path).is_dir():
            rights &= _FILE_RIGHTS
        _syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, struct.pack("<Qi", rights, fd), 0)
    finally:
        os.close(fd)


def _syscall(number: int, *arguments: int | bytes | None, check: bool = True) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    result = int(libc.syscall(number, *arguments))
    if result < 0 and check:
        code = ctypes.get_errno()
        raise OSError(code, f"Landlock call {number}: {os.strerror(code)}")
    return result
