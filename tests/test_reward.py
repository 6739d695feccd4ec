"""Rewards and advantages against numbers worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from records import make_candidate, make_evaluation, make_task

from cuda_l1.reward import LEAST, NOTHING, Reward, advantages, score, successes
from cuda_l1.types import Evaluation, Finding, Interval, Speedup, Status

CANDIDATE = make_candidate(make_task())


def evaluation(status: Status = Status.PASSED, **fields: Any) -> Evaluation:
    return make_evaluation(CANDIDATE, status, **fields)


def timed(value: float, lo: float, hi: float, *, eager: float = 1.0) -> Evaluation:
    return evaluation(
        speedup=Speedup(value=value, lo=lo, hi=hi, vs="graph"), speedup_eager=Interval(value=eager, lo=eager, hi=eager)
    )


@pytest.mark.parametrize("measure", ["speedup", "certain"])
@pytest.mark.parametrize(
    "status", [Status.WRONG_OUTPUT, Status.REJECTED, Status.BUILD_FAILED, Status.CRASHED, Status.TIMED_OUT]
)
def test_wrong_or_rejected_code_is_worth_nothing(status: Status, measure: Any) -> None:
    assert score(evaluation(status), measure) == NOTHING


@pytest.mark.parametrize("measure", ["speedup", "certain"])
def test_what_nobody_can_say_is_left_out(measure: Any) -> None:
    assert score(evaluation(Status.INFRA_FAILED), measure) is None
    assert score(evaluation(), measure) is None, "passed, but not timed against anything"
    meaningless = timed(3.0, 2.9, 3.1).model_copy(update={"degenerate": True})
    assert score(meaningless, measure) is None


@pytest.mark.parametrize(
    ("ratio", "reward"), [(1.118, 1.11), (0.992, 1.0), (1.15, 1.15), (0.43, 0.43), (0.421, 0.43), (1.0, 1.0)]
)
def test_the_papers_measure_is_against_eager_and_truncated_towards_one(ratio: float, reward: float) -> None:
    assert score(timed(9.0, 8.0, 10.0, eager=ratio), "speedup") == Reward(reward)


def test_ours_is_the_certain_part_of_the_log_speedup_against_the_best_baseline() -> None:
    found = score(timed(2.2, 2.0, 2.4, eager=7.0), "certain")
    assert found is not None
    assert found.value == pytest.approx(1 + math.log(2.0))
    assert found.error == pytest.approx(math.log(2.4 / 2.0) / 2)
    slow = score(timed(0.001, 0.0009, 0.0011), "certain")
    assert slow is not None
    assert slow.value == LEAST > NOTHING.value


@pytest.mark.parametrize("measure", ["speedup", "certain"])
def test_what_a_note_denies_a_win_pays_as_none(measure: Any) -> None:
    fast = timed(2.2, 2.0, 2.4, eager=2.2)
    denied = fast.model_copy(update={"notes": (Finding(check="weights_by_seed", detail="it lacks `scale`"),)})
    slow = timed(0.5, 0.5, 0.5, eager=0.5).model_copy(update={"notes": denied.notes})
    first, second, third = (score(each, measure) for each in (fast, denied, slow))
    assert first is not None
    assert second is not None
    assert third is not None
    assert third.value < second.value == 1.0 < first.value
    assert second.error == first.error, "it is measured as well as any"


def test_the_papers_advantage_by_hand() -> None:
    """Rewards 0, 0, 0, 4: mean 1, s = sqrt((1+1+1+9)/3) = 2, z = -.5, -.5, -.5, 1.5, at the clip but not over it;
    standardised again they are the same."""
    found = advantages([Reward(0.0), Reward(0.0), Reward(0.0), Reward(4.0)], "speedup")
    assert found == pytest.approx([-0.5, -0.5, -0.5, 1.5])


def test_a_spike_is_clipped_before_grpo_standardises_again() -> None:
    """Eight rewards, one of 8: mean 1, s = sqrt((7*1 + 49)/7) = sqrt(8), z = -1/sqrt(8) and 7/sqrt(8) = 2.475 -> 1.5.
    Then with a = -1/sqrt(8): mean (7a + 1.5)/8, and so on."""
    a = -1 / math.sqrt(8)
    clipped = [a] * 7 + [1.5]
    mean = sum(clipped) / 8
    spread = math.sqrt(sum((z - mean) ** 2 for z in clipped) / 7)
    found = advantages([Reward(0.0)] * 7 + [Reward(8.0)], "speedup")
    assert found == pytest.approx([(z - mean) / spread for z in clipped])


def test_ours_by_hand() -> None:
    """Values 1, 2, 3: mean 2, s = 1; the error is far smaller."""
    group = [Reward(1.0, 0.01), Reward(2.0, 0.01), Reward(3.0, 0.01)]
    assert advantages(group, "certain") == pytest.approx([-1.0, 0.0, 1.0])


def test_differences_within_the_measurement_error_make_no_step() -> None:
    """Values 1.00 and 1.01 spread by s = 0.00707, measured to within 0.1: divided by 0.1, not blown up to +-0.707."""
    group = [Reward(1.00, 0.1), Reward(1.01, 0.1)]
    assert advantages(group, "certain") == pytest.approx([-0.05, 0.05])
    assert advantages(group, "speedup") == pytest.approx([-math.sqrt(0.5), math.sqrt(0.5)]), "what the paper's does"


@pytest.mark.parametrize("measure", ["speedup", "certain"])
def test_an_answer_left_out_moves_nothing_and_no_one(measure: Any) -> None:
    with_it = advantages([Reward(0.0), None, Reward(2.0)], measure)
    without = advantages([Reward(0.0), Reward(2.0)], measure)
    assert with_it == [without[0], 0.0, without[1]]


@pytest.mark.parametrize("measure", ["speedup", "certain"])
@pytest.mark.parametrize("group", [[], [None, None], [Reward(3.0), None], [NOTHING] * 4, [Reward(1.2)] * 3])
def test_nothing_to_compare_is_no_step(group: list[Reward | None], measure: Any) -> None:
    assert advantages(group, measure) == [0.0] * len(group)


def test_successes_weigh_as_much_as_a_batch_of_successes_alone() -> None:
    batch = [evaluation(), evaluation(Status.WRONG_OUTPUT), None, evaluation()]
    assert successes(batch) == [2.0, 0.0, 0.0, 2.0]
    assert successes([None, evaluation(Status.CRASHED)]) == [0.0, 0.0]
    assert successes([]) == []


def test_what_passes_a_task_that_asks_nothing_is_no_success() -> None:
    assert successes([evaluation(degenerate=True), evaluation(), evaluation(degenerate=True)]) == [0.0, 3.0, 0.0]
    assert successes([evaluation(degenerate=True)]) == [0.0]
