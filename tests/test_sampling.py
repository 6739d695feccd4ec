"""Exemplars are few, different, good, and the same again for the same seed."""

import math
import random
from collections import Counter
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from records import make_candidate, make_evaluation, make_task, make_win

from cuda_l1 import attempt, sampling
from cuda_l1.errors import ConfigError
from cuda_l1.sampling import NUM_ISLANDS, RESET_EVERY, Strategy, choose
from cuda_l1.types import Exemplar, Interval, Status

TASK = make_task()
SCORES = st.floats(min_value=1e-6, max_value=1e6)
WIDTH = 0.1
BUCKETED = ["contrast", "bucket", "paper"]


def exemplar(number: int, score: float | None, *parents: str, code: str = "", **fields: Any) -> Exemplar:
    """A winner of that score; None is one that failed."""
    text = code or f"class ModelNew: number = {number}"
    candidate = make_candidate(TASK, text, exemplar_ids=parents)
    evaluation = (
        make_evaluation(candidate, Status.WRONG_OUTPUT) if score is None else make_win(candidate, score, **fields)
    )
    return Exemplar(candidate=candidate, evaluation=evaluation)


def degenerate(number: int, score: float) -> Exemplar:
    made = exemplar(number, score)
    evaluation = make_evaluation(
        made.candidate, degenerate=True, speedup_eager=Interval(value=score, lo=score, hi=score)
    )
    return Exemplar(candidate=made.candidate, evaluation=evaluation)


@st.composite
def pools(draw: st.DrawFn) -> list[Exemplar]:
    """Passed, failed and degenerate ones, founders and descendants, some known twice."""
    pool: list[Exemplar] = []
    for number, score in enumerate(draw(st.lists(st.none() | SCORES, max_size=14))):
        parents = draw(st.lists(st.sampled_from(pool), max_size=2)) if pool else []
        labels = tuple(draw(st.sets(st.sampled_from(["kernel", "graph", "flags"]))))
        made = exemplar(
            number, score, *(each.candidate.id for each in parents), **({"labels": labels} if score else {})
        )
        pool.append(degenerate(number, score) if score and draw(st.integers(0, 5)) == 0 else made)
    return pool + draw(st.lists(st.sampled_from(pool), max_size=2) if pool else st.just([]))


def pick(pool: list[Exemplar], **options: Any) -> list[Exemplar]:
    rng = random.Random(options.pop("seed", 0))
    defaults: dict[str, Any] = {"strategy": "contrast", "n": 2, "temperature": 1.0, "width": WIDTH}
    return choose(pool, rng=rng, **defaults | options)


def bucket(e: Exemplar, strategy: str = "bucket", width: float = WIDTH) -> int:
    return math.floor((e.score if strategy == "paper" else math.log(e.score)) / width)


@given(pools(), st.sampled_from(get_args(Strategy)), st.integers(0, 5), st.integers(), st.floats(1e-9, 1e9),
       st.floats(1e-6, 1e6), st.randoms())  # fmt: skip
@settings(max_examples=200)
def test_whatever_the_pool(
    pool: Any, strategy: Any, n: int, seed: int, temperature: float, width: float, shuffler: Any
) -> None:
    options: dict[str, Any] = {
        "strategy": strategy, "n": n, "seed": seed, "temperature": temperature, "width": width
    }  # fmt: skip
    chosen = pick(pool, **options)
    good = {e.candidate.id: e for e in pool if e.evaluation.status is Status.PASSED and not e.evaluation.degenerate}
    assert len(chosen) <= n
    assert all(e in good.values() for e in chosen), "only what passed, and on a task where a score means something"
    assert len({e.candidate.id for e in chosen}) == len(chosen), "no candidate twice"
    shuffler.shuffle(pool)
    assert pick(pool, **options) == chosen, "same seed, same choice, in whatever order the pool comes"
    if strategy in BUCKETED:
        assert len({bucket(e, strategy, width) for e in chosen}) == len(chosen), "distinct buckets"
        assert len(chosen) == min(n, len({bucket(e, strategy, width) for e in good.values()})), "as many as there are"
    elif strategy == "island":
        assert len({bucket(e, strategy, width) for e in chosen}) == len(chosen), "distinct buckets of the island"
        assert bool(chosen) == bool(good and n)
    else:
        assert len(chosen) == (0 if strategy == "none" else min(n, len(good)))


@given(st.lists(SCORES, min_size=2, max_size=10, unique_by=lambda s: math.floor(math.log(s) / WIDTH)),
       st.floats(1, 1e6), st.integers())  # fmt: skip
@settings(max_examples=100)
def test_contrast_does_not_care_how_far_ahead_the_best_is(scores: list[float], factor: float, seed: int) -> None:
    ahead = [*sorted(scores)[:-1], max(scores) * factor]
    before, after = ([exemplar(i, s) for i, s in enumerate(its)] for its in (sorted(scores), ahead))
    ids = [[e.candidate.id for e in pick(pool, seed=seed)] for pool in (before, after)]
    assert ids[0] == ids[1]


@pytest.mark.parametrize("strategy", get_args(Strategy))
def test_a_twin_counts_once_and_by_the_worse_word(strategy: Strategy) -> None:
    assert len(pick([exemplar(1, 2.0), exemplar(1, 2.0)], strategy=strategy)) <= 1
    assert pick([exemplar(1, 2.0), exemplar(1, None)], strategy=strategy) == []
    assert [e.score for e in pick([exemplar(1, 9.0), exemplar(1, 2.0)], strategy=strategy)] in ([], [2.0])


@pytest.mark.parametrize("strategy", [*BUCKETED])
def test_outliers_and_cold_temperatures_neither_overflow_nor_hide_the_rest(strategy: Strategy) -> None:
    pool = [exemplar(0, 1e6), exemplar(1, 1.0), exemplar(2, 1e-6)]
    assert [e.score for e in pick(pool, strategy=strategy, n=3, temperature=1e-9)] == [1e6, 1.0, 1e-6]


def shares(pool: list[Exemplar], **options: Any) -> dict[float, float]:
    """How often each score is drawn first."""
    first = Counter(pick(pool, n=1, seed=seed, **options)[0].score for seed in range(1000))
    return {score: count / 1000 for score, count in first.items()}


def test_one_outlier_owns_the_papers_softmax_and_nothing_else() -> None:
    pool = [exemplar(i, score) for i, score in enumerate((1.0, 2.0, 4.0, 100.0))]
    assert shares(pool, strategy="paper") == {100.0: 1.0}
    assert 0.89 < shares(pool, strategy="bucket")[100.0] < 0.96, "softmax of log-scores at temperature 1: 100 of 107"
    # Normal scores of four ranks are -1.15, -0.32, 0.32 and 1.15.
    contrast = shares(pool, strategy="contrast")
    assert 0.52 < contrast[100.0] < 0.64
    assert contrast[100.0] > contrast[4.0] > contrast[2.0] > contrast[1.0] > 0


def test_a_colder_softmax_is_greedier() -> None:
    pool = [exemplar(i, score) for i, score in enumerate((1.0, 2.0, 4.0))]
    assert shares(pool, temperature=0.3)[4.0] > shares(pool)[4.0] > shares(pool, temperature=3.0)[4.0]


@pytest.mark.parametrize("strategy", ["contrast", "bucket"])
def test_inside_a_bucket_nothing_is_better_than_anything_else(strategy: Strategy) -> None:
    pool = [exemplar(i, 2.0) for i in range(4)]
    seen = Counter(pick(pool, n=1, seed=seed, strategy=strategy)[0].candidate.id for seed in range(1000))
    assert len(seen) == 4
    assert all(0.19 < count / 1000 < 0.31 for count in seen.values())


def seconds_chosen(fast: Exemplar, slow: list[Exemplar]) -> Counter[str]:
    """Which of the slower bucket stands beside the fastest."""
    pairs = [pick([fast, *slow], seed=seed, temperature=0.01) for seed in range(500)]
    assert all(pair[0] is fast for pair in pairs)
    return Counter(pair[1].candidate.id for pair in pairs)


def test_another_technique_is_shown_rather_than_the_same() -> None:
    fast = exemplar(0, 3.0, labels=("kernel",))
    same, other = exemplar(1, 1.0, labels=("kernel",)), exemplar(2, 1.0, labels=("graph",))
    seen = seconds_chosen(fast, [same, other])
    assert seen[other.candidate.id] > 1.4 * seen[same.candidate.id] > 0


def test_other_code_is_shown_rather_than_the_same() -> None:
    lines = [f"step_{i}()" for i in range(20)]
    fast = exemplar(0, 3.0, code="\n".join(lines))
    near = exemplar(1, 1.0, code="\n".join([*lines[:-1], "other()"]))
    far = exemplar(2, 1.0, code="\n".join(line.upper() for line in lines))
    seen = seconds_chosen(fast, [near, far])
    assert seen[far.candidate.id] > 5 * seen[near.candidate.id] > 0


def test_what_differs_in_nothing_seen_is_still_chosen() -> None:
    fast, slow = exemplar(0, 3.0, code="pass"), exemplar(1, 1.0, code="pass\n\n")
    assert len(pick([fast, slow])) == 2


def test_of_a_very_long_code_only_the_first_lines_are_compared() -> None:
    lines = [f"step_{i}()" for i in range(sampling.MOST_LINES)]
    fast = exemplar(0, 3.0, code="\n".join(lines))
    tails = (f"tail_{i}()\n" * 5000 for i in range(3))
    pool = [fast, *(exemplar(i, 1.0, code="\n".join([*lines, tail])) for i, tail in enumerate(tails))]
    weights = [sampling._difference(fast, each) for each in pool]
    assert weights == [0, 0, 0, 0]


def test_an_island_is_a_family() -> None:
    founders = [exemplar(i, 1.0 + i / 10) for i in range(8)]
    children = [exemplar(100 + i, 2.0 + i / 10, f.candidate.id) for i, f in enumerate(founders)]
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


def roots_on(island: int, count: int) -> list[int]:
    """Numbers of candidates that land on an island by their digest."""
    return [i for i in range(100 * count) if int(exemplar(i, 1.0).candidate.id, 16) % NUM_ISLANDS == island][:count]


def test_the_worse_islands_are_emptied_and_settled_from_the_better_ones() -> None:
    each = RESET_EVERY // NUM_ISLANDS
    pool = [exemplar(i, 1.0 + island) for island in range(NUM_ISLANDS) for i in roots_on(island, each)]
    before = {e.score for seed in range(100) for e in pick(pool[:-1], strategy="island", n=1, seed=seed)}
    after = [e.score for seed in range(400) for e in pick(pool, strategy="island", n=1, seed=seed)]
    assert before == {1.0, 2.0, 3.0, 4.0}
    assert set(after) == {3.0, 4.0}, "the islands of 1x and 2x are gone, their place is taken by migrants"
    assert 0.4 < after.count(4.0) / 400 < 0.6


def test_ancestors_in_a_circle_or_gone_do_not_hang() -> None:
    a = exemplar(1, 2.0)
    b = exemplar(2, 3.0, a.candidate.id)
    looped = a.candidate.model_copy(update={"exemplar_ids": (b.candidate.id, a.candidate.id)})
    pool = [Exemplar(candidate=looped, evaluation=a.evaluation), b, exemplar(3, 1.5, "00000000000000ff")]
    assert len(pick(pool, strategy="island", n=3)) in (1, 2, 3)


@pytest.mark.parametrize(
    "options",
    [{"strategy": "best"}, {"n": -1}, {"temperature": 0.0}, {"temperature": math.nan}, {"width": 0.0}],
    ids=lambda o: next(iter(o)),
)
def test_impossible_settings_are_named(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=str(next(iter(options.values())))):
        pick([exemplar(0, 1.0)], **options)


@pytest.mark.parametrize(
    ("language", "shown"), [("torch", {"torch"}), ("cpp", {"torch", "cpp"}), ("any", {"torch", "cpp", "cuda"})]
)
def test_exemplars_are_in_a_language_that_may_be_written(language: str, shown: set[str]) -> None:
    pool = []
    for number, name in enumerate(("torch", "cpp", "cuda")):
        candidate = make_candidate(TASK, f"class ModelNew: number = {number}", language=name)
        pool.append(Exemplar(candidate=candidate, evaluation=make_win(candidate, 1.5)))
    by_id = {each.candidate.id: each.candidate.language for each in pool}
    asked = attempt.question(
        TASK, pool, round=1, rng=random.Random(0),
        settings=attempt.Settings(3, "random", 1.0, WIDTH, language, "cuda:0", "a GPU"),
    )  # fmt: skip
    assert {by_id[name] for name in asked.exemplar_ids} == shown
