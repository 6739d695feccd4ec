"""Whether a GPU was idle where it should be, before a candidate's calls and once they are done; and who used it else:
the candidate, or another program. Pure.

NOT covered: how it is probed (probes.py), and what passes on the host (turns.py).
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.timing import intervals
from cuda_l1.timing.probes import UNTOLD
from cuda_l1.timing.turns import HIDDEN_SHARE, Record
from cuda_l1.types import Finding, Status
from cuda_l1.wire.link import DELIVER, RUN

_UNFINISHED_US, _BEGUN_US = 20.0, 100.0
_LEAST_PROBES, _EARLY, _EARLY_EAGER, _EARLY_ALL = 4, 0.25, 0.1, 0.75
"""Shares of the probes that were early: a candidate's from which nobody waits; eager's up to which that says something,
and from which it has nothing to wait for, or several processes use the GPU at once: between the two others did."""
_LEAST_EARLY = 3
"""So many early deliveries accuse: two of seven were honest code's, once, on a host at work (docs/log.md)."""
_HELD_UP = 1.5
"""Of the shortest that a probe's kernel took: then the device did other work meanwhile (a slice is 2.4 ms). Less may be
its clock that fell."""
_HELD_UP_SHARE = 0.5
"""Of a side's probes: so many held up, and what the rest say is no answer."""
_HELD_US, _HELD_SHARE = 500.0, 0.25
"""Of a kernel of the judge's own on a device that should be idle: on an H200 it takes 150 to 240 us, beside another
program up to a slice of 2.4 ms; and in how many turns that is no accident."""


def crowd(records: Sequence[Record]) -> str:
    """How crowded a GPU was: whether kernels of the judge's own had to wait for it while all sides were stopped, before
    turns of eager and the rival. Else empty. What a candidate leaves running there is `unfinished` first."""
    waits = [turn.wait_us for record in records for turn in record.turns]
    held = sum(wait > _HELD_US for wait in waits)
    if held <= _HELD_SHARE * len(waits):
        return ""
    return f"the GPU was at another program's work when {held} of {len(waits)} turns began: no verdict"


def unfinished(own: Record, eager: Record) -> tuple[float, float]:
    """How many microseconds longer than eager's process the candidate's kept the device at work after its last `done`,
    or before its first call: what is certain, and what may be chance. The parent's first kernel after a long turn is
    late by itself (honest code four times as slow as eager: 70 to 130 us), so what is small beside a call, or comes of
    one that is slower than eager, is no more than a doubt about it."""
    pairs = list(zip(own.turns, eager.turns, strict=True))
    after = intervals.median_interval([mine.pause_us - its.pause_us for mine, its in pairs])
    # what was begun before the first call makes what is left after the last one look short
    before = intervals.median_interval([mine.wait_us - its.wait_us for mine, its in pairs])
    call_us, certain, doubt = statistics.median(turn.call_us for turn in own.turns), 0.0, 0.0
    is_slower = own.typical_us > eager.typical_us
    for extra, least in ((after, _UNFINISHED_US), (before, _BEGUN_US)):
        if extra.lo > max(least, HIDDEN_SHARE * call_us) and not is_slower:
            certain = max(certain, extra.value)
        elif extra.lo > least:
            doubt = max(doubt, extra.value)
    return certain, doubt


def overtook(own: Record, eager: Record, word: int) -> tuple[int, int]:
    """How many of how many probes of that word the candidate was done with before the device could be, if those are
    too many and eager's were not, nor its deliveries, which are short whatever its calls take; else none of none."""
    mine, its = _undisturbed(own, eager, word)
    its = its if word == DELIVER else [*its, *_undisturbed(own, eager, DELIVER)[1]]
    if min(len(mine), len(its)) < _LEAST_PROBES or sum(its) > _EARLY_EAGER * len(its):
        return 0, 0
    return (sum(mine), len(mine)) if sum(mine) > _EARLY * len(mine) else (0, 0)


def disturbed(own: Record, eager: Record) -> str:
    """How many probes were held up, or eager early how often, if so many that they cannot tell who waits for the
    device; else empty."""
    for word in (RUN, DELIVER, UNTOLD):
        asked = len(own.probed[word]), len(eager.probed[word])
        found = _undisturbed(own, eager, word)
        left, its = tuple(map(len, found)), found[1]
        if min(asked) < _LEAST_PROBES:
            continue
        if any(some < (1 - _HELD_UP_SHARE) * all_ for some, all_ in zip(left, asked, strict=True)):
            held = f"{sum(asked) - sum(left)} of {sum(asked)} probes"
            return f"the GPU was at another program's work, its clock moved, or inputs were taken up late, in {held}"
        if _EARLY_EAGER * len(its) < sum(its) < _EARLY_ALL * len(its):
            return f"eager came before the judge's own work in {sum(its)} of {len(its)} probes: others used the GPU"
    return ""


def _undisturbed(own: Record, eager: Record, word: int) -> tuple[list[bool], list[bool]]:
    """Of the probes that were not held up which were early, of each side. Where a third program used the device whoever
    waits may come before the judge."""
    both = own.probed[word], eager.probed[word]
    usual = min((each.held_up for probes in both for each in probes), default=0.0)
    mine, its = ([each.early for each in probes if each.held_up < _HELD_UP * usual] for probes in both)
    return mine, its


def check_finished(own: Record, eager: Record, notes: list[Finding]) -> float:
    """CandidateError if the device was still at work when the candidate said done; how much of a call is in
    doubt, microseconds."""
    early, asked = overtook(own, eager, DELIVER)
    if early >= _LEAST_EARLY:
        detail = (
            f"{early} of {asked} results were said to be delivered while the device was at the judge's own work: "
            "nobody waits for the device in this process; leave torch.cuda.synchronize as it is"
        )
        raise CandidateError(Status.REJECTED, "unfinished_work", detail)
    certain, doubt = unfinished(own, eager)
    if certain:
        detail = (
            f"the device was busy outside its calls: the judge waited {certain:.0f} us longer for it than for "
            "eager's; join all streams before forward returns"
        )
        raise CandidateError(Status.REJECTED, "unfinished_work", detail)
    for word, what in ((RUN, "calls"), (UNTOLD, "calls"), (DELIVER, "deliveries")):
        early, asked = overtook(own, eager, word)
        if early:
            detail = (
                f"{early} of {asked} {what} were over while the device was at the judge's own work: nothing was "
                "launched, or nobody waited for it; so no win against eager, which waits"
            )
            notes.append(Finding(check="not_waited", detail=detail))
            return max(doubt, eager.typical_us - own.typical_us)
    return doubt
