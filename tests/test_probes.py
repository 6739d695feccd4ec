"""Which calls meet a device that the judge keeps busy, what their side can tell of it, and what is told of them."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable
from typing import Any, cast

import pytest

from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.timing import idle, probes, turns
from cuda_l1.wire import link


class Device:
    """A side that takes up inputs, and the judge's kernel: what happened, in order. It ends as it is waited for,
    or in a pause of the side's while the inputs are taken up."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, waits: bool, pauses: bool = False) -> None:
        self.waits, self.pauses, self.over = waits, pauses, False
        self.done: list[str] = []
        device = self

        class Busy(probes.Busy):
            def __init__(self, *_: object) -> None:
                device.done.append("launched")
                device.over = device.pauses

            def turned_to(self) -> Busy:
                device.done.append("waited for")
                return self

            def is_over(self) -> bool:
                return device.over

            def overtaken(self, process: Any, word: int, timeout_s: float) -> probes.Seen:
                process.command(word, timeout_s)
                return probes.Seen(not self.is_over(), 1.0)

        monkeypatch.setattr(probes, "Busy", Busy)

    def ask(self, meanwhile: Callable[[], object] = link.nothing) -> tuple[float, float]:
        self.done.append("inputs are asked for")
        meanwhile()
        self.done.append("they are there")
        return 900.0 if self.pauses else 200.0, 0.0

    def command(self, value: int, _: float) -> float:
        assert value == link.RUN
        self.done.append("called")
        self.over |= self.waits
        return 1.0


def _probed(device: Device, usual_us: float) -> tuple[dict[int, list[probes.Seen]], float, float]:
    seen: dict[int, list[probes.Seen]] = defaultdict(list)
    probing = probes.Probing(cast("Any", device), "cuda:0", 1e-4, 1.0, seen)
    us, _ = probing.opened(device.ask, usual_us)
    assert probing.word(link.RUN) == []
    return seen, us, probing.us


@pytest.mark.parametrize("waits", [True, False])
def test_where_inputs_are_large_nothing_before_a_call_tells_that_it_is_probed(
    monkeypatch: pytest.MonkeyPatch, waits: bool
) -> None:
    """Between the two only as much passes as else."""
    device = Device(monkeypatch, waits=waits)
    seen, us, ours = _probed(device, 200.0)
    assert device.done == ["inputs are asked for", "launched", "they are there", "called"]
    assert seen == {probes.UNTOLD: [probes.Seen(not waits, 1.0)]}
    assert us == 200.0
    assert ours > 0.0


def test_where_inputs_are_small_the_judge_waits_until_it_has_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    device = Device(monkeypatch, waits=False)
    assert _probed(device, 40.0)[0] == {link.RUN: [probes.Seen(True, 1.0)]}
    assert device.done == ["inputs are asked for", "they are there", "launched", "waited for", "called"]


def test_a_kernel_that_went_between_is_on_nobodys_clock_and_too_many_such_say_that_the_gpu_was_anothers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen, us, ours = _probed(Device(monkeypatch, waits=True, pauses=True), 200.0)
    assert seen == {probes.UNTOLD: [probes.Seen(False, math.inf)]}
    assert us == 200.0
    assert ours > 700.0
    own, eager = (turns.Record(name, cast("Any", None)) for name in ("candidate", "eager"))
    eager.probed[probes.UNTOLD] += [probes.Seen(False, 1.0)] * 12
    own.probed[probes.UNTOLD] += [probes.Seen(False, 1.0)] * 7 + seen[probes.UNTOLD] * 5
    assert not idle.disturbed(own, eager)
    own.probed[probes.UNTOLD] += seen[probes.UNTOLD] * 7
    assert "12 of 31 probes" in idle.disturbed(own, eager)


@pytest.mark.parametrize(("eager", "notes"), [(0, ["not_waited"]), (12, [])])
def test_who_does_not_wait_where_no_pause_tells_has_no_win(eager: int, notes: list[str]) -> None:
    sides = own, its = [turns.Record(name, cast("Any", None)) for name in ("candidate", "eager")]
    for side, us in zip(sides, (20.0, 80.0), strict=True):
        side.turns += [turns.Turn([us] * 4, 5 * us, 10.0, us, 10.0, 0.0)] * 24
    own.probed[probes.UNTOLD] += [probes.Seen(True, 1.0)] * 12
    its.probed[probes.UNTOLD] += [probes.Seen(n < eager, 1.0) for n in range(12)]
    found: list[Any] = []
    doubt = idle.check_finished(own, its, found)
    assert [note.check for note in found] == notes
    assert doubt == (60.0 if notes else 0.0)
    assert not idle.disturbed(own, its), "where it says nothing it takes no win either"


@pytest.mark.parametrize(("early", "is_refused"), [(2, False), (3, True)])
def test_two_early_deliveries_accuse_nobody_and_are_no_win(early: int, is_refused: bool) -> None:
    sides = own, its = [turns.Record(name, cast("Any", None)) for name in ("candidate", "eager")]
    for side, us in zip(sides, (20.0, 80.0), strict=True):
        side.turns += [turns.Turn([us] * 4, 5 * us, 10.0, us, 10.0, 0.0)] * 24
    own.probed[link.DELIVER] += [probes.Seen(n < early, 1.0) for n in range(7)]
    its.probed[link.DELIVER] += [probes.Seen(False, 1.0)] * 7
    found: list[Any] = []
    if is_refused:
        with pytest.raises(CandidateError, match="3 of 7 results were said to be delivered while"):
            idle.check_finished(own, its, found)
    else:
        assert idle.check_finished(own, its, found) == 60.0
        assert ["2 of 7 deliveries" in note.detail for note in found] == [True]


@pytest.mark.parametrize(
    ("own", "eager", "said"),
    [
        ([True] * 20, [False] * 20, (20, 20)),
        ([True] * 6 + [False] * 14, [False] * 20, (6, 20)),
        ([True] * 3 + [False] * 21, [True] * 2 + [False] * 22, (0, 0)),  # the device turned to the side by chance
        ([True] * 20, [True] * 20, (0, 0)),  # eager has nothing to wait for either
        ([True] * 3, [False] * 3, (0, 0)),  # too few to tell
        ([], [], (0, 0)),
    ],
)
def test_who_is_done_before_the_device_can_be_does_not_wait_for_it(
    own: list[bool], eager: list[bool], said: tuple[int, int]
) -> None:
    sides = [turns.Record(name, cast("Any", None)) for name in ("candidate", "eager")]
    for side, early in zip(sides, (own, eager), strict=True):
        side.probed[link.RUN] += [probes.Seen(each, 1.1) for each in early]
    assert idle.overtook(*sides, link.RUN) == said
    assert idle.overtook(*sides, link.DELIVER) == (0, 0)


def test_beside_a_third_program_nobody_is_accused() -> None:
    own, eager = (turns.Record(name, cast("Any", None)) for name in ("candidate", "eager"))
    eager.probed[link.DELIVER] += [probes.Seen(False, held_up) for held_up in (1.0, 1.1) * 6]
    own.probed[link.DELIVER] += [probes.Seen(True, 9.0)] * 10 + [probes.Seen(False, 1.0)] * 2
    assert idle.overtook(own, eager, link.DELIVER) == (0, 0)
    assert "10 of 24 probes" in idle.disturbed(own, eager)
    own.probed[link.DELIVER] += [probes.Seen(True, 1.1)] * 10
    assert idle.overtook(own, eager, link.DELIVER) == (10, 12)
    assert not idle.disturbed(own, eager)


@pytest.mark.parametrize(("delivered", "said"), [([False] * 12, (12, 12)), ([True] * 12, (0, 0))])
def test_where_eagers_calls_outlast_a_probe_its_deliveries_tell_whether_several_use_the_gpu_at_once(
    delivered: list[bool], said: tuple[int, int]
) -> None:
    """Such calls are early on no GPU, so they say nothing for who is."""
    assert probes.probed_s(5e-4, 5e-5) == 5e-4
    assert probes.probed_s(2e-3, 5e-5) == 5e-5, "by the candidate's"
    own, eager = (turns.Record(name, cast("Any", None)) for name in ("candidate", "eager"))
    own.probed[link.RUN] += [probes.Seen(True, 1.0)] * 12
    eager.probed[link.RUN] += [probes.Seen(False, 1.0)] * 12
    eager.probed[link.DELIVER] += [probes.Seen(each, 1.0) for each in delivered]
    assert idle.overtook(own, eager, link.RUN) == said


@pytest.mark.parametrize(("early", "said"), [(0, ""), (2, ""), (3, "3 of 20 probes"), (14, "14 of 20"), (20, "")])
def test_where_eager_overtakes_the_judge_now_and_then_others_used_the_gpu(early: int, said: str) -> None:
    own, eager = (turns.Record(name, cast("Any", None)) for name in ("candidate", "eager"))
    own.probed[link.RUN] += [probes.Seen(False, 1.0)] * 20
    eager.probed[link.RUN] += [probes.Seen(True, 1.0)] * early + [probes.Seen(False, 1.0)] * (20 - early)
    found = idle.disturbed(own, eager)
    assert said in found if said else not found


def test_any_call_of_a_turn_but_the_first_may_be_probed() -> None:
    rng = random.Random(3)
    drawn = {probes.draw(rng, 8, 1e-4) for _ in range(2000)}
    assert drawn == {(position, word, 1e-4) for position in range(1, 8) for word in (link.RUN, link.DELIVER)}
    few = [probes.draw(rng, 2, 1e-4) for _ in range(2000)]
    assert set(few) == {(1, link.RUN, 1e-4), (1, link.DELIVER, 1e-4)}
    assert few.count(probes.Probe(1, link.RUN, 1e-4)) / 2000 == pytest.approx(1 / 3, abs=0.05), "one counts no call"
    assert probes.draw(rng, 1, 1e-4) is None
    assert probes.draw(rng, 64, 2 * probes.LONGEST_S) is None
