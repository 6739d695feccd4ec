"""The algebra of subsets: which to judge, and what their speedups say about the parts. Pure.

Everything is a contrast: a sum of log-speedups with weights that add up to zero, so that what all subsets share (eager,
against which each is measured) falls out. Subsets are judged more than once; what words on the same code differ by,
pooled over all subsets as in a factorial design with replicates (Montgomery, Design and Analysis of Experiments,
chapter 6), is the least doubt of each. The interval of a contrast adds the distances of each interval's bound from its
value in quadrature (MOVER: Zou and Donner 2008, doi 10.1002/sim.3095), which takes the measurements as independent.
Parts multiply where log-speedups add; the Shapley value (1953) shares what all parts do together among them.
NOT covered: many comparisons at once; each interval stands for itself.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from cuda_l1.errors import UsageError
from cuda_l1.types import Interval, Record

Subset = frozenset[str]
"""The parts that are on."""
Weights = Mapping[Subset, float]
Says = Literal["help", "hinder", "multiply", "cannot tell"]
Worth = Literal["faster", "slower", "no difference", "cannot tell"]

GAP = 0.01
"""A ratio within one per cent of 1 is no difference, as for the judge."""


class Measured(NamedTuple):
    """A subset's speedup. Two subsets of one `key` are the same code and were measured once."""

    key: str
    speedup: Interval


_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120)
"""Two-sided 95% points of Student's t for 1, 2, 3 ... degrees of freedom."""


class Effect(Record):
    """What one part is worth, as a factor; None where a subset that it needs has no speedup."""

    part: str
    alone: Interval | None
    """With this part over with none."""
    last: Interval | None
    """With all parts over with all but this."""
    shapley: Interval | None
    """Its fair share of what all do together: the shares of all parts multiply to that."""
    worth: Worth
    """By `last`, or by `alone` where there is no `last`."""


class Interaction(Record):
    """Whether some parts together give what their single gains multiply to."""

    parts: tuple[str, ...]
    by: Literal["alone", "last"]
    """Whose single gains: `alone` added to nothing, `last` taken away from all."""
    together: Interval
    product: Interval
    """Of the single gains."""
    factor: Interval
    """Above 1 the parts help each other: `together` over `product`, or for `last` the inverse, which says the same."""
    log: Interval
    """The logarithm of `factor`."""
    says: Says


class Analysis(Record):
    """What the speedups of the subsets say."""

    together: Interval | None
    """All parts over none."""
    interaction: Interaction | None
    pairs: tuple[Interaction, ...]
    """Of three parts or more: each pair without the others."""
    effects: tuple[Effect, ...]
    """In the order of the parts."""


def plan(parts: Sequence[str], most: int) -> list[Subset]:
    """All subsets where these are at most `most`, else all, none, all but one and only one; all comes first, then none.

    UsageError where even these are too many.
    """
    everything = frozenset(parts)
    if 2 ** len(parts) <= most:
        sizes: Sequence[int] = range(len(parts) - 1, 0, -1)
    elif 2 * len(parts) + 2 <= most:
        sizes = (len(parts) - 1, 1)
    else:
        raise UsageError(
            f"{len(parts)} parts need {2 * len(parts) + 2} subsets to be judged, the limit is {most}: choose some with "
            "--parts, or raise --most"
        )
    between = [frozenset(chosen) for size in sizes for chosen in combinations(parts, size)]
    return list(dict.fromkeys([everything, frozenset(), *between]))


def spread(words: Mapping[str, Sequence[Interval]]) -> tuple[float, int]:
    """Standard deviation of the logarithm between words on the same code, and its degrees of freedom (0: unknown)."""
    logs = [[math.log(word.value) for word in each] for each in words.values()]
    freedom = sum(len(each) - 1 for each in logs)
    squares = sum((log - statistics.fmean(each)) ** 2 for each in logs for log in each)
    return (math.sqrt(squares / freedom) if freedom else 0.0), freedom


def pooled(words: Mapping[str, Sequence[Interval]]) -> dict[str, Interval]:
    """One speedup for each key: the mean of the logarithms, with the wider of two doubts on each side: what the words
    themselves say, and what words on the same code differ by."""
    deviation, freedom = spread(words)
    t = _T[freedom - 1] if 0 < freedom <= len(_T) else 1.96 + 2.5 / freedom if freedom else 0.0
    found = {}
    for key, each in words.items():
        middle = statistics.fmean(math.log(word.value) for word in each)
        least = t * deviation / math.sqrt(len(each))
        below = math.sqrt(sum(math.log(word.value / word.lo) ** 2 for word in each)) / len(each)
        above = math.sqrt(sum(math.log(word.hi / word.value) ** 2 for word in each)) / len(each)
        logs = Interval(value=middle, lo=middle - max(below, least), hi=middle + max(above, least))
        found[key] = _exp(logs)
    return found


def contrast(measured: Mapping[Subset, Measured], weights: Weights) -> Interval | None:
    """The logarithm of the product of speedups to the power of their weights; None where a subset is missing."""
    if any(subset not in measured for subset in weights):
        return None
    by_key: dict[str, float] = defaultdict(float)
    speedups: dict[str, Interval] = {}
    for subset, weight in weights.items():
        by_key[measured[subset].key] += weight
        speedups[measured[subset].key] = measured[subset].speedup
    value = below = above = 0.0
    for key, weight in by_key.items():
        middle, lo, hi = (math.log(bound) for bound in (speedups[key].value, speedups[key].lo, speedups[key].hi))
        down, up = weight * (middle - lo), weight * (hi - middle)
        if weight < 0:
            down, up = -up, -down
        value += weight * middle
        below += down**2
        above += up**2
    return Interval(value=value, lo=value - math.sqrt(below), hi=value + math.sqrt(above))


def gain(more: Subset, less: Subset) -> Weights:
    """The contrast of one subset over another."""
    return total([(1, {more: 1.0}), (-1, {less: 1.0})])


def total(terms: Sequence[tuple[float, Weights]]) -> Weights:
    """The sum of contrasts, each times its number."""
    added: dict[Subset, float] = defaultdict(float)
    for number, weights in terms:
        for subset, weight in weights.items():
            added[subset] += number * weight
    return {subset: weight for subset, weight in added.items() if weight}


def shapley(part: str, parts: Sequence[str]) -> Weights:
    """The mean of what a part adds over all orders in which the parts can be added."""
    others = [other for other in parts if other != part]
    terms = []
    for size in range(len(parts)):
        share = math.factorial(size) * math.factorial(len(others) - size) / math.factorial(len(parts))
        for chosen in combinations(others, size):
            before = frozenset(chosen)
            terms.append((share, gain(before | {part}, before)))
    return total(terms)


def analyse(parts: Sequence[str], measured: Mapping[Subset, Measured]) -> Analysis:
    """All that the measured subsets allow to say."""
    everything, interaction = frozenset(parts), None
    together = contrast(measured, gain(everything, frozenset()))
    effects = tuple(_effect(part, parts, measured) for part in parts)
    pairs = [_interaction(pair, frozenset(pair), measured, "alone") for pair in combinations(parts, 2)]
    if len(parts) > 1:
        interaction = _interaction(parts, everything, measured, "alone") or _interaction(
            parts, everything, measured, "last"
        )
    return Analysis(
        together=ratio(together),
        interaction=interaction,
        pairs=tuple(pair for pair in pairs if pair is not None) if len(parts) > 2 else (),
        effects=effects,
    )


def _effect(part: str, parts: Sequence[str], measured: Mapping[Subset, Measured]) -> Effect:
    everything = frozenset(parts)
    alone = ratio(contrast(measured, gain(frozenset({part}), frozenset())))
    last = ratio(contrast(measured, gain(everything, everything - {part})))
    whole = len(measured) == 2 ** len(parts)  # else a subset is missing, and of many parts there are too many to list
    share = ratio(contrast(measured, shapley(part, parts))) if whole else None
    return Effect(part=part, alone=alone, last=last, shapley=share, worth=_worth(last or alone))


def _interaction(
    parts: Sequence[str], everything: Subset, measured: Mapping[Subset, Measured], by: Literal["alone", "last"]
) -> Interaction | None:
    """What the parts do together beside the product of their single gains."""
    none: Subset = frozenset()
    together = gain(everything, none)
    if by == "alone":
        single = [gain(frozenset({part}), none) for part in parts]
    else:
        single = [gain(everything, everything - {part}) for part in parts]
    product = total([(1, weights) for weights in single])
    # A part that others need is worth little alone and much when it is taken away from all: the signs are opposite.
    sign = 1 if by == "alone" else -1
    log = contrast(measured, total([(sign, together), (-sign, product)]))
    found, expected, factor = (ratio(each) for each in (contrast(measured, together), contrast(measured, product), log))
    if log is None or found is None or expected is None or factor is None:
        return None
    return Interaction(
        parts=tuple(parts), by=by, together=found, product=expected, factor=factor, log=log, says=_says(factor)
    )


def ratio(log: Interval | None) -> Interval | None:
    """The factor of a logarithm."""
    return None if log is None else _exp(log)


def _exp(log: Interval) -> Interval:
    return Interval(value=math.exp(log.value), lo=math.exp(log.lo), hi=math.exp(log.hi))


def _side(factor: Interval) -> int | None:
    """Which side of 1 the whole interval is on; 0 where it is all within the gap, None where it cannot be said."""
    if factor.lo >= 1 - GAP and factor.hi <= 1 + GAP:
        return 0
    return 1 if factor.lo > 1 else -1 if factor.hi < 1 else None


def _says(factor: Interval) -> Says:
    words: dict[int | None, Says] = {1: "help", -1: "hinder", 0: "multiply", None: "cannot tell"}
    return words[_side(factor)]


def _worth(factor: Interval | None) -> Worth:
    words: dict[int | None, Worth] = {1: "faster", -1: "slower", 0: "no difference", None: "cannot tell"}
    return words[_side(factor) if factor is not None else None]
