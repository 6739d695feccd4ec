"""The process that workers are forked from: `python -P -m cuda_l1.processes.nursery SOCKET_FD`.

Importing torch is most of a worker's start (seconds, on a core of its own), and the same for all of them. It is done
once, here, in a process that never runs a task's or a candidate's code, knows no device, and sleeps while nobody is
born. Each worker is a fork of it: fresh, in a session of its own, with nothing that another worker did. Of one that is
dead it ends what is left of that session, and then takes its exit code, as only a parent can. Who will call
torch.compile is a fork of another such process, which has loaded that too (compiler).

NOT covered: a worker's sandbox, device and requests (worker).
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

from cuda_l1.processes import compiler
from cuda_l1.sandbox import kin

_KEPT_ENVIRONMENT = (
    "PATH",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_DEVICE_ORDER",
    "LANG",
    "CC",
    "CXX",
    "OMP_NUM_THREADS",
)
_LARGEST_MESSAGE = 128 << 10
_LOG_TAIL = 4000
_ANSWER_TIMEOUT_S = 120.0
"""Importing torch from a cold disk takes long."""


class NurseryError(Exception):
    """The nursery died or never came up; the message holds what it printed."""


class Child:
    """A worker's process as the judge holds it, though the nursery is its parent."""

    def __init__(self, nursery: Nursery, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._nursery = nursery
        self._pidfd = os.pidfd_open(pid)

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it lives."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait until it is dead. The number stays its own until then. subprocess.TimeoutExpired after `timeout_s`."""
        if self.returncode is None:
            watch = select.poll()
            watch.register(self._pidfd, select.POLLIN)
            if not watch.poll(None if timeout_s is None else timeout_s * 1e3):
                raise subprocess.TimeoutExpired("worker", timeout_s or 0.0)
            self.returncode = self._nursery.reap(self.pid)
            os.close(self._pidfd)  # last: Ctrl-C until here leaves a descriptor that can be watched once more
        return self.returncode


class Nursery:
    """The judge's end of it."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._lock = threading.Lock()
        self._asked = 0
        self._workers: set[int] = set()
        """Those that nobody has reaped."""
        self._maker = os.getpid()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._sock, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._sock.settimeout(_ANSWER_TIMEOUT_S)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "cuda_l1.processes.nursery", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        theirs.close()

    def bear(self, cwd: str, environment: dict[str, str], descriptors: Sequence[int]) -> Child:
        """A new worker, leader of its session. `descriptors`: its socket, its log, and the words or nothing."""
        pid = self._ask({"cwd": cwd, "environment": environment}, descriptors)
        self._workers.add(pid)
        return Child(self, pid)

    def reap(self, pid: int) -> int:
        """The exit code of a worker that is dead, of whose session nobody is left then."""
        try:
            code = self._ask({"reap": pid})
        except NurseryError:
            if not self.lives:
                kin.end([pid])
            code = -signal.SIGKILL  # workers die with the nursery
        self._workers.discard(pid)
        return code

    @property
    def lives(self) -> bool:
        """Whether it can still be asked."""
        return self._process.poll() is None

    def close(self) -> None:
        """End it, and every worker that is left with all that it has started. In a fork of the process that made it
        nothing happens."""
        if os.getpid() != self._maker:
            return
        if self._workers:  # who was to end them was interrupted, and what they have started would not die with it
            kin.end(self._workers)
        self._process.kill()  # it has nothing to lose, and may be in the middle of its imports
        self._process.wait()
        self._sock.close()
        self._log.close()

    def _ask(self, request: dict[str, Any], descriptors: Sequence[int] = ()) -> int:
        with self._lock:
            self._asked += 1
            message = json.dumps({"number": self._asked, **request}).encode()
            try:
                socket.send_fds(self._sock, [message], descriptors)
                while reply := self._sock.recv(_LARGEST_MESSAGE):
                    answer = json.loads(reply)
                    if answer["number"] == self._asked:  # else Ctrl-C came before the answer to an earlier one did
                        break
                else:
                    raise ConnectionResetError("it closed its connection")
            except OSError as error:
                self._process.kill()  # whatever it is at
                self._process.wait()
                raise NurseryError(self._obituary(f"{type(error).__name__}: {error}")) from error
        if "error" in answer:
            raise NurseryError(f"no worker could be forked: {answer['error']}")
        return int(answer["value"])

    def _obituary(self, why: str) -> str:
        return f"the process that workers are forked from is gone ({why})\n{tail(self._log, _LOG_TAIL)}".strip()


def tail(log: IO[bytes], most: int) -> str:
    """The end of what was printed into a file, so many bytes at most."""
    size = os.fstat(log.fileno()).st_size
    return os.pread(log.fileno(), most, max(size - most, 0)).decode(errors="replace")


_BARE = "bare"
_nurseries: dict[tuple[int, frozenset[tuple[str, str]]], Nursery] = {}
_guard = threading.Lock()


def shared(environment: dict[str, str]) -> Nursery:
    """This process's nursery with that environment, started when it is first asked for. What a library reads from the
    environment while it is loaded (threads, paths) holds for every worker of it."""
    key = os.getpid(), frozenset(environment.items())
    with _guard:
        nursery = _nurseries.get(key)
        if nursery is None or not nursery.lives:
            nursery = _nurseries[key] = Nursery(environment)
            atexit.register(nursery.close)
        return nursery


def expect(device: str, cores: int | None, compiles_in: Path | None = None) -> None:
    """Workers of that `environment` will be asked for: their nursery begins to load."""
    shared(environment(device, cores, compiles_in))


def environment(device: str, cores: int | None, compiles_in: Path | None = None) -> dict[str, str]:
    """What every worker is told, and what libraries read while they are loaded; `cores` if it has some of its own.
    `compiles_in`: torch.compile will be called; what it finds out about the machine is kept there."""
    kept = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
    kept["CUDA_VISIBLE_DEVICES"] = _seen(device)
    if compiles_in:
        kept |= compiler.variables(device, compiles_in)
    if cores is not None:
        kept["OMP_NUM_THREADS"] = str(cores)
    return kept | {
        # ninja, which load_inline needs, lies beside the interpreter
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', os.defpath)}",
        "USER": "cuda-l1",  # torch names folders after the user, whom it may not look up
        # Inductor's pool of compile processes needs semaphores in /dev/shm and would outlive the build.
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        # What glibc gives back to the system it must ask for again, page by page, and by luck of its heap one process
        # asks for half as many pages a call as another of the same code. So memory is kept (glibc takes no more).
        "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
        "MALLOC_TRIM_THRESHOLD_": str(4 << 30),
        "MALLOC_MMAP_MAX_": "0",  # large pieces too: eager paid for their pages in each call, five times its time
    }


def _seen(device: str) -> str:
    """The one GPU that a worker sees, which is `within`. None on a CPU: Inductor asks those that it sees for their
    state, which no fork can. What others compute is on no clock, nor is anybody asked whether they are idle."""
    if device == "cpu":
        return ""
    number, every = device.partition(":")[2] or "0", os.environ.get("CUDA_VISIBLE_DEVICES")
    if every is None:
        return number
    names = every.split(",")
    return names[int(number)] if number.isdigit() and int(number) < len(names) else every


def within(device: str) -> str:
    """What a worker calls the judge's device."""
    return "cpu" if device == "cpu" else "cuda:0"


def main() -> None:
    """Entry point of the process: it ends with the judge, whose end of the socket is the only one."""
    gc.disable()  # hundreds of collections while torch loads take a quarter of its time, and free next to nothing
    from cuda_l1.processes import worker  # not above: the judge itself needs none of it

    if kind := os.environ.pop(compiler.DEVICE, ""):
        with contextlib.suppress(Exception):  # where no compiler is, torch.compile says so in the worker, to who asked
            compiler.load(kind)
        if kind == "cuda" and compiler.spoils_cuda():  # another torch, which asks the driver: begin again without
            _begin_bare()
    sock = socket.socket(fileno=int(sys.argv[1]))
    _share()
    has_more = bool(kind) or _BARE in sys.argv
    workers = {int(number) for number in sys.argv[3:]}
    while True:
        message, fds, _, _ = socket.recv_fds(sock, _LARGEST_MESSAGE, 3)
        if not message:
            kin.end(workers)  # what they have started is not among those that die with it
            os._exit(0)
        request = json.loads(message)
        answer = {"number": request["number"]}
        try:
            if "reap" in request:
                kin.end([request["reap"]])  # here no Ctrl-C comes between, and its number is its own until then
                answer["value"] = os.waitstatus_to_exitcode(os.waitpid(request["reap"], 0)[1])
                workers.discard(request["reap"])
            else:
                answer["value"] = _fork(sock, worker.main, request, fds)
                workers.add(answer["value"])
        except OSError as error:  # too many processes, or no memory for one more
            answer["error"] = str(error)
        for fd in fds:
            os.close(fd)
        sock.send(json.dumps(answer).encode())
        if not has_more:  # the first is a reference's, which is at work for long before another is wanted
            compiler.load_kernels()
            if compiler.spoils_cuda():
                _begin_bare(workers)
            _share()
            has_more = True


def _begin_bare(workers: Iterable[int] = ()) -> NoReturn:
    """Become the same process with no compiler loaded: who was forked from it stays its child."""
    born = map(str, workers)
    os.execv(sys.executable, [sys.executable, "-P", "-m", "cuda_l1.processes.nursery", sys.argv[1], _BARE, *born])


def _share() -> None:
    gc.freeze()  # so that no worker's collector writes to, and so copies, what they have in common
    gc.enable()


def _fork(sock: socket.socket, live: Callable[..., NoReturn], request: dict[str, Any], fds: list[int]) -> int:
    """A worker's number, once it leads a session: from then on it can be stopped and killed with all its children."""
    if len(fds) not in (2, 3):
        raise OSError(f"{len(fds)} descriptors came with the question, expected 2 or 3: are too many files open?")
    ready, says_ready = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(ready)
        os.close(says_ready)
        raise
    if pid:
        os.close(says_ready)
        os.read(ready, 1)
        os.close(ready)
        return pid
    try:
        os.setsid()
        os.close(ready)
        sock.close()
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["environment"])
        tempfile.tempdir = None
        link, log, *words = fds
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.close(log)
        os.close(says_ready)  # last: whoever looks at it from then on finds only what it was handed
        live(link, *words)
    except BaseException:
        traceback.print_exc()  # into its log
    finally:
        sys.stderr.flush()
        os._exit(1)


if __name__ == "__main__":
    main()
