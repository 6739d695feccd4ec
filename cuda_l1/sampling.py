"""Which earlier implementations the next prompt contrasts.

A pool of judged candidates goes in, at most `n` exemplars come out. Pure: the same pool, in any order, and the same
seed give the same choice. Only PASSED candidates are chosen, and none of a degenerate task: its scores mean nothing.

contrast: two or more distinct buckets, drawn by softmax over the normal scores of their RANKS, so that no outlier can
own the probability; inside each the candidate that differs most, by technique and by lines, is the likeliest.
bucket: CUDA-L1's (arXiv 2507.14111, equation 1) on the LOGARITHM of the score: 1x to 2x is as big a step as 50x to
100x. paper: equation 1 to the letter, on raw scores; kept for comparison, as one score of 100 then owns everything.
island: as in FunSearch (doi 10.1038/s41586-023-06924-6), replayed from the ancestry that the pool holds, since nothing
else is remembered between two prompts. What each is worth: docs/results/sampling.md.

Not covered: failed attempts as warnings (prompts).
"""

from __future__ import annotations

import difflib
import math
import random
from collections.abc import Callable, Sequence
from statistics import NormalDist, fmean
from typing import Literal, TypeVar, get_args

from cuda_l1.errors import ConfigError
from cuda_l1.types import Candidate, Exemplar, Status

Strategy = Literal["contrast", "bucket", "island", "random", "none", "paper"]
NUM_ISLANDS = 4
RESET_EVERY = 40
"""Judged candidates after which the worse half of the islands is emptied and settled from the better half."""
MOST_COMPARED = 8
"""Candidates of one bucket whose code is compared; a larger bucket is thinned at random first."""
MOST_LINES = 200
"""Lines of a code that are compared."""

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
    """At most `n` different exemplars, fewer when the pool has too few good ones or too few buckets.

    `temperature` divides a bucket's normal score (contrast), its mean log-score (bucket, island) or its mean score
    (paper). `width` of a bucket is in log-score, for paper in score. random and none use neither. ConfigError.
    """
    if strategy not in get_args(Strategy):
        raise ConfigError(f"unknown sampling strategy {strategy!r}: use one of {', '.join(get_args(Strategy))}")
    if not (n >= 0 and temperature > 0 and width > 0):
        raise ConfigError(
            f"sampling needs n >= 0, temperature > 0, width > 0; found n={n}, temperature={temperature}, width={width}"
        )
    # Of two words on the same code the worse one counts; one that failed has score 0.
    unique = {name: e for _, name, e in sorted(((-e.score, e.candidate.id, e) for e in pool), key=lambda row: row[:2])}
    good = [unique[name] for name in sorted(unique) if _is_good(unique[name])]
    if strategy == "none" or not good:
        return []
    if strategy == "random":
        return rng.sample(good, min(n, len(good)))
    if strategy == "contrast":
        return _contrasting(_buckets(good, width, math.log), n, rng, temperature)
    if strategy == "island":
        good = rng.choice(_islands({name: unique[name].candidate for name in sorted(unique)}, good))
    scale: Callable[[float], float] = float if strategy == "paper" else math.log
    buckets = _buckets(good, width, scale)
    means = [fmean(scale(e.score) for e in bucket) for bucket in buckets]
    return [rng.choice(bucket) for bucket in _draw(buckets, means, n, rng, temperature)]


def _is_good(exemplar: Exemplar) -> bool:
    evaluation = exemplar.evaluation
    return evaluation.status is Status.PASSED and not evaluation.degenerate and 0 < exemplar.score < math.inf


def _buckets(good: Sequence[Exemplar], width: float, scale: Callable[[float], float]) -> list[list[Exemplar]]:
    """Exemplars whose scaled scores lie in the same [k * width, (k + 1) * width), slowest bucket first."""
    buckets: dict[int, list[Exemplar]] = {}
    for exemplar in good:
        buckets.setdefault(math.floor(scale(exemplar.score) / width), []).append(exemplar)
    return [buckets[key] for key in sorted(buckets)]


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


def _contrasting(buckets: Sequence[list[Exemplar]], n: int, rng: random.Random, temperature: float) -> list[Exemplar]:
    """Buckets by the normal scores of their ranks; inside each, the likelier the more it differs from those chosen."""
    normal = NormalDist()
    scores = [normal.inv_cdf((rank + 0.5) / len(buckets)) for rank in range(len(buckets))]
    chosen: list[Exemplar] = []
    for bucket in _draw(buckets, scores, n, rng, temperature):
        compared = rng.sample(bucket, min(len(bucket), MOST_COMPARED))
        weights = [min((_difference(e, other) for other in chosen), default=1.0) for e in compared]
        chosen += rng.choices(compared, weights if any(weights) else None)
    return chosen


def _difference(one: Exemplar, other: Exemplar) -> float:
    """0 (alike) to 1: half from the technique labels not shared, half from the lines not shared."""
    labels, theirs = set(one.evaluation.labels), set(other.evaluation.labels)
    apart = len(labels ^ theirs) / max(1, len(labels | theirs))
    shared = difflib.SequenceMatcher(None, _lines(one.candidate), _lines(other.candidate), autojunk=False).ratio()
    return (apart + 1 - shared) / 2


def _lines(candidate: Candidate) -> list[str]:
    """The code without its empty lines and indentation, cut at MOST_LINES."""
    return [line for raw in candidate.code.splitlines() if (line := raw.strip())][:MOST_LINES]


def _islands(judged: dict[str, Candidate], good: Sequence[Exemplar]) -> list[list[Exemplar]]:
    """The good exemplars of each island that has some: FunSearch's history, replayed in the order of ancestry.

    A candidate lands where most of its exemplars live, else by its digest. Every RESET_EVERY candidates the worse half
    of the islands, by their best, is emptied and settled with the best of the better half.
    """
    named = {e.candidate.id: e for e in good}
    islands: list[set[str]] = [set() for _ in range(NUM_ISLANDS)]

    def best(island: set[str]) -> tuple[float, str]:
        return max(((named[name].score if name in named else 0.0, name) for name in island), default=(0.0, ""))

    for number, name in enumerate(_eldest_first(judged), 1):
        lived = [sum(parent in island for parent in judged[name].exemplar_ids) for island in islands]
        homes = [island for island, count in zip(islands, lived, strict=True) if count == max(lived)]
        homes[int(name, 16) % len(homes)].add(name)
        if number % RESET_EVERY == 0:
            survivors = sorted(islands, key=best, reverse=True)[: NUM_ISLANDS // 2]
            islands = survivors + [{best(island)[1]} for island in survivors]
    found = [[e for name, e in named.items() if name in island] for island in islands]
    return [island for island in found if island]


def _eldest_first(judged: dict[str, Candidate]) -> list[str]:
    """Names by generation, those without ancestors in the pool first; inside a generation as given.

    Twins can close a circle of ancestors: then the first of those left goes on.
    """
    left = dict(judged)
    ordered: list[str] = []
    while left:
        generation = [name for name in left if left.keys().isdisjoint(left[name].exemplar_ids)]
        for name in generation or [next(iter(left))]:
            del left[name]
            ordered.append(name)
    return ordered
