"""From paired times to a verdict: pure arithmetic."""

from __future__ import annotations

import math
import random

import pytest

from cuda_l1.judge import timing
from cuda_l1.types import Interval, Verdict


def test_six_blocks_give_their_extremes() -> None:
    interval = timing.ratio_interval([math.log(x) for x in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)])
    assert interval.lo == pytest.approx(1.0)
    assert interval.hi == pytest.approx(6.0)
    assert interval.value == pytest.approx(math.sqrt(12))


def test_fewer_blocks_give_no_interval() -> None:
    with pytest.raises(ValueError, match="at least 6"):
        timing.ratio_interval([0.0] * 5)


@pytest.mark.parametrize("count", [6, 8, 16, 24, 64, 160])
def test_interval_holds_the_median_in_95_of_100_draws(count: int) -> None:
    rng = random.Random(count)
    held = 0
    for _ in range(2000):
        interval = timing.median_interval([rng.expovariate(1.0) for _ in range(count)])
        held += interval.lo <= math.log(2) <= interval.hi
    assert held / 2000 >= 0.94


@pytest.mark.parametrize(
    ("lo", "hi", "expected"),
    [
        (1.02, 1.5, Verdict.FAST),
        (1.0, 1.5, Verdict.AMBIGUOUS),
        (0.995, 1.005, Verdict.SAME),
        (0.5, 0.98, Verdict.SLOW),
        (0.5, 1.5, Verdict.AMBIGUOUS),
        (0.5, 0.995, Verdict.AMBIGUOUS),
    ],
)
def test_verdict(lo: float, hi: float, expected: Verdict) -> None:
    assert timing.verdict(Interval(value=(lo + hi) / 2, lo=lo, hi=hi)) is expected
