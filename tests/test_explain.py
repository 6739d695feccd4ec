"""Labels, roofline and signals on whole evaluations: what ran is said, and what lies about it is no harm."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.evidence import roofline
from cuda_l1.judge import JudgeConfig, Session, explain
from cuda_l1.machine import room
from cuda_l1.types import Candidate, Evaluation, Status, Task
from cuda_l1.wire.link import RefusalError

PRODUCT = "torch.diag(d) @ self.fc(x)"
SOURCE = f"""import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
    def forward(self, d, x):
        return torch.relu({PRODUCT})

def get_inputs():
    return [torch.randn(64), torch.randn(64, 64)]

def get_init_inputs():
    return [64]
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        task = Task(id="local/test", name="test", source=SOURCE)
        with Session(task, JudgeConfig(effort="quick", baselines=(), run_timeout_s=5, seed=1)) as session:
            yield session


def judged(session: Session, product: str = PRODUCT, head: str = "") -> Evaluation:
    code = head + SOURCE.replace("class Model(", "class ModelNew(").replace(PRODUCT, product)
    return session.evaluate(Candidate(task_id="local/test", code=code, origin="human"))


def notes(evaluation: Evaluation, check: str) -> str:
    return "; ".join(note.detail for note in evaluation.notes if note.check == check)


def test_the_same_code_has_no_label_a_fraction_and_what_it_ran(session: Session) -> None:
    evaluation = judged(session)
    assert evaluation.status is Status.PASSED
    assert {"aten::mm", "aten::addmm"} <= {kernel.name for kernel in evaluation.kernels}
    assert evaluation.labels == ()
    assert evaluation.roofline_fraction is not None
    assert evaluation.roofline_fraction > 0
    assert notes(evaluation, "signal") == ""


def test_what_a_way_is_charged_lowers_the_fraction_of_the_roofline_too() -> None:
    known = explain.Explanation((), roofline.Floor(byte_us=10.0, operation_us=5.0), (), [])
    assert known.fields(40.0)["roofline_fraction"] == 0.25
    assert known.fields(100.0)["roofline_fraction"] == 0.1
    assert known._replace(floor=None).fields(40.0)["roofline_fraction"] is None


def test_a_product_that_became_a_scaling_is_labelled(session: Session) -> None:
    evaluation = judged(session, "d[:, None] * self.fc(x)")
    assert evaluation.labels == ("algebra",)
    assert notes(evaluation, "label") == "algebra (ran): product 1 times instead of 2"


def test_a_profile_that_is_none_leaves_the_source_to_speak(session: Session) -> None:
    lie = "import cuda_l1.evidence.profile as p\np.record = lambda *a: {'kernels': 3}\n"
    evaluation = judged(session, head=lie)
    assert evaluation.status is Status.PASSED
    assert "not what a profile has" in notes(evaluation, "label")
    assert evaluation.kernels == ()
    assert "patched, line 2" in notes(evaluation, "signal")


def test_a_process_that_dies_while_profiled_has_passed_all_the_same(session: Session) -> None:
    evaluation = judged(session, head="import os, sys\nsys.setprofile = lambda f: os._exit(1)\n")
    assert evaluation.status is Status.PASSED
    assert "no profile of the candidate: WorkerGoneError" in notes(evaluation, "label")


def test_what_fails_has_its_signals_too(session: Session) -> None:
    evaluation = judged(session, "x.half().float() * 0")
    assert evaluation.status is Status.WRONG_OUTPUT
    assert "lower_precision" in notes(evaluation, "signal")


def test_faster_than_its_bytes_is_a_finding(session: Session) -> None:
    explainer = explain.Explainer(session.reference, rotating_bytes=1 << 50)
    explainer.check_floor(1e6)
    with pytest.raises(CandidateError) as caught:
        explainer.check_floor(1e-9)
    assert caught.value.check == "byte_floor"
    every = (64 + 64 * 64) * 4
    assert explainer.dependent_bytes is not None
    assert 0.9 * every <= explainer.dependent_bytes <= every  # rows on a relu's negative side alone count nothing
    kept = explain.Explainer(session.reference, rotating_bytes=roofline.ceilings("cpu").cache_bytes)
    kept.check_floor(1e-9)  # what rotates fits the cache, so nothing can be said


def test_the_facts_of_the_task(session: Session) -> None:
    facts = session.facts()
    assert list(map(str, facts.inputs)) == ["float32[64]", "float32[64, 64]"]
    assert list(map(str, facts.outputs)) == ["float32[64, 64]"]
    assert {name: str(spec) for name, spec in facts.weights.items()} == {
        "fc.weight": "float32[64, 64]",
        "fc.bias": "float32[64]",
    }
    assert facts.flops == {"convolution": 0, "product": 2 * 2 * 64**3}
    assert facts.moved_bytes == 4 * (64 + 64 * 64 + 64 * 64 + 64 + 64 * 64)
    assert facts.byte_us == pytest.approx(facts.moved_bytes / facts.bytes_per_s * 1e6)
    assert facts.operation_us == pytest.approx(2 * 2 * 64**3 / facts.flops_per_s["fp32"] * 1e6)
    assert {"aten::mm", "aten::addmm"} <= {kernel.name for kernel in facts.kernels}


def test_no_memory_to_ask_on_what_an_output_depends_is_no_lower_floor() -> None:
    """Who fills a device would be faster than his bytes, and so would all who come after him in that session."""
    reference: Any = SimpleNamespace(room=room.ALL)

    def asked(what: str, timeout_s: float) -> dict[str, Any]:
        raise RefusalError("forward", "OutOfMemoryError: CUDA out of memory. Tried to allocate 8.00 GiB.")

    reference.examine = asked
    explainer = explain.Explainer(reference, 0)
    with pytest.raises(torch.OutOfMemoryError):
        _ = explainer.dependent_bytes
    assert explainer.profile is None, "which is a note, and no more"
    reference.examine = lambda what, timeout_s: {"bytes": 4096}
    assert explainer.dependent_bytes == 4096, "it is asked again"
    reference.room = room.ALL._replace(keeps=False)
    reference.examine = asked
    assert explain.Explainer(reference, 0).dependent_bytes is None, "a large task has no room of its own for it"
