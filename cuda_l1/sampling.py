"""Which earlier implementations the next prompt contrasts.

A pool of judged candidates goes in, at most `n` exemplars of different speed come out. Pure: the same pool, in
any order, and the same seed give the same choice. Only PASSED candidates are ever chosen.
After CUDA-L1 (arXiv 2507.14111, equation 1), with one change: buckets and softmax use the LOGARITHM of the score.
A raw speedup of 100 would own all of the probability and make half of the buckets empty; a log-score says that
1x to 2x is as big a step as 50x to 100x.
Not covered: failed attempts as warnings, likeness of the code, and FunSearch's reset of the worst islands.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Literal, TypeVar, get_args

from cuda_l1.errors import ConfigError
from cuda_l1.types import Exemplar, Status

Strategy = Literal["bucket", "random", "island", "none"]
NUM_ISLANDS = 4

T = TypeVar("T")


def choose(
    pool: Sequence[Exemplar],
    *,
    strategy: Strategy,
    n: int,
    rng: random.Random,
    temperature: float,
    width: float,
) -> list[Exemplar]:
    """At most `n` different exemplars, fewer when the pool has too few passed ones or too few buckets.

    bucket: `n` distinct buckets of `width` in log-score, drawn by softmax(mean log-score / temperature), then one
    candidate uniformly inside each. random: uniform. island: all from one island, drawn by softmax. none: nothing.
    """
    if strategy not in get_args(Strategy):
        raise ConfigError(f"unknown sampling strategy {strategy!r}: use one of {', '.join(get_args(Strategy))}")
    if n < 0 or temperature <= 0 or width <= 0:
        raise ConfigError(
            f"sampling needs n >= 0, temperature > 0, width > 0; found n={n}, temperature={temperature}, width={width}"
        )
    unique = {e.candidate.id: e for e in pool if e.evaluation.status is Status.PASSED and 0 < e.score < math.inf}
    passed = [unique[key] for key in sorted(unique)]
    if strategy == "none" or not passed:
        return []
    if strategy == "random":
        return rng.sample(passed, min(n, len(passed)))
    if strategy == "island":
        return _from_one_island(pool, passed, n, rng, temperature)
    buckets: dict[int, list[Exemplar]] = {}
    for exemplar in passed:
        buckets.setdefault(math.floor(math.log(exemplar.score) / width), []).append(exemplar)
    groups = [buckets[key] for key in sorted(buckets)]
    means = [sum(math.log(e.score) for e in group) / len(group) for group in groups]
    return [rng.choice(group) for group in _draw(groups, means, n, rng, temperature)]


def _draw(items: Sequence[T], scores: Sequence[float], n: int, rng: random.Random, temperature: float) -> list[T]:
    """`n` distinct items, one after the other, each by softmax over those that are left."""
    left = list(range(len(items)))
    drawn: list[T] = []
    while left and len(drawn) < n:
        # The largest of those LEFT is subtracted, so that a low temperature can neither overflow nor leave no weight.
        top = max(scores[i] for i in left)
        weights = [math.exp((scores[i] - top) / temperature) for i in left]
        [index] = rng.choices(left, weights)
        left.remove(index)
        drawn.append(items[index])
    return drawn


def _from_one_island(
    pool: Sequence[Exemplar], passed: Sequence[Exemplar], n: int, rng: random.Random, temperature: float
) -> list[Exemplar]:
    """A candidate lives where its first exemplar lives; one without ancestors lands by the digest of its code."""
    parents = {e.candidate.id: e.candidate.exemplar_ids[:1] for e in pool}
    islands: dict[int, list[Exemplar]] = {}
    for exemplar in passed:
        islands.setdefault(_island(exemplar.candidate.id, parents), []).append(exemplar)
    home = islands[rng.choice(sorted(islands))]
    return _draw(home, [math.log(e.score) for e in home], n, rng, temperature)


def _island(candidate_id: str, parents: dict[str, tuple[str, ...]]) -> int:
    # Twins can close a circle of ancestors, so the walk ends at the first candidate seen twice.
    seen: set[str] = set()
    root = candidate_id
    while root not in seen and parents.get(root):
        seen.add(root)
        [root] = parents[root]
    return int(min(seen, default=root) if root in seen else root, 16) % NUM_ISLANDS
