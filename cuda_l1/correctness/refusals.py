"""What it means that something is refused, by a worker or by the judge: for a candidate a status, for a task an error.

A GPU's memory is shared: who finds no room beside others is not to blame for it, so that one is tried again and another
is final. PyTorch's message tells the two apart.
"""

from __future__ import annotations

import contextlib
import re
import signal
from collections.abc import Iterator, Mapping, Sequence

from cuda_l1 import wording
from cuda_l1.correctness.sets import InputSet
from cuda_l1.errors import CannotJudgeError, CudaL1Error, TaskError
from cuda_l1.machine import room
from cuda_l1.processes.process import STARVED, WorkerProcess
from cuda_l1.types import Finding, Status, Task
from cuda_l1.wire.link import RefusalError, WorkerGoneError

_BYTES = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_SIZE = r"(\d+(?:\.\d+)?) (bytes|KiB|MiB|GiB)"
_NO_ROOM = re.compile(
    rf"OutOfMemoryError: .*?Tried to allocate {_SIZE}.*?total capacity of {_SIZE}.*?this process has {_SIZE}", re.DOTALL
)
_CANDIDATES_SHARE, _TASKS_SHARE = 0.25, 0.9
"""Of the device's memory: who wants less in all is not at fault. A candidate may make its message up."""
_HINTS = {
    "required positional argument": "; get_init_inputs(), or --init, gives the constructor's arguments as a list",
    "does not require grad": "; calls run without gradients: torch.enable_grad() and x.detach().requires_grad_() in it",
    "attempted relative import": "; no name leads to its folder: import what lies in it, or what is installed, by name",
    "No module named": "; found are what is installed and what lies in the task's own folder",
}
"""What mends an error of a task's own, by a pattern of it."""
_REFUSED = (
    "; the sandbox refuses files outside its scratch folder, sockets (asyncio too), shared memory and semaphores with "
    "a name (multiprocessing), and the choice of cores and priorities"
)
_CANDIDATES_HINTS = {
    "PermissionError: ": _REFUSED,
    "unable to open shared memory": _REFUSED,
    "attempted relative import": "; a candidate is one file: found are what is installed and what the task imports",
    "No module named": "; a candidate is one file: found are what is installed and what the task imports",
    r"\.__init__\(\) [^(]*\Z": "; it is constructed with what get_init_inputs gives, as the task's Model is",
    r"\.forward\(\) [^(]*\(line \d+ in _call_impl, module\.py\)\Z": (
        "; it is called with what get_inputs gives, as the task's Model is"
    ),
}
"""What mends an error of a candidate's, by a pattern of it: what it reads is what it may have made up. Of one in a call
of the judge's own no line of the candidate's is named."""
KEPT = (
    "; right under its own weights: what is made of weights and kept must be made anew when they change, and their "
    "signs, order and zeros may be others"
)
_CRASHES = {signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT}
"""By which code ends its own process; another signal somebody has sent, such as the kernel for want of memory."""


class CandidateError(Exception):
    """A candidate did not pass: the status, the check that saw it, and the evidence."""

    def __init__(self, status: Status, check: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.check, self.detail = status, check, detail


def of_buffers(names: Sequence[str]) -> str:
    """What must be done about the buffers that a module saves, by name; empty where it saves none. A stencil or a table
    among them looks like a constant, and is written into the code."""
    some = wording.some_of(names)
    return f"; buffers that are saved ({some}) are loaded as weights are: read them in each call" if names else ""


@contextlib.contextmanager
def told_of(given: Sequence[InputSet]) -> Iterator[None]:
    """What raises in here says on which of these sets, where they are not all of the task's own values."""
    try:
        yield
    except RefusalError as refusal:
        if all(each.kind == "own" and not each.weights for each in given):
            raise
        names = " or ".join(each.name for each in given)
        raise RefusalError(refusal.stage, f"{refusal}; given {names}", refusal.pid) from refusal


def is_for_memory(said: RefusalError | str) -> bool:
    """Whether it says that there was no memory."""
    return room.NO_MEMORY.search(str(said)) is not None


def is_starved(found: Sequence[Finding]) -> bool:
    """Whether the kernel may have ended a candidate's process for want of memory that others had: it ends whoever is
    marked for it, and all candidates are (sandbox)."""
    return any(each.check == "process" and STARVED in each.detail for each in found)


def tells_no_size(said: str) -> bool:
    """Whether the driver found no memory and did not say whose it was."""
    return "CUDA error: out of memory" in said


def status_of(refusal: RefusalError, usual: int = 0, *, is_cuda: bool = True) -> tuple[Status, tuple[Finding, ...]]:
    """A candidate's status and why. `usual`: bytes that a call of the task itself allocates. On a CPU a message about
    a GPU's memory is made up: who raises it in place of a wrong answer would be left out, and not be worth 0."""
    stage, detail = refusal.stage, f"{refusal}{_hint(_CANDIDATES_HINTS, refusal)}"
    if is_cuda and wants_less(detail, _CANDIDATES_SHARE, beside=-2 * usual):
        return Status.INFRA_FAILED, (Finding(check="judge", detail=f"others had the device's memory: {detail}"),)
    if stage == "build":
        return Status.BUILD_FAILED, (Finding(check="build", detail=detail),)
    if stage == "forward":
        return Status.CRASHED, (Finding(check="forward", detail=detail),)
    if stage == "output":
        check, _, rest = detail.partition(": ")
        status = Status.REJECTED if check in ("plain", "overwritten") else Status.WRONG_OUTPUT
        return status, (Finding(check=f"output_{check}", detail=rest),)
    # A candidate's process may name any stage, and blame the judge.
    return Status.CRASHED, (Finding(check="process", detail=f"{stage}: {detail}"),)


def error_of(task: Task, refusal: RefusalError) -> CudaL1Error:
    """TaskError for what is wrong with the task; CannotJudgeError where the device had no room for it."""
    if wants_less(str(refusal)):
        return CannotJudgeError(f"task {task.name}: others had the device's memory, use fewer --workers: {refusal}")
    what = {
        "build": "the source does not import, or Model cannot be constructed",
        "inputs": "get_inputs() raised",
        "init_inputs": "get_init_inputs() raised",
        "forward": "Model.forward raised on the task's own inputs",
        "output": "what Model.forward returns hangs on values (numbers that do it may return as tensors)",
    }.get(refusal.stage, "cannot be judged")
    return TaskError(f"task {task.name}: {what}: {refusal}{_hint(_HINTS, refusal)}")


def _hint(hints: Mapping[str, str], refusal: RefusalError) -> str:
    return next((said for words, said in hints.items() if re.search(words, str(refusal))), "")


def failure_of(
    task: Task, error: WorkerGoneError | RuntimeError, process: WorkerProcess, *, is_own: bool
) -> CudaL1Error:
    """TaskError where the task's code has ended the reference's process, or has crashed it on the task's own values
    (`is_own`); CannotJudgeError where something else has, and for what this process failed at while it prepared, its
    own code or the device."""
    if isinstance(error, RuntimeError):
        said = f"the judge itself failed while it prepared, and not the task: {type(error).__name__}: {error}"
        return CannotJudgeError(f"task {task.name}: {said}")
    ended = f"{process.obituary()}\n{process.log_tail()}".rstrip()
    code = process.process.returncode
    if code is not None and -code in _CRASHES and is_own:
        return TaskError(f"task {task.name}: it crashes on its own inputs, or before: {ended}")
    if code is None or code < 0:
        return CannotJudgeError(f"task {task.name}: the reference's process failed: {ended}")
    said = "the task's own code ended the process that ran it, by os._exit or the like; take that out"
    return TaskError(f"task {task.name}: {said}: {ended}")


def wants_less(text: str, share: float = _TASKS_SHARE, *, beside: int = 0) -> bool:
    """Whether PyTorch says that a process found no room for what, with `beside` bytes that must be there too, would be
    less than `share` of the device in all: other judges and this one's own sides have the rest. Who makes such a text
    up gets no word, and no win."""
    found = _NO_ROOM.search(text)
    if found is None:
        return False
    wanted, capacity, own = (float(found[n]) * _BYTES[found[n + 1]] for n in (1, 3, 5))
    return wanted + own + beside < share * capacity
