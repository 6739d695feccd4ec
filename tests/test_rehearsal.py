"""Values that a reference is not meant for, and that end what its process can do on a GPU."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from linear import LINEAR, forward, rewrite, task

from cuda_l1.correctness import preparation, reference
from cuda_l1.errors import CannotJudgeError, TaskError
from cuda_l1.inputs.looks import Looks
from cuda_l1.judge import JudgeConfig, Session, judge
from cuda_l1.types import Status

CONFIG = JudgeConfig(effort="glance", baselines=())
PROBABILITIES = (
    LINEAR.replace("torch.relu(self.fc(x))", "nn.functional.binary_cross_entropy(x, x.flip(0), reduction='none')")
    .replace("randn(32, 64)", "rand(32, 64)")
    .replace("        self.fc = nn.Linear(n, n)\n", "")
)
BY_LOGARITHMS = "-x.flip(0) * x.log().clamp(min=-100) - (1 - x.flip(0)) * torch.log1p(-x).clamp(min=-100)"
AS_ON_A_GPU = (
    PROBABILITIES.replace("class Model", "from copy import copy\nLOST = []\n\nclass Model")
    .replace(
        "    def forward(self, x):\n",
        "        self.is_copy = False\n"
        "    def __deepcopy__(self, memo):\n"
        "        other = copy(self)\n        other.is_copy = True\n        return other\n"
        "    def forward(self, x):\n"
        "        if not self.is_copy and not ((x >= 0) & (x <= 1)).all():\n            LOST.append(1)\n"
        "        if LOST:\n            raise RuntimeError('CUDA error: device-side assert triggered')\n",
    )
)  # fmt: skip
"""What an assertion does there, on a CPU: after values out of range the process can do nothing more."""


def test_a_task_whose_process_other_values_end_is_opened_once_more_and_asked_on_the_cpu_first() -> None:
    old = "        if LOST:\n            raise RuntimeError('CUDA error: device-side assert triggered')\n"
    with Session(task(AS_ON_A_GPU), CONFIG) as session:
        assert session.reference.care.rehearses
        kinds = {each.kind for each in session.reference.sets}
        assert not kinds & {"signs", "negated", "large"}, kinds
        assert kinds > {"own"}, "what lies between zero and one is asked"
        (note,) = [note for note in session.reference.notes if note.check == "rehearsed"]
        assert "CPU" in note.detail
        right = rewrite(old, "", AS_ON_A_GPU).code
        found = session.evaluate(rewrite(source=AS_ON_A_GPU).model_copy(update={"code": right}))
        assert found.status is Status.PASSED, found.findings


def test_what_raises_on_its_own_values_says_why() -> None:
    source = AS_ON_A_GPU.replace("rand(32, 64)", "rand(32, 64) * 2")
    with (
        pytest.raises(TaskError, match="should be between 0 and 1"),
        Session(task(source), CONFIG),
    ):
        pass


def test_values_that_the_reference_does_not_come_back_from_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "_PATIENCE_S", 1.0)
    endless = "import time\n\nclass Model"
    source = LINEAR.replace("class Model", endless).replace("randn(32, 64)", "rand(32, 64)")
    wait = "        while 150 < x.max() < 1e6:\n            time.sleep(0.1)\n"
    source = source.replace("        return torch.relu", f"{wait}        return torch.relu")
    with Session(task(source), CONFIG) as session:
        (note,) = [note for note in session.reference.notes if note.check == "no_answer"]
        kinds = {each.kind for each in session.reference.sets}
        assert "signs" in kinds, "between minus one and one"
        assert "large values" in note.detail
        assert "large" not in kinds
        found = session.evaluate(rewrite(source=source))
    assert found.status is Status.PASSED, found.findings
    monkeypatch.setattr(preparation, "_MOST_OPENED", 1)
    with (
        pytest.raises(TaskError, match="task test: the reference gave no answer in time on"),
        Session(task(source), CONFIG),
    ):
        pass


def test_a_session_that_found_no_memory_is_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever had it all may be a candidate of another session, and ended soon."""
    waited, full = list[str](), [torch.OutOfMemoryError("CUDA out of memory")] * 2

    def looks(ref: reference.Reference, look: Callable[[reference.Reference], Looks] = preparation.looks) -> Looks:
        if full:
            raise full.pop()
        return look(ref)

    monkeypatch.setattr(preparation, "looks", looks)
    monkeypatch.setattr(preparation.room, "wait_while_full", waited.append)
    with Session(task(), CONFIG):
        assert waited == ["cpu", "cpu"]
    full += [torch.OutOfMemoryError("CUDA out of memory")] * 3
    with pytest.raises(CannotJudgeError, match="the judge itself failed while it prepared"), Session(task(), CONFIG):
        pass
    assert len(waited) == 4


def test_a_candidate_that_raises_on_other_values_is_told_on_which() -> None:
    (found,) = judge(task(), [forward("assert x.max() < 100\nreturn torch.relu(self.fc(x))")], CONFIG)
    assert found.status is Status.CRASHED
    assert "given input set" in found.findings[0].detail
    assert " values)" in found.findings[0].detail
    (found,) = judge(task(), [forward("raise ValueError('always')")], CONFIG)
    assert "given" not in found.findings[0].detail


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device, and there is none")
def test_probabilities_on_a_gpu() -> None:
    """Whatever is not between zero and one is an assertion there."""
    candidate = rewrite(
        "nn.functional.binary_cross_entropy(x, x.flip(0), reduction='none')", BY_LOGARITHMS, PROBABILITIES
    )
    with Session(task(PROBABILITIES), JudgeConfig(device="cuda", effort="glance", baselines=())) as session:
        assert session.reference.care.rehearses
        found = session.evaluate(candidate)
    assert found.status is Status.PASSED, found.findings
