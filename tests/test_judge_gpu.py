"""The judge on a GPU, and on the CPU of a machine that has one."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest
import torch
from linear import forward, task

from cuda_l1.judge import JudgeConfig, Session
from cuda_l1.machine import room
from cuda_l1.types import Status, Verdict

needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device, and there is none")


def test_on_a_cpu_no_gpu_is_seen(session: Session) -> None:
    """Inductor asks every GPU that it sees for the state of its random numbers, which no fork can: on a machine with
    GPUs all that calls torch.compile CRASHED when it was judged on the CPU."""
    seen = "import os\nreturn torch.relu(self.fc(x)) * (os.environ.get('CUDA_VISIBLE_DEVICES') == '')"
    assert session.evaluate(forward(seen)).status is Status.PASSED


@pytest.mark.gpu
def test_what_calls_torch_compile_is_judged_on_the_cpu_of_a_machine_with_gpus(session: Session) -> None:
    compiled = "return torch.relu(torch.compile(self.fc.forward)(x))"
    assert session.evaluate(forward(compiled)).status is Status.PASSED


@pytest.mark.gpu
@needs_cuda
def test_on_a_gpu_too_torch_compile_is_loaded_ahead_and_forks_can_use_the_device() -> None:
    """Inductor, while it is loaded, must not ask the driver for anything: no fork could use CUDA then."""
    loaded = "import sys\nloaded = 'torch._inductor.compile_fx' in sys.modules\n"
    with Session(task(), JudgeConfig(device="cuda", effort="glance", baselines=())) as session:
        found = session.evaluate(forward(f"{loaded}return torch.relu(torch.compile(self.fc.forward)(x)) * loaded"))
        assert found.status is Status.PASSED, found.findings
        loaded = loaded.replace("torch._inductor.compile_fx", "triton.runtime.jit")
        found = session.evaluate(forward(f"{loaded}return torch.relu(self.fc(x)) * loaded"))
        assert found.status is Status.PASSED, "Triton is there from the second worker on"


BURNER = """
import torch
factor = torch.randn(8192, 8192, device="cuda")
for number in range(3000):
    factor @ factor
    if number % 20 == 0:
        torch.cuda.synchronize()
    if number == 0:
        print("at work", flush=True)
"""


@pytest.mark.gpu
@needs_cuda
def test_on_a_gpu_that_another_program_uses_there_is_no_verdict() -> None:
    """Only while this session holds the device: tests beside it have it otherwise."""
    with Session(task(), JudgeConfig(device="cuda", effort="glance", baselines=())) as session:
        leased = session.reference.lease.alone

        @contextlib.contextmanager
        def beside_another() -> Iterator[None]:
            with leased(), subprocess.Popen([sys.executable, "-c", BURNER], stdout=subprocess.PIPE, text=True) as other:
                try:
                    assert other.stdout is not None
                    assert other.stdout.readline() == "at work\n"
                    yield
                finally:
                    other.kill()

        session.reference.lease.alone = beside_another  # type: ignore[method-assign]
        evaluation = session.evaluate(forward("return torch.relu(self.fc(x))"))
    assert evaluation.status is Status.PASSED
    assert evaluation.verdict is Verdict.AMBIGUOUS
    assert any(note.check == "crowded" for note in evaluation.notes)


class Hoard:
    """All of a GPU's memory but 64 MiB, from `fill` until somebody has waited a second for some."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.held: list[torch.Tensor] = []

        def waits(device: str, nbytes: int, wait: Callable[[str, int], None] = room.wait_while_full) -> None:
            if self.held:
                threading.Timer(1.0, self.give_back).start()
            wait(device, nbytes)

        monkeypatch.setattr(room, "wait_while_full", waits)

    def fill(self) -> None:
        self.held.append(torch.empty(torch.cuda.mem_get_info()[0] - (64 << 20), dtype=torch.uint8, device="cuda"))

    def give_back(self) -> None:
        self.held.clear()
        torch.cuda.empty_cache()


@pytest.fixture
def hoard(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hoard]:
    there = torch.cuda.mem_get_info()[1]
    with room.claimed("cuda", there, there):  # others' tests wait
        made = Hoard(monkeypatch)
        yield made
        made.give_back()


@pytest.mark.gpu
@needs_cuda
def test_a_gpu_that_another_program_has_filled_is_waited_for(hoard: Hoard) -> None:
    """A candidate that took all memory is ended soon: those beside it get their word all the same."""
    with Session(task(), JudgeConfig(device="cuda", effort="glance", baselines=())) as session:
        hoard.fill()
        evaluation = session.evaluate(forward("return torch.relu(self.fc(x))"))
        assert not hoard.held, "it had its word while the device was full"
    assert evaluation.status is Status.PASSED, evaluation.findings


@pytest.mark.gpu
@needs_cuda
def test_a_session_is_opened_once_a_gpu_is_no_longer_full(hoard: Hoard) -> None:
    hoard.fill()
    with Session(task(), JudgeConfig(device="cuda", effort="glance", baselines=())) as session:
        assert not hoard.held
        evaluation = session.evaluate(forward("return torch.relu(self.fc(x))"))
    assert evaluation.status is Status.PASSED, evaluation.findings
