"""What is paid for a speedup that calls alone show: simulated races, with a core's other programs and without."""

from __future__ import annotations

import random
import statistics
from typing import Any, cast

import pytest

from cuda_l1.judge import trial
from cuda_l1.timing import turns, whole
from cuda_l1.types import Interval, Verdict

_CALLS, _EAGER_US, _SLICE_US = 16, 90.0, 3000.0


def _turn(rng: random.Random, call_us: float, slices: float, hidden_us: float = 0.0, *, ahead: bool = False) -> Any:
    """One turn beside programs that take so many slices in 10 ms; most of its calls are short by what is hidden."""

    def takes(us: float) -> float:
        hits, next_us = 0, rng.expovariate(slices / 1e4) if slices else us
        while next_us < us:
            hits, next_us = hits + 1, next_us + rng.expovariate(slices / 1e4)
        return us + hits * _SLICE_US * rng.uniform(0.5, 1.2)

    quick = {call for call in range(_CALLS) if hidden_us and 0 < call < 9}
    calls = [takes((call_us - hidden_us * (n in quick)) * rng.uniform(0.97, 1.03)) for n in range(_CALLS)]
    prepare, rest, begin, last = 12.0 * _CALLS, 20.0 * _CALLS, takes(60.0), takes(40.0)
    prepare, rest = takes(prepare + ahead * hidden_us * len(quick)), takes(rest + (not ahead) * hidden_us * len(quick))
    return turns.Turn(calls, sum(calls) + prepare + rest + begin + last, begin, calls[0], last, 0.0, 0.0, prepare)


def _record(rng: random.Random, call_us: float, slices: float, hides: float = 0.0, *, in_parts: bool = False) -> Any:
    """Two dozen blocks, of which that share hides most of its calls' work: at delivery, or where inputs are taken up in
    one block after the other."""
    record = turns.Record("side", cast("Any", None))
    for block in range(24):
        hidden_us = 80.0 if block * hides % 1 + hides >= 1 else 0.0
        ahead = in_parts and rng.random() < 0.5
        record.turns += [_turn(rng, call_us, slices, hidden_us, ahead=ahead) for _ in range(2)]
    return record


def _start(own: Any, eager: Any, *, is_cuda: bool) -> turns.Start:
    """What a race of these says."""
    blocks = range(24)
    charged, doubt = turns.hidden(own, eager, is_cuda=is_cuda)
    eager_us, own_us = [eager.block_us(b) for b in blocks], [own.block_us(b) + charged for b in blocks]
    whole_us, unsure = whole.by_turns(own, eager, charged, 0.0, is_cuda=is_cuda)
    return turns.Start(eager_us, [], own_us, whole_us, own_us, None, max(doubt, unsure), False, [])


def _found(own: Any, eager: Any, *, is_cuda: bool) -> tuple[float, Interval, Verdict]:
    """The speedup by the calls alone, that which is paid for, and the verdict."""
    start, kind = _start(own, eager, is_cuda=is_cuda), "cuda" if is_cuda else "cpu"
    by_calls, paid = (
        trial.figures([each], kind, "eager", {}, {}, is_comparable=True)
        for each in (start._replace(whole_us=start.candidate_us), start)
    )
    return by_calls["speedup_eager"].value, paid["speedup_eager"], paid["verdict"]


def _said(own: Any, eager: Any, *, is_cuda: bool) -> bool:
    """Whether a reader is told that whole turns take something of the speedup."""
    start = _start(own, eager, is_cuda=is_cuda)
    return bool(whole.said_of_turns(start.candidate_us, start.whole_us, start.eager_us))


@pytest.mark.parametrize("is_cuda", [False, True])
@pytest.mark.parametrize(("slices", "hides"), [(0.0, 0.5), (0.0, 0.55), (0.0, 0.7), (2.0, 0.6)])
def test_what_half_of_the_blocks_hide_is_not_paid_for(is_cuda: bool, slices: float, hides: float) -> None:
    """By medians of blocks such code is two to seven times as fast as eager, and too little of what it hides is certain
    to be charged."""
    rng, by_calls, paid = random.Random(1), [], []
    for _ in range(40):
        own, eager = _record(rng, _EAGER_US, slices, hides), _record(rng, _EAGER_US, slices)
        value, interval, verdict = _found(own, eager, is_cuda=is_cuda)
        by_calls.append(value)
        paid.append(interval.value)
        assert interval.lo <= interval.value <= interval.hi
        assert verdict is not Verdict.FAST
    assert statistics.median(by_calls) > 2.0
    assert statistics.median(paid) < 1.2


def test_what_is_hidden_in_parts_beside_a_compiler_is_not_paid_for() -> None:
    """There it is as much as eager's blocks differ by, a doubt, and not charged."""
    rng = random.Random(2)
    found = [
        _found(_record(rng, _EAGER_US, 2.0, 1.0, in_parts=True), _record(rng, _EAGER_US, 2.0), is_cuda=True)
        for _ in range(40)
    ]
    assert sum(by_calls > 5.0 for by_calls, _, _ in found) > 10
    assert statistics.median(paid.value for _, paid, _ in found) < 1.3


@pytest.mark.parametrize("is_cuda", [False, True])
@pytest.mark.parametrize("slices", [0.0, 2.0])
def test_what_is_taken_is_said_where_something_is_hidden_and_rarely_of_honest_code(
    is_cuda: bool, slices: float
) -> None:
    rng = random.Random(8)
    hiding = [
        _said(_record(rng, _EAGER_US, slices, 0.6), _record(rng, _EAGER_US, slices), is_cuda=is_cuda) for _ in range(40)
    ]
    honest = [
        _said(_record(rng, call_us, slices), _record(rng, _EAGER_US, slices), is_cuda=is_cuda)
        for call_us in (90.0, 60.0, 30.0, 10.0)
        for _ in range(40)
    ]
    assert sum(hiding) >= 34
    assert sum(honest) <= 4


@pytest.mark.parametrize("is_cuda", [False, True])
@pytest.mark.parametrize("slices", [0.25, 0.5])
def test_what_most_blocks_hide_is_no_win_where_eager_was_late_in_some(is_cuda: bool, slices: float) -> None:
    """Nine calls of sixteen in four blocks of five hide less than they take: certain but for two or three blocks in
    which another program took the core from eager."""
    rng, fast = random.Random(4), 0
    for _ in range(60):
        own, eager = _record(rng, 200.0, slices, 0.8), _record(rng, 200.0, slices)
        fast += _found(own, eager, is_cuda=is_cuda)[2] is Verdict.FAST
    assert fast <= 1


@pytest.mark.parametrize("is_cuda", [False, True])
@pytest.mark.parametrize("slices", [0.25, 1.0])
def test_honest_code_wins_beside_other_programs(is_cuda: bool, slices: float) -> None:
    rng = random.Random(5)
    found = [
        _found(_record(rng, call_us, slices), _record(rng, _EAGER_US, slices), is_cuda=is_cuda)[2]
        for call_us in (60.0, 30.0, 10.0)
        for _ in range(20)
    ]
    assert sum(verdict is Verdict.FAST for verdict in found) >= 55


@pytest.mark.parametrize("is_cuda", [False, True])
@pytest.mark.parametrize("slices", [0.0, 2.0])
def test_honest_code_is_paid_for_its_calls_beside_a_compiler_too(is_cuda: bool, slices: float) -> None:
    rng, paid = random.Random(3), []
    for call_us in (90.0, 60.0, 30.0, 10.0):
        for _ in range(20):
            own, eager = _record(rng, call_us, slices), _record(rng, _EAGER_US, slices)
            by_calls, interval, _ = _found(own, eager, is_cuda=is_cuda)
            paid.append(interval.value / by_calls)
    assert statistics.median(paid) > 0.99
    assert sum(share < 0.9 for share in paid) <= 8, "one of ten"


def test_what_the_judge_saw_and_doubts_is_not_paid_for_either() -> None:
    """Calls of 2 us that nobody waited for, beside an eager of 35."""
    own, eager = (_record(random.Random(seed), us, 0.0) for seed, us in ((6, 2.0), (7, 35.0)))
    whole_us, unsure = whole.by_turns(own, eager, 0.0, 33.0, is_cuda=True)
    assert unsure == 0.0
    assert min(whole_us) > 34.0
    own_us, eager_us = ([side.block_us(block) for block in range(24)] for side in (own, eager))
    (note,) = whole.said_of_turns(own_us, whole_us, eager_us)
    assert note.check == "whole_turns"
    assert "1x against eager by whole turns, 17.5x by its calls" in note.detail
    assert not whole.said_of_turns(own_us, own_us, eager_us)
    assert not whole.said_of_turns(eager_us, [2 * us for us in eager_us], own_us), "of what is slower nothing is taken"
