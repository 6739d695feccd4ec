"""From paired times to a verdict. Pure: no clock, no process, no device.

A block is one palindrome of turns (A B B A), so that drift over a block falls on all sides alike. Each block gives one
log-ratio; the speedup is the median of the blocks with the distribution-free 95% interval of order statistics
(https://online.stat.psu.edu/stat415/lesson/19/19.2), which assumes no shape of the noise.

NOT covered: what differs between two starts of the same process.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from cuda_l1.types import Interval, Verdict

GAP = 0.01
"""A difference below one per cent is no difference (the paper's 1.01, section 4)."""
LEAST_BLOCKS = 6
"""Fewer blocks have no 95% interval: with six, minimum and maximum hold the median with 96.9%."""


def median_interval(values: Sequence[float]) -> Interval:
    """Median and its 95% interval; at least LEAST_BLOCKS values are needed."""
    if len(values) < LEAST_BLOCKS:
        raise ValueError(f"{len(values)} blocks give no 95% interval; at least {LEAST_BLOCKS} are needed")
    ordered = sorted(values)
    rank = _rank(len(ordered))
    return Interval(value=statistics.median(ordered), lo=ordered[rank], hi=ordered[-1 - rank])


def ratio_interval(log_ratios: Sequence[float]) -> Interval:
    """Median ratio and its 95% interval from the blocks' log-ratios."""
    logs = median_interval(log_ratios)
    return Interval(value=math.exp(logs.value), lo=math.exp(logs.lo), hi=math.exp(logs.hi))


def _rank(count: int) -> int:
    # The largest r for which P(at most r of `count` fair coins show heads) stays within 2.5%.
    tail, rank = 0.0, -1
    while True:
        tail += math.comb(count, rank + 1) / 2.0**count
        if tail > 0.025:
            return max(rank, 0)
        rank += 1


def verdict(speedup: Interval) -> Verdict:
    """FAST and SLOW only with certainty, SAME only when the whole interval lies within the gap."""
    if speedup.lo > 1 + GAP:
        return Verdict.FAST
    if speedup.hi < 1 - GAP:
        return Verdict.SLOW
    if speedup.lo >= 1 - GAP and speedup.hi <= 1 + GAP:
        return Verdict.SAME
    return Verdict.AMBIGUOUS
