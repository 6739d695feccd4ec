"""Wins are judged again: what several words come to, and that each is asked of other inputs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from linear import forward, rewrite, task
from records import make_candidate, make_evaluation, make_task, make_win

from cuda_l1.correctness import preparation
from cuda_l1.errors import CannotJudgeError, TaskError, UsageError
from cuda_l1.judge import JudgeConfig, Session, records
from cuda_l1.types import Candidate, Evaluation, Interval, Status, Verdict

CANDIDATE = make_candidate(make_task())


def words(*some: Evaluation, device: str | None = None) -> Iterator[tuple[Evaluation, str | None]]:
    yield from ((word, device) for word in some)
    pytest.fail("a word was asked for that nobody needs")


def win(speedup: float, **fields: object) -> Evaluation:
    return make_win(CANDIDATE, speedup, **fields)


def test_a_record_is_what_the_paper_judges_again() -> None:
    assert records.is_record(3.1, 1.0)
    assert not records.is_record(2.9, 1.0), "there is no record to double"
    assert records.is_record(2.9, 1.4)
    assert not records.is_record(2.9, 1.5)


def test_of_two_words_that_agree_the_lower_counts() -> None:
    first, second = win(4.0), win(3.8)
    told = records.settled([first], words(second))
    assert told.speedup_eager == second.speedup_eager
    assert [(note.check, note.detail) for note in told.notes] == [("repeated", "4x, then 3.8x against eager")]
    elsewhere = records.settled([first], words(second, device="cuda:1"))
    assert elsewhere.speedup_eager == first.speedup_eager, "the baselines of this device are the first word's"
    assert elsewhere.notes[-1].detail == "4x, then 3.8x against eager, again on cuda:1"


def test_what_is_known_is_a_word() -> None:
    second = win(3.8)
    assert records.settled([win(4.0), second], words()).speedup_eager == second.speedup_eager
    assert records.settled([win(4.0), win(8.0)], words(win(4.2))).speedup_eager == win(4.0).speedup_eager
    slower = win(2.0, verdict=Verdict.AMBIGUOUS)
    assert records.settled([win(4.0), slower], words(slower)).verdict is Verdict.AMBIGUOUS


def test_a_third_word_decides_between_two() -> None:
    told = records.settled([win(4.0)], words(win(8.0), win(7.7)))
    assert told.speedup_eager is not None
    assert told.speedup_eager.value == 7.7
    assert told.notes[-1].detail == "4x, then 8x, then 7.7x against eager"


def test_words_that_lie_apart_are_no_win() -> None:
    told = records.settled([win(4.0)], words(win(8.0), win(16.0)))
    assert told.verdict is Verdict.AMBIGUOUS
    assert told.speedup_eager is not None
    assert (told.speedup_eager.lo, told.speedup_eager.hi) == (4.0 * 0.99, 16.0 * 1.01)
    assert told.notes[-1].check == "not_repeated"
    assert told.notes[-1].detail.endswith("too far apart to be believed")


def test_what_is_not_repeated_is_as_uncertain_against_the_best_baseline_as_against_eager() -> None:
    def told(first: Evaluation, speedup: float, eager: float) -> Evaluation:
        last = make_win(CANDIDATE, speedup, eager=eager, verdict=Verdict.AMBIGUOUS)
        word = records.settled([first], words(last, last))
        assert word.verdict is Verdict.AMBIGUOUS
        return word

    word = told(make_win(CANDIDATE, 8.0, eager=16.0), 2.0, 1.0)
    assert word.speedup_eager is not None
    assert word.speedup is not None
    assert (word.speedup_eager.value, word.speedup_eager.lo) == pytest.approx((4.0, 0.99))
    assert (word.speedup.value, word.speedup.lo, word.speedup.hi) == pytest.approx((2.0, 0.495, 8.08))
    vague = make_win(CANDIDATE, 8.0, eager=16.0).model_copy(update={"speedup_eager": Interval(value=16, lo=8, hi=32)})
    word = told(vague, 10.0, 20.0)
    assert word.speedup is not None
    assert (word.speedup.lo, word.speedup.hi) == pytest.approx((7.92, 10.1)), "however vague eager was"
    assert "too far apart" not in word.notes[-1].detail, "within each other's intervals, so another is not FAST"


def test_a_later_word_that_is_no_pass_counts_alone() -> None:
    wrong = make_evaluation(CANDIDATE, Status.WRONG_OUTPUT)
    assert records.settled([win(4.0)], words(wrong)) is wrong


def test_a_session_opened_anew_has_other_inputs_and_weights() -> None:
    with Session(task(), JudgeConfig(effort="glance", baselines=(), seed=3)) as session:
        seed, first = session.seed, session.reference
        before = [made.inputs.clone() for made in first.sets[:2]]
        session.renew()
        assert session.seed != seed
        assert first.process.process.poll() is not None, "what was asked before has ended"
        for one, other in zip(before, session.reference.sets[:2], strict=True):
            assert not torch.equal(one, other.inputs)
        assert session.evaluate(rewrite("torch.relu", "torch.tanh")).status is Status.WRONG_OUTPUT
        again = session.seed
    with Session(task(), JudgeConfig(effort="glance", baselines=(), seed=3)) as session:
        session.renew()
        assert session.seed == again, "a seed repeats what comes of it"
    with pytest.raises(UsageError, match="judges within its with alone"):
        session.renew()


def test_a_task_that_cannot_be_opened_again_ends_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise TaskError("it draws in its calls")

    with Session(task(), JudgeConfig(effort="glance", baselines=())) as session:
        monkeypatch.setattr(preparation, "opened", fails)
        with pytest.raises(CannotJudgeError, match="the task could not be opened again: it draws in its calls"):
            session.renew()
        with pytest.raises(UsageError, match="judges within its with alone"):
            session.evaluate(rewrite())


def test_a_win_is_confirmed_where_it_is_right_on_other_inputs() -> None:
    right, wrong = forward("return torch.relu(self.fc(x))"), forward("return torch.tanh(self.fc(x))")
    with Session(task(), JudgeConfig(effort="normal", baselines=())) as session:
        seed = session.seed
        known = make_win(right, 2.0)
        assert session.anew(right, timed=known) is known
        assert session.anew(wrong, timed=make_win(wrong, 2.0)).status is Status.WRONG_OUTPUT
        assert session.seed != seed


@pytest.mark.parametrize(
    ("effort", "speedup", "is_asked"), [("quick", 2.0, False), ("quick", 4.0, True), ("normal", 2.0, True)]
)
def test_which_wins_are_judged_again(
    monkeypatch: pytest.MonkeyPatch, effort: str, speedup: float, is_asked: bool
) -> None:
    """That it is faster is given: what a machine says of that is not certain."""
    candidate = rewrite()
    monkeypatch.setattr(Session, "_closed", lambda self, candidate, **how: make_win(candidate, speedup))
    with Session(task(), JudgeConfig(effort=effort, baselines=())) as session:
        seed = session.seed
        evaluation = session.evaluate(candidate)
        assert evaluation.is_win
        assert evaluation.seconds.total > 0, "of all that was judged"
        assert (session.seed != seed) == is_asked
        assert session.record == speedup


@pytest.mark.parametrize(("speedup", "words"), [(2.0, 1), (4.0, 1), (8.0, 2)])
def test_a_second_word_is_asked_for_anew_and_of_a_record_that_differs_a_third(
    monkeypatch: pytest.MonkeyPatch, speedup: float, words: int
) -> None:
    asked: list[int] = []

    def closed(session: Session, candidate: Candidate, timed: Evaluation | None = None) -> Evaluation:
        asked.append(session.seed)
        return make_win(candidate, speedup)

    monkeypatch.setattr(Session, "_closed", closed)
    candidate = rewrite()
    with Session(task(), JudgeConfig(effort="normal", baselines=())) as session:
        seed, evaluation = session.seed, session.evaluate(candidate, won=make_win(candidate, 4.1))
    assert evaluation.speedup_eager is not None
    assert evaluation.speedup_eager.value == speedup
    assert len({seed, *asked}) == len(asked) + 1 == words + 1
