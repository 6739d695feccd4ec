"""Exemplars are few, different, passed, and the same again for the same seed."""

import math
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from records import make_candidate, make_evaluation, make_task, make_win

from cuda_l1.errors import ConfigError
from cuda_l1.sampling import NUM_ISLANDS, choose
from cuda_l1.types import Exemplar, Status

TASK = make_task()
SCORES = st.floats(min_value=1e-6, max_value=1e6)
WIDTH = 0.1


def exemplar(number: int, score: float | None, parent: str | None = None) -> Exemplar:
    """A winner of that score; None is one that failed."""
    parents = (parent,) if parent else ()
    candidate = make_candidate(TASK, f"class ModelNew: number = {number}", exemplar_ids=parents)
    evaluation = make_evaluation(candidate, Status.WRONG_OUTPUT) if score is None else make_win(candidate, score)
    return Exemplar(candidate=candidate, evaluation=evaluation)


POOLS = st.lists(st.none() | SCORES, max_size=12).map(lambda scores: [exemplar(i, s) for i, s in enumerate(scores)])
STRATEGIES = st.sampled_from(["bucket", "random", "island", "none"])


def pick(pool: list[Exemplar], **options: Any) -> list[Exemplar]:
    rng = random.Random(options.pop("seed", 0))
    defaults: dict[str, Any] = {"strategy": "bucket", "n": 2, "temperature": 1.0, "width": WIDTH}
    return choose(pool, rng=rng, **defaults | options)


def bucket(e: Exemplar) -> int:
    return math.floor(math.log(e.score) / WIDTH)


@given(POOLS, STRATEGIES, st.integers(0, 5), st.integers(), st.floats(1e-3, 1e3), st.randoms())
@settings(max_examples=200, deadline=None)
def test_whatever_the_pool(pool: Any, strategy: Any, n: int, seed: int, temperature: float, shuffler: Any) -> None:
    options: dict[str, Any] = {"strategy": strategy, "n": n, "seed": seed, "temperature": temperature}
    chosen = pick(pool, **options)
    passed = [e for e in pool if e.evaluation.status is Status.PASSED]
    assert len(chosen) <= n
    assert all(e in passed for e in chosen)
    assert len({e.candidate.id for e in chosen}) == len(chosen), "no candidate twice"
    shuffler.shuffle(pool)
    assert pick(pool, **options) == chosen, "same seed, same choice, in whatever order the pool comes"
    if strategy == "bucket":
        assert len({bucket(e) for e in chosen}) == len(chosen), "distinct buckets"
        assert len(chosen) == min(n, len({bucket(e) for e in passed})), "as many as there are buckets"
    if strategy == "random":
        assert len(chosen) == min(n, len(passed))
    if strategy == "none":
        assert chosen == []


def test_a_twin_counts_once() -> None:
    assert len(pick([exemplar(1, 2.0), exemplar(1, 2.0)], strategy="random")) == 1


def test_outliers_and_cold_temperatures_neither_overflow_nor_hide_the_rest() -> None:
    pool = [exemplar(0, 1e6), exemplar(1, 1.0), exemplar(2, 1e-6)]
    assert [e.score for e in pick(pool, n=3, temperature=1e-3)] == [1e6, 1.0, 1e-6], "cold means best first"


def test_a_log_score_leaves_the_second_best_a_chance_that_a_raw_score_would_not() -> None:
    pool = [exemplar(0, 100.0), exemplar(1, 10.0)]
    first = Counter(pick(pool, n=1, seed=seed)[0].score for seed in range(2000))
    # softmax(log 100, log 10) at temperature 1 is 10 to 1; on raw speedups it would be e^90 to 1.
    assert 0.06 < first[10.0] / 2000 < 0.12


def test_inside_a_bucket_the_choice_is_uniform() -> None:
    pool = [exemplar(i, 2.0) for i in range(4)]
    seen = Counter(pick(pool, n=1, seed=seed)[0].candidate.id for seed in range(2000))
    assert len(seen) == 4
    assert all(0.2 < count / 2000 < 0.3 for count in seen.values())


def test_an_island_is_a_family() -> None:
    founders = [exemplar(i, 1.0 + i / 10) for i in range(8)]
    children = [exemplar(100 + i, 2.0 + i / 10, parent=f.candidate.id) for i, f in enumerate(founders)]
    pool = founders + children
    families = {
        e.candidate.id: e.candidate.exemplar_ids[0] if e.candidate.exemplar_ids else e.candidate.id for e in pool
    }
    seen = set()
    for seed in range(50):
        roots = {int(families[e.candidate.id], 16) % NUM_ISLANDS for e in pick(pool, strategy="island", n=9, seed=seed)}
        assert len(roots) == 1, "all from one island, children where their parents are"
        seen |= roots
    assert len(seen) > 1, "and not always the same island"


def test_ancestors_in_a_circle_or_gone_do_not_hang() -> None:
    a = exemplar(1, 2.0)
    b = exemplar(2, 3.0, parent=a.candidate.id)
    looped = a.candidate.model_copy(update={"exemplar_ids": (b.candidate.id,)})
    pool = [Exemplar(candidate=looped, evaluation=a.evaluation), b, exemplar(3, 1.5, parent="00000000000000ff")]
    assert len(pick(pool, strategy="island", n=3)) in (1, 2, 3)


@pytest.mark.parametrize(
    "options", [{"strategy": "best"}, {"n": -1}, {"temperature": 0.0}, {"width": 0.0}], ids=lambda o: next(iter(o))
)
def test_impossible_settings_are_named(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=str(next(iter(options.values())))):
        pick([exemplar(0, 1.0)], **options)
