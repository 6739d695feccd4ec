"""From paired times to a verdict: pure arithmetic."""

from __future__ import annotations

import math
import random
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
from records import make_candidate, make_evaluation, make_task

from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.judge import session, trial
from cuda_l1.timing import idle, intervals, kept, turns
from cuda_l1.types import Candidate, Evaluation, Finding, Interval, Status, Verdict


def test_twelve_blocks_leave_out_two_at_each_end() -> None:
    interval = intervals.median_interval(range(1, 13))
    assert (interval.lo, interval.value, interval.hi) == (3, 6.5, 10)


def test_several_starts_hold_each_median_and_the_spread_of_starts() -> None:
    slow, fast = [math.log(1.00)] * 20, [math.log(1.10)] * 20
    both = intervals.over_starts([slow, fast], 0.0)
    assert (both.lo, both.hi) == (pytest.approx(1.00), pytest.approx(1.10))
    assert both.value == pytest.approx(math.sqrt(1.10))
    alone = intervals.over_starts([fast], 0.01)
    assert (alone.lo, alone.hi) == (pytest.approx(1.10 * math.exp(-0.02)), pytest.approx(1.10 * math.exp(0.02)))
    four = intervals.over_starts([fast] * 4, 0.01)
    assert four.lo == pytest.approx(1.10 * math.exp(-0.01))


def test_measurements_that_disagree_leave_all_between_them() -> None:
    spanned = intervals.spanning(Interval(value=4, lo=3, hi=5), Interval(value=9, lo=8, hi=10))
    assert (spanned.lo, spanned.value, spanned.hi) == (3, pytest.approx(6), 10)


def test_fewer_blocks_give_no_interval() -> None:
    with pytest.raises(ValueError, match="at least 12"):
        intervals.median_interval([0.0] * 11)


@pytest.mark.parametrize("count", [12, 16, 24, 64, 160])
def test_interval_holds_the_median_in_95_of_100_draws(count: int) -> None:
    rng = random.Random(count)
    held = 0
    for _ in range(2000):
        interval = intervals.median_interval([rng.expovariate(1.0) for _ in range(count)])
        held += interval.lo <= math.log(2) <= interval.hi
    assert held / 2000 >= 0.94


@pytest.mark.parametrize(
    ("lo", "hi", "expected"),
    [
        (1.02, 1.5, Verdict.FAST),
        (1.0, 1.5, Verdict.AMBIGUOUS),
        (0.995, 1.005, Verdict.SAME),
        (0.5, 0.98, Verdict.SLOW),
        (0.5, 1.5, Verdict.AMBIGUOUS),
        (0.5, 0.995, Verdict.AMBIGUOUS),
    ],
)
def test_verdict(lo: float, hi: float, expected: Verdict) -> None:
    assert intervals.verdict(Interval(value=(lo + hi) / 2, lo=lo, hi=hi)) is expected


def start_of(eager_us: list[float], candidate_us: list[float]) -> turns.Start:
    return turns.Start(eager_us, [], candidate_us, candidate_us, candidate_us, None, 0.0, False, [])


def interval_of(eager_us: list[float], candidate_us: list[float], device: str) -> tuple[Verdict, float]:
    """The verdict and the width of the interval, in logarithms."""
    found = trial.figures([start_of(eager_us, candidate_us)], device, "eager", {}, {}, is_comparable=True)
    return found["verdict"], math.log(found["speedup"].hi / found["speedup"].lo)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_what_moves_all_sides_alike_is_no_doubt_and_a_ratio_that_moves_is(device: str) -> None:
    clock = [1.0] * 4 + [1.3] * 8
    eager, alike, alone = [1000.0 * c for c in clock], [800.0 * c for c in clock], [800.0] * 12
    assert interval_of(eager, alike, device)[0] is Verdict.FAST
    assert interval_of(eager, alike, device)[1] == pytest.approx(interval_of([1000.0] * 12, alone, device)[1], rel=0.01)
    assert interval_of(eager, alone, device)[0] is Verdict.AMBIGUOUS


def test_processes_of_short_calls_differ_by_more_of_them() -> None:
    short, long = interval_of([20.0] * 12, [19.0] * 12, "cuda"), interval_of([2000.0] * 12, [1900.0] * 12, "cuda")
    assert short[0] is Verdict.AMBIGUOUS
    assert long[0] is Verdict.FAST
    assert short[1] > 0.08 > 0.03 > long[1], "half a microsecond of 19 is much, of 1,900 nothing"


@pytest.mark.parametrize(
    ("device", "saved_us", "word"),
    [("cuda", 20.0, "no win"), ("cuda", 40.0, "win"), ("cpu", 28.0, "no win"), ("cpu", 60.0, "win"),
     ("cuda", 1160.0, "win")],
)  # fmt: skip
def test_what_saves_less_than_the_judges_loop_takes_is_no_win_and_what_saves_more_is_charged_that(
    device: str, saved_us: float, word: str
) -> None:
    judged, starts = trial.Trial(), [start_of([40.0 + saved_us] * 12, [40.0] * 12)._replace(throughput_us=35.0)]
    for judged.least_us in (trial.LOOP_US[device], 0.0):
        judged.figures = trial.figures(starts, device, "eager", {}, {}, is_comparable=True, least_us=judged.least_us)
        is_win = word == "win" or not judged.least_us
        assert judged.figures["verdict"] is (Verdict.FAST if is_win else Verdict.AMBIGUOUS)
        call_us = 40 + (judged.least_us if is_win else 0.0)
        for speedup in (judged.figures["speedup"], judged.figures["speedup_eager"]):
            assert speedup.value == pytest.approx((40 + saved_us) / call_us if is_win else 1.0), "a reward is by that"
        assert set(judged.figures["times_us"]) == {call_us}
        assert judged.figures["throughput_us"] == call_us - 5
        judged.notes.clear()
        judged.note_way()
        said = [] if not judged.least_us else ["way"] if is_win else ["small_win"]
        assert [note.check for note in judged.notes] == said


def test_a_call_shorter_than_what_a_way_saves_is_no_win_whatever_eager_takes() -> None:
    """It may all have been done somewhere else."""
    judged = trial.Trial()
    judged.least_us = 69.0
    for call_us, said in ((22.0, "small_win"), (70.0, "way")):
        starts = [start_of([1200.0] * 12, [call_us] * 12)]
        judged.figures = trial.figures(starts, "cuda", "eager", {}, {}, is_comparable=True, least_us=69.0)
        judged.notes.clear()
        judged.note_way()
        assert [note.check for note in judged.notes] == [said]
        assert judged.figures["verdict"] is (Verdict.FAST if said == "way" else Verdict.AMBIGUOUS)
        assert judged.figures["speedup"].lo == (1.0 if said == "small_win" else pytest.approx(1200 / 139, rel=0.02))


def test_a_win_is_certain_against_eager_too() -> None:
    """Which may be the slower one in the middle, and where it is not steady as fast as the candidate in some blocks."""
    for eager_us, verdict in (([120.0] * 12, Verdict.FAST), ([99.0] * 5 + [120.0] * 7, Verdict.AMBIGUOUS)):
        starts = [start_of(eager_us, [100.0] * 12)._replace(rival_us=[110.0] * 12)]
        found = trial.figures(starts, "cuda", "graph", {}, {}, is_comparable=True)
        assert (found["speedup"].vs, found["verdict"]) == ("graph", verdict)
        assert found["speedup"].lo > 1.01


def test_what_loses_to_the_rival_is_charged_against_eager_alone() -> None:
    """A policy may be rewarded by that, whatever the verdict."""
    judged, starts = trial.Trial(), [start_of([200.0] * 12, [100.0] * 12)._replace(rival_us=[80.0] * 12)]
    judged.least_us = 30.0
    judged.figures = trial.figures(starts, "cuda", "graph", {}, {}, is_comparable=True, least_us=30.0)
    judged.note_way()
    assert judged.figures["verdict"] is Verdict.SLOW
    assert judged.figures["speedup"].value == pytest.approx(0.8)
    assert judged.figures["speedup_eager"].value == pytest.approx(200 / 130)
    assert [note.check for note in judged.notes] == ["way"]


def test_what_is_not_faster_is_charged_nothing() -> None:
    for ends in ((0.5, 0.6, 0.7), (0.9, 0.99, 1.1), (0.9, 1.0, 1.2)):
        measured = Interval(lo=ends[0], value=ends[1], hi=ends[2])
        left = intervals.charged(measured, 40.0, 24.0)
        assert (left.lo, left.value) == (measured.lo, measured.value)
        assert left.hi == min(measured.hi, 1.0)


@pytest.mark.parametrize(
    ("device", "call_s", "calls", "washes", "least_us"),
    [("cpu", 1e-5, 8, False, trial.LOOP_US["cpu"]), ("cpu", 1e-2, 1, False, trial.LOOP_US["cpu"]),
     ("cuda:0", 1e-5, 2, False, 24.0), ("cuda:0", 1e-2, 1, False, 84.0), ("cuda:0", 1e-4, 1, False, 84.0),
     ("cuda:0", 1e-4, 4, True, 69.0), ("cuda:0", 1e-2, 1, True, 129.0)],
)  # fmt: skip
def test_a_way_to_the_judges_loop_is_worth_what_it_takes_and_what_nobody_probes_or_charges(
    device: str, call_s: float, calls: int, washes: bool, least_us: float
) -> None:
    judged = trial.Trial()
    judged.read("import torch", device, call_s, calls, washes=washes)
    assert judged.least_us == 0.0
    judged.read("import sys", device, call_s, calls, washes=washes)
    assert judged.least_us == least_us
    judged.read("SOURCE = 'std::thread(watch).detach();'", device, call_s, calls, washes=washes)
    assert judged.least_us == least_us


def test_a_baseline_that_ran_at_another_time_is_a_baseline() -> None:
    starts, met = [start_of([100.0] * 12, [80.0] * 12)], Interval(value=1.25, lo=1.2, hi=1.3)
    found = trial.figures(starts, "cuda", "compile", {}, {"graph": met}, is_comparable=True)
    assert found["speedup"].vs == "graph"
    assert found["speedup"].value == pytest.approx(1.0)
    assert found["verdict"] is Verdict.AMBIGUOUS
    slower = Interval(value=0.9, lo=0.8, hi=1.0)
    found = trial.figures(starts, "cuda", "compile", {}, {"graph": slower}, is_comparable=True)
    assert (found["speedup"].vs, found["verdict"]) == ("eager", Verdict.FAST)


@pytest.mark.parametrize(
    ("call_us", "eager_us", "late_us", "said"),
    [
        (300.0, 600.0, 5.0, (False, False)),
        (300.0, 600.0, 130.0, (True, False)),
        (300.0, 200.0, 130.0, (False, True)),  # slower than eager: nothing to hide
        (10_000.0, 12_000.0, 130.0, (False, True)),
    ],
)
def test_a_device_at_work_after_the_last_call_is_told_from_a_late_start_of_the_judge(
    call_us: float, eager_us: float, late_us: float, said: tuple[bool, bool]
) -> None:
    own, eager = (turns.Record(name, cast("Any", None)) for name in ("candidate", "eager"))
    eager.turns += [turns.Turn([eager_us] * 8, 8.5 * eager_us, 10.0, eager_us, 10.0, 0.0)] * 24
    own.turns += [turns.Turn([call_us] * 8, 8.5 * call_us, 10.0, call_us, 10.0, late_us)] * 24
    certain, doubt = idle.unfinished(own, eager)
    assert (bool(certain), bool(doubt)) == said
    own.turns = [turn._replace(pause_us=-late_us, wait_us=late_us) for turn in own.turns]  # as many before the first
    certain, doubt = idle.unfinished(own, eager)
    assert (bool(certain), bool(doubt)) == said


@pytest.mark.parametrize(
    ("held", "said"),
    [(0, ""), (12, ""), (13, "the GPU was at another program's work when 13 of 48 turns began: no verdict")],
)
def test_a_gpu_that_keeps_the_judges_own_kernels_waiting_is_crowded(held: int, said: str) -> None:
    sides = [turns.Record(name, cast("Any", None)) for name in ("eager", "compile")]
    waits = [2100.0] * held + [90.0] * (48 - held)
    for side, its in zip(sides, (waits[::2], waits[1::2]), strict=True):
        side.turns += [turns.Turn([200.0] * 8, 1700.0, 10.0, 210.0, 10.0, 0.0, wait) for wait in its]
    assert idle.crowd(sides) == said


@pytest.mark.parametrize(
    ("device", "eager_us", "close"),
    [("cuda", 104.0, True), ("cuda", 96.5, True), ("cuda", 109.0, True), ("cuda", 115.0, False), ("cuda", 80.0, False),
     ("cuda", 100.0, False), ("cpu", 140.0, True), ("cpu", 70.0, True), ("cpu", 160.0, True), ("cpu", 310.0, False),
     ("cpu", 104.0, False)],
)  # fmt: skip
def test_what_one_start_finds_by_little_is_asked_of_another(device: str, eager_us: float, close: bool) -> None:
    judged = trial.Trial()
    starts = [start_of([10 * eager_us] * 12, [1000.0] * 12)]
    judged.figures = trial.figures(starts, device, "eager", {}, {}, is_comparable=True)
    assert judged.is_close(device, trial.EFFORTS["quick"].again) is close
    assert judged.is_close(device, trial.EFFORTS["glance"].again) is (close and device == "cuda")
    assert not judged.is_close(device, trial.EFFORTS["normal"].again)


def test_a_ratio_that_moves_is_no_win_on_a_gpu() -> None:
    eager = [100.0] * 4 + [163.0] * 8
    verdict, width = interval_of(eager, [90.0] * 12, "cuda")
    assert verdict is Verdict.AMBIGUOUS
    assert width > 1.9


@pytest.mark.parametrize(
    ("called_ms", "own_ms", "eager_ms", "stopping_ms", "stopped_s", "said"),
    [
        # no more than noise, or not so much than eager's
        (1000, 9, 0, 0, 2, 0.0), (1000, 14, 4, 0, 2, 0.0), (1000, 90, 30, 0, 2, 0.0),
        (1000, 40, 4, 0, 2, 36.0), (1000, 101, 4, 0, 2, None), (1000, 90, 4, 0, 0.3, None),
        (50, 17, 3.5, 0, 5, 270.0), (50, 49, 3.5, 0, 5, 910.0), (50, 51, 3.5, 0, 5, None),  # a moment of few calls
        # what a stop took accuses nobody
        (1000, 0, 0, 300, 2, 300.0), (1000, 5, 1, 300, 0.3, 304.0), (1000, 101, 4, 300, 2, None),
    ],
)  # fmt: skip
def test_time_used_while_stopped_is_a_doubt_first(
    called_ms: int, own_ms: float, eager_ms: float, stopping_ms: float, stopped_s: float, said: float | None
) -> None:
    """Of calls of a millisecond: a stop takes its time to reach all threads of a busy machine."""
    sides = []
    for name, used, stopping in (("candidate", own_ms, stopping_ms), ("eager", eager_ms, 0)):
        process = SimpleNamespace(ran_stopped_s=used / 1e3, stopped_s=stopped_s, stopping_s=stopping / 1e3)
        side = SimpleNamespace(process=process)
        sides.append(turns.Record(name, cast("Any", side)))
        sides[-1].turns = [turns.Turn([1000.0] * (called_ms // 10), 0.0, 0.0, 0.0, 0.0, 0.0)] * 10
    if said is None:
        with pytest.raises(CandidateError, match="ms of CPU time between turns"):
            turns.check_stopped(*sides)
    else:
        assert turns.check_stopped(*sides) == pytest.approx(said)


@pytest.mark.parametrize(
    ("slowed", "own_slowed", "said", "blamed"),
    [(4, False, Status.REJECTED, True), (3, False, Status.PASSED, True), (3, True, Status.PASSED, False)],
)
def test_a_slowed_eager_is_asked_once_more_after_its_own_code(
    slowed: int, own_slowed: bool, said: Status, blamed: bool
) -> None:
    """A host that was busy in three judgements may not be any more."""
    candidate, asked = make_candidate(make_task()), list[bool]()

    def ended(one: Candidate, *, blames: bool = True, excuses: bool = True) -> Evaluation:
        if one.author == "eager":
            return make_evaluation(one, Status.REJECTED if own_slowed else Status.PASSED)
        asked.append(blames)
        if len(asked) > slowed:
            return make_evaluation(one)
        return make_evaluation(one, Status.REJECTED, findings=(Finding(check="reference_slowed", detail="by half"),))

    judging = cast("Any", object.__new__(session.Session))
    judging.task, judging.config, judging._ended = make_task(), SimpleNamespace(device="cpu"), ended
    assert judging._closed(candidate).status is said
    assert asked == [True, True, True, blamed]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float8_e5m2, torch.complex64])
def test_what_eager_keeps_that_is_no_number_is_taken_over_in_each_part(dtype: torch.dtype) -> None:
    own, its = (torch.full((3, 1 << 18), value).to(dtype) for value in (1.0, 2.0))
    its[0, 3], its[2, 5] = math.inf, math.nan
    kept._leave_open(own, its)
    is_open = ~own.to(torch.complex128).isfinite()
    assert is_open.nonzero().tolist() == [[0, 3], [2, 5]]
    assert bool((own.to(torch.complex128)[~is_open] == 1).all())
