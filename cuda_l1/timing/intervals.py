"""From paired times to a verdict. Pure: no clock, no process, no device.

A block is one palindrome of turns (A B B A), so that drift over a block falls on all sides alike. Each block gives one
log-ratio; the speedup is the median of the blocks with the distribution-free 95% interval of order statistics
(https://online.stat.psu.edu/stat415/lesson/19/19.2), which assumes no shape of the noise.

Two starts of the same code can differ by more than one start's blocks say, so the interval of several starts also
holds the median of each.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from cuda_l1.types import Interval, Verdict

GAP = 0.01
"""A difference below one per cent is no difference (the paper's 1.01, section 4)."""
LEAST_BLOCKS = 12
"""With twelve blocks the 95% interval leaves out two at each end: a hiccup of the machine does not make it useless."""
_START_SPREAD, _START_SPREAD_US = {"cpu": 0.05, "cuda": 0.006}, {"cpu": 0.0, "cuda": 0.5}
"""Standard deviation between starts of equal code, as a share and in microseconds a call, measured by
`benchmarks/aa.py` (docs/results/aa.md)."""
_NARROW_SHARE = 0.04


def logs(side_us: Sequence[float], own_us: Sequence[float]) -> list[float]:
    """Log-ratios of a side's blocks over the candidate's, of microseconds."""
    return [math.log(other / own) for other, own in zip(side_us, own_us, strict=True)]


def ends(values: Sequence[float]) -> tuple[float, float]:
    """Medians of a race's first and of its last third: of what its blocks gave, in order."""
    third = max(len(values) // 3, 1)
    return statistics.median(values[:third]), statistics.median(values[-third:])


def median_interval(values: Sequence[float]) -> Interval:
    """Median and its 95% interval; at least LEAST_BLOCKS values are needed."""
    if len(values) < LEAST_BLOCKS:
        raise ValueError(f"{len(values)} blocks give no 95% interval; at least {LEAST_BLOCKS} are needed")
    ordered = sorted(values)
    rank = _rank(len(ordered))
    return Interval(value=statistics.median(ordered), lo=ordered[rank], hi=ordered[-1 - rank])


def over_starts(starts: Sequence[Sequence[float]], spread: float, doubt: float = 0.0) -> Interval:
    """The ratio over all starts. Its interval holds that of all blocks, every start's own median, and what starts of
    equal code differ by: twice `spread` (a standard deviation of the logarithm) over the root of their number; and the
    ratio that it would be if the candidate took the share `doubt` longer."""
    pooled = median_interval([log for start in starts for log in start])
    medians = [statistics.median(start) for start in starts]
    middle, reach = statistics.fmean(medians), 2 * spread / math.sqrt(len(medians))
    lo, hi = min([pooled.lo, middle - reach, *medians]), max([pooled.hi, middle + reach, *medians])
    return Interval(value=math.exp(middle), lo=math.exp(lo) / (1 + doubt), hi=math.exp(hi))


def borne_out(speedup: Interval, whole: float) -> Interval:
    """What a speedup by the calls is worth where whole turns say so much: of one that is more than 1 no less than that.
    What is more, or nobody could pay for it."""
    value = max(min(speedup.value, whole), min(speedup.value, 1.0))
    return Interval(value=value, lo=min(speedup.lo, value), hi=speedup.hi)


def start_spread(device: str, call_us: float) -> float:
    """Standard deviation between starts of equal code, of the logarithm: for calls of so many microseconds, of the
    faster side, on a `cpu` or `cuda`."""
    return math.hypot(_START_SPREAD[device], _START_SPREAD_US[device] / call_us)


def charged(speedup: Interval, call_us: float, more_us: float) -> Interval:
    """What a speedup is if the candidate's calls took so much more than those that were seen: of one that is more than
    1 no less than that, and where a call takes less than `more_us` nothing but that is certain."""
    share = call_us / (call_us + more_us)
    lo, value, hi = (max(each * share, min(each, 1.0)) for each in (speedup.lo, speedup.value, speedup.hi))
    if call_us < more_us:
        lo, value = min(lo, 1.0), min(value, 1.0)
    return Interval(value=value, lo=lo, hi=hi)


def spanning(one: Interval, two: Interval) -> Interval:
    """What two measurements that disagree leave: all between them."""
    return Interval(value=math.sqrt(one.value * two.value), lo=min(one.lo, two.lo), hi=max(one.hi, two.hi))


def is_narrow(logs: Interval, spread: float) -> bool:
    """Whether more blocks of this start would tell little: half as wide as what the next start may differ by anyway
    (see `over_starts`), or a twenty-fifth of the logarithm that it is about."""
    return logs.hi - logs.lo < max(2 * spread, _NARROW_SHARE * abs(logs.value))


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
