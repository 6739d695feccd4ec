"""Errors in steps, by functions that stand for candidates: what is asked of a task's reference is real."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch

from cuda_l1.correctness import beneath, making, stepped
from cuda_l1.correctness.reference import Reference
from cuda_l1.judge import JudgeConfig, Session
from cuda_l1.types import Candidate, Task

HEAD = "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n    def forward(self, x, y):\n"
SCORES = (
    f"{HEAD}        return torch.logsumexp(x @ y.t(), dim=1)\n\n\n"
    "def get_inputs():\n    return [torch.randn(128, 64) / 8, torch.randn(4096, 64)]\n\n\n"
    "def get_init_inputs():\n    return []\n"
)
SUMS = (
    f"{HEAD}        return (x.abs() * y.abs()).sum(dim=1)\n\n\n"
    "def get_inputs():\n    return [torch.randn(64, 65536), torch.randn(64, 65536)]\n\n\n"
    "def get_init_inputs():\n    return []\n"
)
LOGARITHMS = (
    f"{HEAD}        return torch.log1p(5e-5 * (x * y).abs())\n\n\n"
    "def get_inputs():\n    return [1 + torch.rand(128, 64), 1 + torch.rand(128, 64)]\n\n\n"
    "def get_init_inputs():\n    return []\n"
)
SYMMETRIC = (
    f"{HEAD}        return x @ y\n\n\n"
    "def get_inputs():\n    y = torch.randn(64, 64)\n    return [torch.randn(128, 64), y + y.t()]\n\n\n"
    "def get_init_inputs():\n    return []\n"
)
COMPLEX = (
    "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
    "    def __init__(self):\n        super().__init__()\n        self.weight = nn.Parameter(torch.randn(64, 64))\n\n"
    "    def forward(self, x):\n        return (x.abs() * 8).round() @ self.weight\n\n\n"
    "def get_inputs():\n    return [torch.randn(128, 64, dtype=torch.complex64)]\n\n\n"
    "def get_init_inputs():\n    return []\n"
)
Answer = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def judged(source: str) -> Iterator[Session]:
    task = Task(id="local/stepped", name="stepped", source=source)
    with Session(task, JudgeConfig(device="cpu", effort="glance", baselines=())) as session:
        yield session


@pytest.fixture(scope="module")
def scores() -> Iterator[Session]:
    yield from judged(SCORES)


@pytest.fixture(scope="module")
def sums() -> Iterator[Session]:
    yield from judged(SUMS)


def evidence(session: Session, answer: Answer) -> str:
    reference = session.reference

    def answers(row: torch.Tensor, which: int) -> list[torch.Tensor]:
        assert which == 0, "this task has no weights"
        x, y = reference.leaves_of(row)
        return [answer(x, y)]

    return of_answers(reference, answers)


def of_answers(reference: Reference, answers: stepped.Answers) -> str:
    made = reference.sets[0]
    given = beneath.given(reference, made, answers(made.inputs, 0))
    assert given is not None
    return stepped.evidence(reference, given, answers)


def normaliser(scores: torch.Tensor) -> torch.Tensor:
    return torch.logsumexp(scores, dim=1)


def eighths(x: torch.Tensor) -> torch.Tensor:
    step = x.abs().amax(dim=1, keepdim=True) / 127
    return torch.round(x / step) * step


def by_powers(scores: torch.Tensor) -> torch.Tensor:
    """A polynomial for the exponential, which errs by 1e-5."""
    halves = torch.ones_like(scores)
    for power in range(5, 0, -1):
        halves = 1 + scores / 4 * halves / power
    return halves.pow(4).sum(dim=1).log()


def one_by_one(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    terms = (x.abs() * y.abs()).t().contiguous()
    total = torch.zeros(x.shape[0])
    for term in terms:
        total += term
    return total


def test_where_there_is_no_memory_to_ask_for_evidence_nobody_passes(
    scores: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference = scores.reference
    plain = reference.ask_oracle

    def crowded(rounding: str | None = None, in_products: str = "") -> list[torch.Tensor]:
        if rounding:  # which takes more of a device than to ask without: a candidate may leave just that much
            raise torch.OutOfMemoryError("no room for the oracle: CUDA out of memory")
        return plain(rounding, in_products)

    def answers(row: torch.Tensor, which: int) -> list[torch.Tensor]:
        x, y = reference.leaves_of(row)
        return [normaliser(x.bfloat16().float() @ y.bfloat16().float().t())]

    both = [made for made in reference.sets if made.kind == "own"][:2]
    outs = [answers(made.inputs, 0) for made in both]
    assert "bfloat16" in stepped.found(reference, both, outs, answers)
    monkeypatch.setattr(reference, "ask_oracle", crowded)
    with pytest.raises(torch.OutOfMemoryError):
        stepped.found(reference, both, outs, answers)


@pytest.mark.parametrize(
    "answer",
    [
        lambda x, y: normaliser((x * 1.37).bfloat16().float() @ (y / 1.37).bfloat16().float().t()),
        lambda x, y: normaliser(x @ eighths(y).t()),
    ],
    ids=["scaled factors in bf16", "eight bits"],
)
def test_fewer_bits_err_in_steps(scores: Session, answer: Answer) -> None:
    assert "taken in steps" in evidence(scores, answer)


def by_a_hash(x: torch.Tensor) -> torch.Tensor:
    """To bf16, up or down by what is lost, so that no error comes again."""
    bits = x.contiguous().view(torch.int32)
    return ((bits + ((bits * -1640531527 >> 7) & 0xFFFF)) & -65536).view(torch.float32)


def test_who_rounds_by_chance_is_told_where_there_is_nothing_to_round(scores: Session) -> None:
    said = evidence(scores, lambda x, y: normaliser(by_a_hash(x) @ by_a_hash(y).t()))
    assert "with factors of products in bfloat16" in said
    assert "no more bits than that holds" in said


@pytest.mark.parametrize(
    "answer",
    [
        lambda x, y: normaliser(x @ y.t()),
        lambda x, y: by_powers(x @ y.t()),
        lambda x, y: normaliser(x @ y.t()) * (1 + 2e-5),
        lambda x, y: normaliser(x @ y.t() + 1e-2 * torch.randn(len(x), len(y))),
    ],
    ids=["float32", "a polynomial", "another formula", "noise"],
)
def test_other_errors_do_not(scores: Session, answer: Answer) -> None:
    assert not evidence(scores, answer)


@pytest.mark.slow
def test_a_long_sum_adds_its_last_terms_in_steps_and_is_not_asked(
    sums: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = sums.reference.work
    assert work is not None
    assert work.longest_sum == 65536
    assert not evidence(sums, one_by_one)
    monkeypatch.setattr(stepped, "_OF_SUMS", 0.0)
    assert "taken in steps" in evidence(sums, one_by_one), "why long sums may err by more"


def test_what_is_added_to_one_is_taken_in_steps_by_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.log(1 + 5e-5 * (x * y).abs())

    for session in judged(LOGARITHMS):
        assert not evidence(session, answer)
    monkeypatch.setattr(stepped, "_OF_ONE", 0.0)  # hardly ever it is not seen in one of them
    told = [evidence(session, answer) for _ in range(3) for session in judged(LOGARITHMS)]
    assert any("taken in steps" in each for each in told), "why that is asked first"


def test_what_a_task_keeps_symmetric_stays_so_where_it_is_moved() -> None:
    """A formula may rest on it, and errs otherwise where it is not."""

    def smooth(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        products = x @ y.t()
        return products + 1.4e-3 * products.sin()

    for session in judged(SYMMETRIC):
        assert not evidence(session, smooth)
        assert "taken in steps" in evidence(session, lambda x, y: x @ (y.t() * 1.37).bfloat16().float() / 1.37)


def test_a_task_may_take_complex_inputs_in_steps_itself() -> None:
    """What float32 rounds after that stays where the inputs alone are moved."""

    def evidence_of_waves(reference: Reference) -> str:
        def answers(row: torch.Tensor, which: int) -> list[torch.Tensor]:
            [own] = making.own_outputs(reference, which, row) or []
            return [own + 1.4e-3 * (20 * own).sin()]

        return of_answers(reference, answers)

    for session in judged(COMPLEX):
        assert session.reference.has_oracle
        assert session.reference.has_other_weights
        assert not evidence_of_waves(session.reference)


def test_what_a_constant_errs_by_says_nothing_of_how_it_was_computed() -> None:
    """torch.compile of 3/45 of KernelBench, whose outputs are alike to 2e-6, was told to compute in bfloat16."""
    source = SCORES.replace("torch.logsumexp(x @ y.t(), dim=1)", "torch.softmax(6e-4 * (x @ y.t()), dim=1)")
    source = source.replace("4096", "512")
    coarse = source.replace("class Model(", "class ModelNew(")
    coarse = coarse.replace("(x @ y.t())", "(x.bfloat16() @ y.bfloat16().t()).float()")
    task = Task(id="local/stepped", name="stepped", source=source, precision="tf32")
    with Session(task, JudgeConfig(device="cpu", effort="glance", baselines=())) as session:
        assert session.degenerate
        found = session.evaluate(Candidate(task_id=task.id, code=coarse, origin="human")).findings
    assert not any("element by element" in each.detail for each in found)
