"""Two calls amid a race, on sets that nobody has met."""

from __future__ import annotations

import random

import pytest

from cuda_l1.judge import amid, timing


@pytest.mark.parametrize(
    ("changes_at", "weights", "first", "last"),
    [(None, 0, 0, timing.LEAST_BLOCKS), (5, 0, 0, 5), (5, 1, 5, timing.LEAST_BLOCKS)],
    ids=["no others", "its own at first", "its own later"],
)
def test_they_come_while_all_sides_have_the_tasks_own_weights(
    changes_at: int | None, weights: int, first: int, last: int
) -> None:
    rng = random.Random(1)
    drawn = {amid.drawn(rng, changes_at, weights) for _ in range(500)}
    assert drawn == set(range(first, last))
