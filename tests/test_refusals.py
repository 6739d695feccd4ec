"""What a worker's refusal means, for a candidate and for a task."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from linear import HEAD, LINEAR, forward, rewrite, task
from records import make_candidate, make_evaluation, make_task

from cuda_l1.correctness.refusals import error_of, is_for_memory, status_of
from cuda_l1.errors import CannotJudgeError, TaskError
from cuda_l1.judge import JudgeConfig, Session, session
from cuda_l1.types import Candidate, Evaluation, Finding, Status
from cuda_l1.wire.link import RefusalError

NO_ROOM = (
    "OutOfMemoryError: CUDA out of memory. Tried to allocate {}. GPU 0 has a total capacity of 139.80 GiB of which "
    "1.50 GiB is free. Process 1006 has 66.45 GiB memory in use. Including non-PyTorch memory, this process has {} "
    "memory in use. Process 12311 has 3.07 GiB memory in use. (line 77 in forward, candidate.py)"
)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (NO_ROOM.format("2.46 GiB", "3.19 GiB"), Status.INFRA_FAILED),
        (NO_ROOM.format("512.00 MiB", "801.00 MiB"), Status.INFRA_FAILED),
        (NO_ROOM.format("80.00 GiB", "3.19 GiB"), Status.CRASHED),
        (NO_ROOM.format("2.46 GiB", "120.00 GiB"), Status.CRASHED),
        ("OutOfMemoryError: no figures", Status.CRASHED),
        ("RuntimeError: anything else", Status.CRASHED),
    ],
)
def test_no_room_beside_other_judges_is_not_the_candidates_fault(text: str, status: Status) -> None:
    assert status_of(RefusalError("forward", text))[0] is status


@pytest.mark.parametrize(
    ("slowed", "was_full", "status", "excused"),
    [
        (0, False, Status.CRASHED, [True, True, False]),
        (0, True, Status.INFRA_FAILED, [True, True, True]),
        (2, False, Status.INFRA_FAILED, [True, True, True]),
    ],
)
def test_who_says_so_twice_of_a_device_that_has_room_is_to_blame(
    slowed: int, was_full: bool, status: Status, excused: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On one that was full it is nobody's fault, as often as it is said; nor is it of who says so once, after eager was
    slow beside it."""
    said, asked = RefusalError("forward", NO_ROOM.format("2.46 GiB", "3.19 GiB")), list[bool]()

    def ended(one: Candidate, *, excuses: bool) -> Evaluation:
        asked.append(excuses)
        if len(asked) <= slowed:
            return make_evaluation(
                one, Status.REJECTED, findings=(Finding(check="reference_slowed", detail="by half"),)
            )
        found, findings = status_of(said, excuses=excuses)
        return make_evaluation(one, found, findings=findings)

    judging = cast("Any", object.__new__(session.Session))
    judging.config, judging._ended = SimpleNamespace(device="cuda"), ended
    judging.reference = SimpleNamespace(room=SimpleNamespace(nbytes=1))
    judging._opponents = SimpleNamespace(drop_rival=lambda: None)
    monkeypatch.setattr(session.room, "wait_while_full", lambda device, nbytes: was_full)
    assert judging._closed(make_candidate(make_task())).status is status
    assert asked == excused


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        (NO_ROOM.format("16.00 GiB", "610.00 MiB"), CannotJudgeError, "others had the device's memory"),
        (NO_ROOM.format("12.00 GiB", "60.79 GiB"), CannotJudgeError, "others had the device's memory"),
        (NO_ROOM.format("100.00 GiB", "60.79 GiB"), TaskError, "Model.forward raised on the task's own inputs"),
        ("RuntimeError: anything else", TaskError, "Model.forward raised on the task's own inputs"),
    ],
)
def test_no_room_beside_other_judges_is_not_the_tasks_fault(text: str, error: type[Exception], words: str) -> None:
    """Of 200 KernelBench tasks on one GPU, eleven were called broken so, and what is broken is not tried again."""
    found = error_of(task(), RefusalError("forward", text))
    assert type(found) is error
    assert words in str(found)


def test_a_driver_that_finds_no_room_for_a_context_may_call_the_device_busy() -> None:
    """An H200's, seen where 64 MiB were free; that is waited for, as any other want of memory is."""
    assert is_for_memory("AcceleratorError: CUDA error: CUDA-capable device(s) is/are busy or unavailable")
    assert is_for_memory("AcceleratorError: CUDA error: out of memory")
    assert not is_for_memory("AcceleratorError: CUDA error: an illegal memory access was encountered")


@pytest.mark.parametrize(
    ("spoiled", "said"),
    [
        ("link.Link.await_command = lambda self: self.sock.send(b'q' * 99) and command(self)", "b'q' to a command"),
        ("worker.Worker.state = lambda self, *_: {'state': 5}", "an answer to state whose state is no list"),
    ],
)
def test_what_is_no_answer_is_called_so_and_is_the_candidates(spoiled: str, said: str) -> None:
    found = "link, worker = (sys.modules[f'cuda_l1.{name}'] for name in ('wire.link', 'processes.worker'))"
    source = f"import sys\n{found}\ncommand = link.Link.await_command\n{spoiled}\n" + LINEAR
    with Session(task(LINEAR), JudgeConfig(effort="glance", baselines=())) as session:
        evaluation = session.evaluate(rewrite(source=source))
    assert evaluation.status is Status.CRASHED, evaluation.findings
    assert said in evaluation.findings[0].detail


def test_on_a_cpu_no_word_of_a_full_device_excuses() -> None:
    words = NO_ROOM.format("2.46 GiB", "3.19 GiB").partition(": ")[2]
    with Session(task(LINEAR), JudgeConfig(effort="glance", baselines=())) as session:
        evaluation = session.evaluate(forward(f"raise torch.OutOfMemoryError({words!r})"))
    assert evaluation.status is Status.CRASHED, evaluation.findings


STENCIL = HEAD + (
    "class Model(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.register_buffer('stencil', torch.tensor([1.0, -2.0, 1.0]).view(1, 1, 3))\n"
    "    def forward(self, x):\n"
    "        return nn.functional.conv1d(x, self.stencil)\n\n"
    "def get_inputs():\n    return [torch.randn(8, 1, 64)]\n\n"
    "def get_init_inputs():\n    return []\n"
)
WRITTEN_OUT = ("nn.functional.conv1d(x, self.stencil)", "x[..., :-2] - 2 * x[..., 1:-1] + x[..., 2:]")


def test_a_stencil_that_is_written_into_the_code_is_told_of_its_buffer() -> None:
    with Session(task(STENCIL), JudgeConfig(effort="glance", baselines=())) as session:
        evaluation = session.evaluate(rewrite(*WRITTEN_OUT, source=STENCIL))
    assert evaluation.status is Status.REJECTED
    assert "buffers that are saved (stencil) are loaded as weights are" in evaluation.findings[0].detail


def test_a_stencil_that_is_not_saved_is_a_constant() -> None:
    constant = STENCIL.replace("view(1, 1, 3))", "view(1, 1, 3), persistent=False)")
    with Session(task(constant), JudgeConfig(effort="glance", baselines=())) as session:
        assert session.evaluate(rewrite(*WRITTEN_OUT, source=constant)).status is Status.PASSED


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("PermissionError: [Errno 1] Operation not permitted (line 608 in socketpair, socket.py)", "sockets"),
        ("RuntimeError: unable to open shared memory object </torch_1>: Permission denied (13)", "shared memory"),
        ("ModuleNotFoundError: No module named 'helper'", "one file"),
        ("TypeError: Fast.__init__() missing 1 required positional argument: 'n'", "what get_init_inputs gives"),
        (
            "TypeError: ModelNew.forward() missing 1 required positional argument: 'y' (line 1789 in _call_impl, "
            "module.py)",
            "what get_inputs gives",
        ),
        ("ImportError: attempted relative import with no known parent package", "one file"),
    ],
)
def test_a_candidate_is_told_what_it_cannot_have(text: str, words: str) -> None:
    (finding,) = status_of(RefusalError("forward", text))[1]
    assert finding.detail.startswith(text)
    assert words in finding.detail.removeprefix(text)


def test_a_task_is_told_what_it_may_import() -> None:
    said = str(error_of(task(LINEAR), RefusalError("build", "ImportError: attempted relative import")))
    assert said.endswith("import what lies in it, or what is installed, by name")
