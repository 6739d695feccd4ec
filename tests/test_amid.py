"""Two calls amid a race, on sets that nobody has met."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
import torch

from cuda_l1.correctness import making, sets
from cuda_l1.correctness.contender import Contender
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.judge import JudgeConfig, Session
from cuda_l1.timing import amid, intervals
from cuda_l1.timing.laid import How, Laid
from cuda_l1.timing.race import Race
from cuda_l1.types import Candidate, Status, Task

TASK = (
    "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n    def forward(self, x, y):\n"
    "        return x @ y\n\n\n"
    "def get_inputs():\n    return [torch.randn(128, 64), torch.randn(64, 512)]\n\n\n"
    "def get_init_inputs():\n    return []\n"
)
Err = Callable[[torch.Tensor], torch.Tensor]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    task = Task(id="local/amid", name="amid", source=TASK)
    with Session(task, JudgeConfig(device="cpu", effort="glance", baselines=())) as made:
        yield made


class Stand:
    """In place of a candidate's process, with errors of its own when it is asked alone."""

    def __init__(self, reference: Reference, alone: Err) -> None:
        self.reference, self._alone = reference, alone

    def answers(self, row: torch.Tensor, which: int) -> list[torch.Tensor]:
        return [self._alone(leaf) for leaf in making.own_outputs(self.reference, which, row) or []]


def exact(out: torch.Tensor) -> torch.Tensor:
    return out


def smooth(out: torch.Tensor) -> torch.Tensor:
    """Another formula: it errs by 2e-5, and the same wherever it is asked."""
    return out * (1 + 2e-5)


def wrong(out: torch.Tensor) -> torch.Tensor:
    """In one element."""
    return torch.where(torch.arange(out.numel()).view(out.shape) == 7, out + 9, out)


def checked(session: Session, alone: Err, *in_race: Err) -> None:
    reference = session.reference
    taken = [
        amid.Taken(made, [err(leaf) for leaf in making.own_outputs(reference, 0, made.inputs) or []])
        for made, err in zip(reference.later, in_race, strict=False)
    ]
    amid.check(cast("Contender", Stand(reference, alone)), taken)


@pytest.mark.parametrize(
    ("changes_at", "weights", "first", "last"),
    [(None, 0, 0, intervals.LEAST_BLOCKS), (5, 0, 0, 5), (5, 1, 5, intervals.LEAST_BLOCKS)],
    ids=["no others", "its own at first", "its own later"],
)
def test_they_come_while_all_sides_have_the_tasks_own_weights(
    changes_at: int | None, weights: int, first: int, last: int
) -> None:
    rng = random.Random(1)
    drawn = {amid.drawn(rng, changes_at, weights) for _ in range(500)}
    assert drawn == set(range(first, last))


@pytest.mark.parametrize(
    "in_race", [(smooth, smooth), (exact, smooth), (smooth, exact), (wrong, smooth)],
    ids=["on both", "on the second", "on the first", "beside one at an edge"],
)  # fmt: skip
def test_who_errs_more_amid_a_race_than_alone_is_found(session: Session, in_race: tuple[Err, ...]) -> None:
    with pytest.raises(CandidateError, match=r"in a race and by .* when it is asked alone") as found:
        checked(session, exact, *in_race)
    assert found.value.check == "precision"


@pytest.mark.parametrize(
    ("alone", "in_race"),
    [(exact, (exact, exact)), (smooth, (smooth, smooth)), (smooth, (exact, exact)), (exact, (wrong, exact)),
     (exact, ())],
    ids=["float32", "another formula", "more alone", "an edge", "nothing taken"],
)  # fmt: skip
def test_who_errs_no_more_there_is_not(session: Session, alone: Err, in_race: tuple[Err, ...]) -> None:
    checked(session, alone, *in_race)


def test_they_are_laid_with_the_others_and_none_that_is_asked_after_the_race_is_among_them(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    put: list[torch.Tensor] = []
    asked: list[tuple[Any, ...]] = []
    renew, ask, run = Laid.renew, Race.ask, Race.run
    races: list[Race] = []

    def ran(race: Race, *given: Any) -> Any:
        races.append(race)
        return run(race, *given)

    def renewed(laid: Laid, *given: Any, **named: Any) -> list[int]:
        slots = renew(laid, *given, **named)
        for number, row in named.get("put", {}).items():
            put.append(row)
            assert laid._how is How.ON_CALL
            assert torch.equal(laid.rows[slots[number]], row)
            assert laid.kinds[slots[number]] == "own"
        return slots

    def seen(race: Race, order: Any, slots: list[int], looks: list[int], late: Any) -> list[list[torch.Tensor]]:
        race._asked = {-1}
        right = ask(race, order, slots, looks, late)
        where = race._asked if race._memories["eager"] else set()
        asked.append((len(races), race.counts, late.call, where))
        return right

    monkeypatch.setattr(Laid, "renew", renewed)
    monkeypatch.setattr(Race, "ask", seen)
    monkeypatch.setattr(Race, "run", ran)
    own = TASK.replace("class Model(", "class ModelNew(").partition("def get_inputs")[0]
    evaluation = session.evaluate(Candidate(task_id="local/amid", code=own, origin="human"))
    assert evaluation.status is Status.PASSED, evaluation.findings
    later = session.reference.later
    assert len(later) == sets.LATER
    assert len(put) == 2 * len(races), "on a busy machine it races more than once"
    assert all(any(torch.equal(row, made.inputs) for made in later[: -sets.SLOTS]) for row in put)
    assert not any(torch.equal(row, made.inputs) for row in put for made in later[-sets.SLOTS :])
    turns = Counter(race for race, counts, late, _ in asked if not counts and late < 0)
    assert len(turns) == len(races)
    assert {*turns.values()} <= {1, 2}, "a turn, or two of one call, that counts nothing and in which nothing is late"
    assert all(where != {-1} for *_, where in asked), "each turn is asked anew where outputs lie"
