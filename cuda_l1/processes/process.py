"""One worker as the parent holds it: started, asked, timed, killed with all that it started.

The parent's clock is here: `command` releases a call and reads its own `perf_counter_ns` around it. Whatever the worker
answers, only bytes in the arena and the moments seen here count. Between its turns a process is stopped, with all its
children: what does not run cannot slow the others, look ahead, or finish late.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import math
import mmap
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from cuda_l1 import foreign, syntax
from cuda_l1.errors import CannotJudgeError
from cuda_l1.extensions import inline
from cuda_l1.machine import environment
from cuda_l1.processes import nursery
from cuda_l1.sandbox import kin, layers, removal
from cuda_l1.wire.link import (
    ASK,
    END,
    PAGE,
    CallFailedError,
    GarbledError,
    Link,
    RefusalError,
    SlowWorkerError,
    WorkerGoneError,
    nothing,
)

_LOG_TAIL = _LONGEST_ERROR = 16_384
_LONGEST_LINE = 600
_KILL_ROUNDS, _GENERATIONS = 20, 3
"""How often one looks whether all have ended, and how often there may be new ones among them."""
_START_TIMEOUT_S = 120.0
_SCRATCH = "cuda-l1-worker-"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
"""Anybody may put a pipe or a link of such a name beside them."""
_ON_THE_WIRE = 1 << 20
"""Bytes that wait there for a worker that builds, as far as the system lets: names and shapes of 400 weights fill what
there is by default, and a second start would not be asked to build before the first one had."""

Walls = Literal["none", "calls", "all"]
"""What holds a worker: nothing, the filter of system calls alone, or the whole sandbox."""
_T = TypeVar("_T")


STARVED = "the machine ran out of memory, and its kernel ends processes then"
"""What an obituary says where that happened meanwhile: whoever took it, all candidates are marked to go first."""


class CannotStartError(CannotJudgeError):
    """A worker failed before any candidate's code ran in it: our failure."""


_YIELD_S, _STOPS_IN_S = 2e-5, 0.05
"""The first takes a tenth of a millisecond; measured: without, the other threads ran on for 4 ms, with it none of 300
times on a quiet machine. On a busy one the main thread waits for a core, while another of its threads spins."""


class WorkerProcess:
    """A worker with a scratch folder of its own. Use as a context manager, or call `close`."""

    def __init__(
        self,
        *,
        device: str,
        precision: str,
        mode: str,
        threads: int,
        cores: int | None = None,
        walls: Walls,
        cache: Path | None = None,
        readable: tuple[str, ...] = (),
        kit: Path | None = None,
        compiles_in: Path | None = None,
    ) -> None:
        """`cores` and `compiles_in` as `nursery.environment` has them."""
        self._held = contextlib.ExitStack()
        self.scratch = _scratch(self._held)
        self._log = self._held.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - it is one
        self._owed: list[float] = []
        self.stopped_s = self.ran_stopped_s = self.stopping_s = 0.0
        """Time between `stop` and `resume`, and CPU time that it has used meanwhile: stopped, and until it was."""
        self._stopped_at_s: tuple[float, float] | None = None
        self._started = False
        self.shown: list[str] = []
        """On a GPU, handles of its memory as its first answer had them (see `memory`)."""
        self._is_late, self._oom_kills = False, environment.oom_kills()
        self._usual_s = self._most_s = math.inf
        self._beyond_s = 0.0
        self._tail: str | None = None
        try:
            self._bear(nursery.environment(device, cores, compiles_in), cache, spins=device.startswith("cuda"))
            os.sched_setaffinity(self.process.pid, os.sched_getaffinity(0))  # the nursery may have begun on other cores
            self.post(
                "start", _START_TIMEOUT_S, device=nursery.within(device), precision=precision, mode=mode,
                threads=threads, walls=walls,
                scratch=str(self.scratch), kit=str(kit) if kit else None, writable=[str(cache)] if cache else [],
                readable=[*layers.runtime_folders(), *readable, *([str(kit)] if kit else [])],
            )  # fmt: skip
        except BaseException as error:
            self.close()
            if isinstance(error, nursery.NurseryError | WorkerGoneError | OSError):
                raise CannotStartError(f"a worker did not start: {error}") from error
            raise

    def _bear(self, shared: dict[str, str], cache: Path | None, *, spins: bool) -> None:
        """The process, and our end of the wire to it."""
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _ON_THE_WIRE)
        with contextlib.closing(theirs), contextlib.ExitStack() as born:
            words_fd = os.memfd_create("cuda-l1-words", os.MFD_ALLOW_SEALING) if spins else -1
            if spins:
                born.callback(os.close, words_fd)
                os.ftruncate(words_fd, PAGE)
                fcntl.fcntl(words_fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
            self.link = Link(ours, mmap.mmap(words_fd, PAGE) if spins else None)
            self._held.callback(self.link.close)
            descriptors = [theirs.fileno(), self._log.fileno(), *([words_fd] if spins else [])]
            self.nursery = nursery.shared(shared)
            own = _own_environment(self.scratch, cache)
            self.process = self.nursery.bear(str(self.scratch), shared | own, descriptors)
            self._held.callback(self._kill_all)

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, name: str, text: str) -> str:
        """Put a source file into the scratch folder; its path. RefusalError for text that no file takes."""
        path = self.scratch / name
        try:
            path.write_bytes(syntax.encoded(text))
        except UnicodeEncodeError as error:  # half of a surrogate pair, which no file takes
            raise RefusalError("build", str(error), self.process.pid) from error
        return str(path)

    def post(self, op: str, timeout_s: float, fd: int | None = None, **fields: Any) -> None:
        """Ask without waiting; `settle` waits. The process starts in the background this way. Where it is at what was
        asked before and takes no more (see `_ON_THE_WIRE`) this waits too, as long as all of that may take."""
        self._owed.append(timeout_s)
        try:
            self.link.send({"op": op, **fields}, fd, sum(self._owed))
        except SlowWorkerError as error:
            self._is_late = True
            raise SlowWorkerError("; ".join([str(error), *self.slow_build()])) from error

    def settle(self) -> dict[str, Any]:
        """Wait for the answers to all that was posted; the last one. RefusalError for the first that cannot be."""
        reply: dict[str, Any] = {}
        while self._owed:
            reply = self._reply()
        return reply

    def request(self, op: str, timeout_s: float, fd: int | None = None, **fields: Any) -> dict[str, Any]:
        """Ask and wait. RefusalError when it cannot, WorkerGoneError when it died, SlowWorkerError when it is late."""
        self.settle()
        self.post(op, timeout_s, fd, **fields)
        return self._reply()

    def ask(self, op: str, timeout_s: float, field: str, kind: type[_T], **fields: Any) -> _T:
        """One field of an answer that a candidate may have forged; GarbledError when it is not of that kind."""
        value = self.request(op, timeout_s, **fields).get(field)
        if not isinstance(value, kind):
            raise GarbledError(f"an answer to {op} whose {field} is no {kind.__name__}")
        return value

    def enter(
        self, arena: str, structure: Any, timeout_s: float, *, again: bool = False, writes: Sequence[int] = ()
    ) -> None:
        """Begin a race: from here on only `command` until `leave`."""
        self.settle()
        self.link.begin()  # before the worker can see the first word
        self.request("race", timeout_s, arena=arena, structure=structure, again=again, writes=list(writes))
        self._owed = [timeout_s]  # the answer to the race itself

    def ask_amid(self, op: str, timeout_s: float, fd: int | None = None, **fields: Any) -> tuple[dict[str, Any], float]:
        """Ask amid a race, whose end lets go of a result and collects what calls left: both may run code of a
        candidate's own. The answer, and the microseconds that it took."""
        ask = functools.partial(self.link.send, {"op": op, **fields}, fd, timeout_s)
        took_us = self.command(ASK, timeout_s, meanwhile=ask)
        self._owed.insert(0, timeout_s)
        return self._reply(), took_us

    def limit(self, usual_s: float, most_s: float) -> None:
        """What its commands, and answers, take beyond `usual_s` each may be `most_s`, all of them together."""
        self._usual_s, self._most_s = usual_s, most_s

    def command(self, value: int, timeout_s: float, key: int = 0, meanwhile: Callable[[], object] = nothing) -> float:
        """Give one command of a race (`link.RUN`, a slot and its key, ...), and do something `meanwhile`; microseconds
        until it was done."""
        started = time.perf_counter_ns()
        try:
            self.link.command(value, timeout_s, self.process.poll, key, meanwhile)
        except CallFailedError:
            self._reply()  # raises what went wrong
            raise GarbledError("a call that failed and then did not") from None
        except SlowWorkerError:
            self._is_late = True
            raise
        took_us = (time.perf_counter_ns() - started) / 1e3
        self._count(took_us / 1e6)
        return took_us

    def _count(self, took_s: float) -> None:
        """SlowWorkerError where that is too much, with all that it took before."""
        self._beyond_s += max(took_s - self._usual_s, 0.0)
        if self._beyond_s > self._most_s:
            self._is_late = True
            raise SlowWorkerError(
                f"each call ended in time, but all of them took {self._most_s:g} s more than so many of "
                f"{self._usual_s:.3g} s each"
            )

    def leave(self, timeout_s: float) -> None:
        """End a race; nothing where a call that failed has ended it already."""
        if not self._owed:
            return
        self.command(END, timeout_s)
        self._reply()

    def kill_children(self) -> bool:
        """End all that the process has started: a build may need such, a call does not, and a child may be in no group
        when that is stopped and in it when one looks. The session they cannot leave (see seccomp). Whether all end."""
        met: set[int] = set()
        generations = 0
        for _ in range(_KILL_ROUNDS):
            children = {pid for pid in kin.members([self.process.pid]) if pid != self.process.pid}
            if not children:
                return True
            if not children <= met:  # one may start another meanwhile, and all of this is on nobody's clock
                generations += 1
            if generations > _GENERATIONS:
                return False
            met |= children
            kin.kill(children)
            time.sleep(0.001)
        return False

    def stop(self) -> None:
        """Freeze the process and its children. Nothing where they are gone: what is asked next says so."""
        before_s = kin.cpu_s(self.process.pid)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGSTOP)
        if self.link.words is None:  # its main thread, which must run to stop the others, may be waiting for our core
            until = time.monotonic() + _STOPS_IN_S
            time.sleep(_YIELD_S)
            while not self._is_still() and time.monotonic() < until:
                time.sleep(_YIELD_S)
        cpu_s = kin.cpu_s(self.process.pid)
        self.stopping_s += cpu_s - before_s
        self._stopped_at_s = cpu_s, time.monotonic()

    def stop_alone(self) -> bool:
        """The same, and end its children, of which no stop is certain: the threads of a process whose main one waits in
        the kernel for a child that has not begun (vfork) run on. Whether all end."""
        self.stop()
        return self.kill_children()

    def _is_still(self) -> bool:
        return kin.run_state(self.process.pid) == "T" or kin.is_over(self.process.pid)

    def resume(self) -> None:
        """Let them run again. Nothing where they are gone: what is asked next says so."""
        if self._stopped_at_s is not None:  # a signal of its own making may have woken it
            cpu_s, began = self._stopped_at_s
            self.ran_stopped_s += kin.cpu_s(self.process.pid) - cpu_s
            self.stopped_s += time.monotonic() - began
            self._stopped_at_s = None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGCONT)

    def _reply(self) -> dict[str, Any]:
        began = time.monotonic()
        try:
            reply, _ = self.link.receive(self._owed.pop(0))
        except (WorkerGoneError, SlowWorkerError) as error:
            self._is_late |= isinstance(error, SlowWorkerError)
            if not self._started:
                raise CannotStartError(f"a worker did not start: {self.obituary()}") from error
            if isinstance(error, SlowWorkerError):
                raise SlowWorkerError("; ".join([str(error), *self.slow_build()])) from error
            raise
        if not reply.get("ok"):
            self._owed = []
            if not self._started:
                raise CannotStartError(f"a worker did not start: {reply.get('error')}")
            stage, words = (foreign.printable(str(reply.get(name))[:_LONGEST_ERROR]) for name in ("stage", "error"))
            raise RefusalError(stage, words, self.process.pid)
        if not self._started:
            self.shown = reply.get("shown", [])
        self._started = True
        self._count(time.monotonic() - began)
        return reply

    def slow_build(self) -> list[str]:
        """Why what it built last took long, where it printed that."""
        said = [line for line in self.log_tail().splitlines() if line.startswith(inline.SLOW_WAY)]
        return [f"an inline extension was {line[:_LONGEST_LINE]}" for line in said[-1:]]

    @property
    def has_failed(self) -> bool:
        """Whether it is dead, or was late when it was asked."""
        return self._is_late or self.process.poll() is not None

    def log_tail(self) -> str:
        """The end of what the process printed."""
        if self._tail is None:
            return foreign.printable(nursery.tail(self._log, _LOG_TAIL))
        return self._tail

    def obituary(self) -> str:
        """How the process ended, for a person."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        code = self.process.returncode
        if code is None:
            return "the process closed its connection and went on running"
        if code < 0:
            named = -code in signal.valid_signals() and -code < signal.SIGRTMIN
            why = f"; {STARVED}" if -code == signal.SIGKILL and environment.oom_kills() > self._oom_kills else ""
            return f"the process was killed by {signal.Signals(-code).name if named else f'signal {-code}'}{why}"
        return f"the process exited with code {code} in the middle of its work"

    def close(self) -> None:
        """Kill the whole session and remove the scratch folder. Only the end of its log is kept."""
        if self._tail is not None:
            return
        self._tail = self.log_tail()
        self._held.close()

    def _kill_all(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def _scratch(held: contextlib.ExitStack) -> Path:
    """A new scratch folder, removed when `held` ends, and locked by then: the system drops that lock however its owner
    dies, and judges in other containers see it, where a process's number means nothing or another process."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{_SCRATCH}{os.getpid()}-"))
        with contextlib.suppress(FileNotFoundError):  # swept before it was locked
            lock = os.open(folder, _FOLDER)
            held.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_SH)
            (folder / "tmp").mkdir()
            held.callback(removal.remove, folder)
            return folder


def sweep() -> None:
    """Remove scratch folders of judges that were killed before they could: nobody has them locked."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_SCRATCH}*"):
        with contextlib.suppress(OSError):  # another user's, gone meanwhile, or in use
            lock = os.open(folder, _FOLDER)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                removal.remove(folder)
            finally:
                os.close(lock)


def _own_environment(scratch: Path, cache: Path | None) -> dict[str, str]:
    """The folders of one worker."""
    home = cache or scratch
    return {
        "HOME": str(scratch),
        "TMPDIR": str(scratch / "tmp"),
        "TORCHINDUCTOR_CACHE_DIR": str(home / "inductor"),
        "TRITON_CACHE_DIR": str(home / "triton"),
        "TORCH_EXTENSIONS_DIR": str(home / "extensions"),
        "CUDA_CACHE_PATH": str(home / "cuda"),
    }


def honest(call: Callable[[], _T]) -> _T:
    """Run a request to a side that is no candidate: if it fails, the judge has failed."""
    try:
        return call()
    except (RefusalError, SlowWorkerError, WorkerGoneError) as error:
        raise CannotJudgeError(
            f"a reference or baseline process failed while timing: {type(error).__name__} {error}"
        ) from error
