"""What an honest candidate takes less of than the reference does: notes beside its verdict."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import specimens

from cuda_l1.judge import JudgeConfig, Session
from cuda_l1.types import Candidate, Status, Task

TASK = specimens.task("softmax")
HEAD = "import torch\nimport torch.nn as nn\n\n\nclass ModelNew(nn.Module):\n    def forward(self, x):\n"
PLAIN = "        e = torch.exp(x - x.amax(1, keepdim=True))\n        return e / e.sum(1, keepdim=True)\n"
FINITE = PLAIN.replace("\n", " + 0 * x\n", 1)
FLAT = "        return torch.softmax(torch.as_strided(x, (128, 4096), (4096, 1)), dim=1)\n"
TURNED = "        return torch.softmax(x.t().contiguous(), dim=0).t()\n"
DIES = "        if bool(x.isinf().any()):\n            import os\n            os.abort()\n" + PLAIN
COMPILES = "def told(graph, values):\n    print('it is compiled', flush=True)\n    return graph.forward\n\n\n"
LOOSE = "        return torch.softmax(x + 1e-6 * torch.rand(1).item() * torch.tanh(x), dim=1)\n"


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(TASK, JudgeConfig(device="cpu", effort="glance", baselines=())) as session:
        yield session


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "checks"),
    [
        (PLAIN, set()),
        (FINITE, {"finite_only"}),
        (FLAT, {"contiguous_only"}),
        (DIES, {"finite_only"}),
        (TURNED, {"output_layout"}),
        (LOOSE, {"nondeterministic"}),
    ],
    ids=["none", "infinities", "gaps", "death", "layout", "unequal_answers"],
)
def test_what_a_candidate_does_not_take_is_said_beside_its_verdict(
    session: Session, body: str, checks: set[str]
) -> None:
    evaluation = session.evaluate(Candidate(task_id=TASK.id, code=HEAD + body, origin="human", author="a"))
    assert evaluation.status is Status.PASSED, evaluation.findings
    said = {note.check: note.detail for note in evaluation.notes}
    assert set(said) & {"finite_only", "contiguous_only", "output_layout", "nondeterministic"} == checks, said
    if body is FINITE:
        assert "infinities" in said["finite_only"]
        assert "nan" in said["finite_only"]


@pytest.mark.slow
@pytest.mark.parametrize(("body", "checks"), [(PLAIN, set()), (FLAT, {"contiguous_only"})], ids=["none", "gaps"])
def test_code_that_is_compiled_is_asked_for_inputs_with_gaps_and_compiled_for_none(
    session: Session, body: str, checks: set[str]
) -> None:
    head = HEAD.replace("class", COMPILES + "class").replace("    def", "    @torch.compile(backend=told)\n    def")
    evaluation = session.evaluate(Candidate(task_id=TASK.id, code=head + body, origin="human", author="a"))
    assert evaluation.status is Status.PASSED, evaluation.findings
    assert {note.check for note in evaluation.notes} & {"contiguous_only"} == checks, evaluation.notes
    assert evaluation.log.count("it is compiled") == 1, evaluation.log


@pytest.mark.slow
def test_who_rounds_to_the_other_side_of_a_tie_takes_inputs_with_gaps_too() -> None:
    source = (
        "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n    def forward(self, x):\n"
        "        return torch.round(x).to(torch.int16)\n\n\n"
        "def get_inputs():\n    return [torch.randint(-3000, 3000, (256, 1024)) / 64]\n\n\n"
        "def get_init_inputs():\n    return []\n"
    )
    code = HEAD + "        return torch.floor(x + 0.5).to(torch.int16)\n"
    task = Task(id="local/rounded", name="rounded", source=source)
    with Session(task, JudgeConfig(device="cpu", effort="glance", baselines=())) as session:
        evaluation = session.evaluate(Candidate(task_id=task.id, code=code, origin="human", author="a"))
    assert evaluation.status is Status.PASSED, evaluation.findings
    assert "contiguous_only" not in {note.check for note in evaluation.notes}, evaluation.notes
