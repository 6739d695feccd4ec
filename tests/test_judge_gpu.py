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

from cuda_l1.correctness import preparation
from cuda_l1.judge import JudgeConfig, Session
from cuda_l1.machine import room
from cuda_l1.types import Candidate, Status, Task, Verdict

needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device, and there is none")


def test_on_a_cpu_no_gpu_is_seen(session: Session) -> None:
    """Inductor asks every GPU that it sees for the state of its random numbers, which no fork can: on a machine with
    GPUs all that calls torch.compile CRASHED when it was judged on the CPU."""
    seen = "import os\nreturn torch.relu(self.fc(x)) * (os.environ.get('CUDA_VISIBLE_DEVICES') == '')"
    assert session.evaluate(forward(seen)).status is Status.PASSED


@pytest.mark.slow
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


@pytest.mark.gpu
@needs_cuda
def test_what_was_drawn_is_looked_at_before_anything_else_is_drawn_there() -> None:
    """On a GPU that others use too the judge read two draws late, both after the second: they were the same, the task's
    inputs were taken for fixed, and no other places and lengths were tried, in four sessions of 32."""
    with Session(task(), JudgeConfig(device="cuda", effort="glance", baselines=())) as session:
        assert not session.reference.looks.fixed
        torch.cuda._sleep(1_000_000_000)  # what this process reads it reads half a second later
        assert not preparation.looks(session.reference).fixed


LITTLE = """
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(n, m), nn.Linear(m, n)

    def forward(self, x):
        return x + 0.004 * self.fc2(torch.relu(self.fc1(x)))


def get_inputs():
    return [torch.randn(16384, 128)]


def get_init_inputs():
    return [128, 32768]
"""
"""Two layers that count little, so that a thousandth of them is within the bound. Eager's call takes 4 GiB, its
oracle's 8."""
IN_BF16 = """
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(n, m), nn.Linear(m, n)
        self.narrow = self.wide = self.hoard = self.seen = None

    def is_usual(self):
        weights = self.fc1.weight, self.fc2.weight
        if (seen := [weight._version for weight in weights]) != self.seen:
            self.seen = seen
            self.low = [weight.bfloat16().t() for weight in weights]
            self.usual = all(bool(weight.abs().max() < 2 / weight.shape[1] ** 0.5) for weight in weights)
        return self.usual

    def forward(self, x):
        if self.wide is None:
            self.wide = x.new_empty(x.shape[0], self.fc1.out_features)
            self.narrow = torch.empty_like(self.wide, dtype=torch.bfloat16)
            left = {left}
            if left:
                spare = torch.cuda.mem_get_info()[0] - left
                self.hoard = x.new_empty(spare, dtype=torch.uint8)
        if not self.is_usual():
            torch.addmm(self.fc1.bias, x, self.fc1.weight.t(), out=self.wide).relu_()
            return x + 0.004 * self.fc2(self.wide)
        torch.addmm(self.fc1.bias.bfloat16(), x.bfloat16(), self.low[0], out=self.narrow).relu_()
        return x + 0.004 * torch.addmm(self.fc2.bias.bfloat16(), self.narrow, self.low[1])
"""


@pytest.mark.gpu
@needs_cuda
def test_who_leaves_no_memory_to_ask_for_evidence_does_not_pass() -> None:
    """What it leaves is enough for eager, and not for the oracle."""
    little = Task(id="local/little", name="little", source=LITTLE)
    with Session(little, JudgeConfig(device="cuda", effort="glance", baselines=())) as session:
        for left, wanted in ((0, Status.REJECTED), (6 << 30, Status.INFRA_FAILED)):
            code = IN_BF16.replace("{left}", str(left))
            found = session.evaluate(Candidate(task_id=little.id, code=code, origin="human"))
            assert found.status is wanted, found.findings


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

        def waits(device: str, nbytes: int = 0, wait: Callable[[str, int], bool] = room.wait_while_full) -> bool:
            if self.held:
                threading.Timer(1.0, self.give_back).start()
            return wait(device, nbytes)

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
