"""What a candidate is charged for work outside its calls: pure arithmetic."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from typing import Any, cast

import pytest

from cuda_l1.timing import intervals, turns


def _record(rng: random.Random, call_us: float, *, gap_us: float = 80.0, begin_us: float = 150.0) -> turns.Record:
    record = turns.Record("side", None)  # type: ignore[arg-type]
    for _ in range(24):
        calls = [call_us * rng.uniform(0.98, 1.1) for _ in range(8)]
        begin = begin_us * rng.uniform(0.9, 1.2) + (3000.0 if rng.random() < 0.03 else 0.0)
        gaps = [gap_us * rng.uniform(0.95, 1.3) for _ in range(7)]
        first, last = calls[0] + 140.0, 90.0 * rng.uniform(0.9, 1.2)
        record.turns.append(turns.Turn(calls, begin + first + sum(gaps) + sum(calls[1:]) + last, begin, first, last, 0))
    return record


def test_waiting_for_the_scheduler_is_not_hidden_work() -> None:
    rng = random.Random(1)
    for _ in range(50):
        charged, _ = turns.hidden(_record(rng, 130.0), _record(rng, 130.0), is_cuda=False)
        assert charged == 0.0


def test_work_between_the_calls_is_charged() -> None:
    rng = random.Random(2)
    for _ in range(50):
        charged, _ = turns.hidden(_record(rng, 30.0, gap_us=190.0), _record(rng, 130.0), is_cuda=False)
        assert 80.0 < charged < 130.0


def test_work_in_every_other_turn_is_charged() -> None:
    """What the first turn of a block computes, the second hands out: 5 ms as it begins, for sixteen calls."""
    rng = random.Random(4)
    for _ in range(50):
        ahead = _record(rng, 10.0)
        ahead.turns = [
            turn._replace(begin_us=turn.begin_us + 5000.0 * (1 - n % 2), total_us=turn.total_us + 5000.0 * (1 - n % 2))
            for n, turn in enumerate(ahead.turns)
        ]
        charged, _ = turns.hidden(ahead, _record(rng, 130.0), is_cuda=False)
        assert charged > 250.0


def test_calls_that_are_longer_than_the_median_are_not_paid_for_by_a_short_delivery() -> None:
    """Every third call does three calls' work: the others' median shows none of it."""
    rng = random.Random(5)
    for _ in range(50):
        own, eager = _record(rng, 10.0, gap_us=20.0), _record(rng, 130.0)
        own.turns = [
            turn._replace(calls_us=[us + 380.0 * (n % 3 == 2) for n, us in enumerate(turn.calls_us)],
                          total_us=turn.total_us + 760.0)
            for turn in own.turns
        ]  # fmt: skip
        charged, _ = turns.hidden(own, eager, is_cuda=False)
        assert charged > 75.0


def test_work_that_is_now_in_one_part_and_now_in_another_is_charged() -> None:
    """Of twelve blocks five are made while inputs are taken up, and five between calls: in most blocks each part takes
    as long as eager's."""
    rng = random.Random(8)
    certain = {False: 0, True: 0}
    for _ in range(50):
        own, eager = _record(rng, 10.0), _record(rng, 130.0)
        for turn in range(24):
            was, block = own.turns[turn], turn // 2
            if block < 10 and block % 2:
                own.turns[turn] = was._replace(prepare_us=960.0, total_us=was.total_us + 960.0)
            elif block < 10:
                own.turns[turn] = was._replace(total_us=was.total_us + 960.0)
        for is_cuda in certain:
            charged, doubt = turns.hidden(own, eager, is_cuda=is_cuda)
            certain[is_cuda] += charged > 80.0
            assert charged + doubt > 80.0, "where eager was late in such a block, no win by it all the same"
    assert min(certain.values()) > 35


@pytest.mark.parametrize("is_cuda", [False, True])
def test_slices_that_a_compiler_takes_now_of_one_side_and_now_of_another_are_not_charged(is_cuda: bool) -> None:
    """Equal code on a core that a compiler has too: several slices of 3 ms a turn, between calls or as inputs are taken
    up. No part pays for another, so that each side seems to be late in most blocks."""
    rng = random.Random(11)

    def beside_a_compiler() -> turns.Record:
        record = _record(rng, 90.0)
        for number, turn in enumerate(record.turns):
            between, taken_up = (sum(3000.0 * (rng.random() < 0.25) for _ in range(4)) for _ in range(2))
            total_us = turn.total_us + between + taken_up
            record.turns[number] = turn._replace(total_us=total_us, prepare_us=taken_up)
        return record

    told = [turns.hidden(beside_a_compiler(), beside_a_compiler(), is_cuda=is_cuda) for _ in range(100)]
    assert sum(charged > 0 for charged, _ in told) <= 2
    assert sum(doubt > 0 for _, doubt in told) > 10, "where it might be the candidate's, nobody wins by it"


@pytest.mark.parametrize(
    ("opening_us", "ahead_us", "charged"),
    [(80.0, 14.0, False), (80.0, 20.0, True), (280.0, 14.0, False), (280.0, 26.0, True), (280.0, 50.0, True),
     (1100.0, 22.0, False), (1100.0, 40.0, True)],
)  # fmt: skip
def test_what_is_done_as_inputs_are_opened_is_forgiven_as_far_as_honest_code_takes_longer(
    opening_us: float, ahead_us: float, charged: bool
) -> None:
    """Whatever their size: of 126 MB a fifth was two thirds of a call."""
    rng = random.Random(9)
    own, eager = _record(rng, 30.0), _record(rng, 80.0)
    for record, each in ((own, opening_us + ahead_us), (eager, opening_us)):
        record.turns = [
            turn._replace(prepare_us=us, total_us=turn.total_us + us)
            for turn in record.turns
            for us in [8 * each * rng.uniform(0.99, 1.01)]
        ]
    hidden, _ = turns.hidden(own, eager, is_cuda=True)
    assert (hidden > 0) is charged
    assert turns.prepare_forgiven(opening_us, "cpu") == 0.25 * opening_us


def _said(rng: random.Random, late_us: float, share: float) -> turns.Record:
    """A record whose answers take longer, so many of them; of all some wait for a core."""
    record = _record(rng, 60.0)
    record.turns = [
        turn._replace(where_us=[
            rng.uniform(38.0, 46.0) + late_us * (rng.random() < share) + 5000.0 * (rng.random() < 0.03)
            for _ in range(10)])
        for turn in record.turns
    ]  # fmt: skip
    return record


@pytest.mark.parametrize(("late_us", "share", "least", "most"), [(0, 0, 0, 0), (60, 1, 45, 75), (60, 0.55, 20, 45)])
def test_what_is_computed_only_when_it_is_asked_for_is_charged(
    late_us: float, share: float, least: float, most: float
) -> None:
    rng = random.Random(6)
    for _ in range(50):
        assert least <= turns.where_charge(_said(rng, late_us, share), _said(rng, 0, 0), 0.5) <= most


def test_of_what_shows_a_way_no_answer_is_forgiven_on_a_gpu() -> None:
    """A fifth of eager's answer: luck of a process, or the work of a short call."""
    rng = random.Random(7)
    charges: dict[tuple[bool, bool, float], list[float]] = defaultdict(list)
    for _ in range(50):
        for late_us in (0.0, 8.0):
            own, eager = _said(rng, late_us, 1), _said(rng, 0, 0)
            for own.shows_way in (False, True):
                for is_cuda in (False, True):
                    charges[own.shows_way, is_cuda, late_us].append(turns.hidden(own, eager, is_cuda=is_cuda)[0])
    assert all(us > 5 for us in charges.pop((True, True, 8.0)))
    assert sum(us > 0 for us in charges.pop((True, True, 0.0))) <= 3, "of equal code one in twenty, by chance"
    assert not any(us for some in charges.values() for us in some)


def test_what_is_certain_and_too_little_to_be_taken_off_is_no_part_of_a_win() -> None:
    """A call of a millisecond ends 25 us before its last kernel, which each delivery waits for."""
    own, eager = (turns.Record(name, cast("Any", None)) for name in ("candidate", "eager"))
    eager.turns += [turns.Turn([1000.0] * 8, 8000.0 + 900.0, 100.0, 1000.0, 90.0, 0.0)] * 24
    own.turns += [turns.Turn([960.0] * 8, 7680.0 + 900.0 + 8 * 25.0, 100.0, 960.0, 115.0, 0.0)] * 24
    charged, doubt = turns.hidden(own, eager, is_cuda=True)
    assert charged == 0.0
    assert doubt == pytest.approx(25.0)


def test_a_state_that_is_made_when_it_is_written_down_is_charged_to_each_call() -> None:
    rng = random.Random(3)
    own, eager = _record(rng, 100.0), _record(rng, 500.0)
    eager.state_us, own.state_us = [300.0, 900.0], [250.0, 40_000.0]
    assert turns.hidden(own, eager, is_cuda=False)[0] < 10.0, "it was late once"
    own.state_us[0] = 30_000.0
    assert turns.hidden(own, eager, is_cuda=False)[0] == pytest.approx(30_000.0 - 2 * 900.0)


def test_too_little_to_be_certain_widens_the_interval_downwards() -> None:
    rng = random.Random(3)
    charged, doubt = turns.hidden(_record(rng, 100.0, gap_us=100.0), _record(rng, 130.0), is_cuda=False)
    assert charged == 0.0
    assert 5.0 < doubt < 40.0
    starts = [[math.log(1.3)] * 12]
    plain, doubted = intervals.over_starts(starts, 0.0), intervals.over_starts(starts, 0.0, doubt / 100.0)
    assert plain.lo == pytest.approx(1.3)
    assert doubted.lo == pytest.approx(1.3 / (1 + doubt / 100.0))
    assert doubted.hi == pytest.approx(1.3)
