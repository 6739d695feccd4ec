"""Inputs that lie sealed: unreadable without their key, and as they were with it."""

from __future__ import annotations

import contextlib
import mmap
import os
import socket
import threading
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from cuda_l1.processes import worker
from cuda_l1.processes.worker import Worker
from cuda_l1.timing import laid
from cuda_l1.timing.plan import Plan
from cuda_l1.wire import seal
from cuda_l1.wire.arena import Arena, Layout, Leaf
from cuda_l1.wire.link import PAGE, RUN, Link

_DEVICES = [
    "cpu",
    pytest.param(
        "cuda",
        marks=[
            pytest.mark.gpu,
            pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device, and there is none"),
        ],
    ),
]


@pytest.mark.parametrize("device", _DEVICES)
def test_a_seal_comes_off_in_another_process_pad_by_its_key_alone(device: str) -> None:
    row = torch.randn(4096, device=device).view(torch.int64)
    ours, theirs = (seal.Pad(row.numel() * 8, device, washes=False) for _ in range(2))
    sealed = ours.stream(1 << 61, row.numel()).bitwise_xor_(row).clone()
    assert int((sealed == row).sum()) == 0
    wrong = sealed ^ theirs.stream((1 << 61) + 1, row.numel())
    assert int((wrong == row).sum()) == 0
    theirs.open(sealed, 1 << 61)
    assert torch.equal(sealed, row)


@pytest.mark.parametrize("device", _DEVICES)
def test_what_is_sealed_says_nothing_bit_by_bit(device: str) -> None:
    zeros = torch.zeros(1 << 14, dtype=torch.int64, device=device)
    sealed = seal.Pad(zeros.numel() * 8, device, washes=False).stream(7, zeros.numel()).bitwise_xor_(zeros)
    for bit in range(64):  # the sign of every second float among them
        share = float(((sealed >> bit) & 1).double().mean())
        assert abs(share - 0.5) < 0.03, f"bit {bit}: {share}"


class Page:
    """A shared page that remembers what was written to it, in order."""

    def __init__(self) -> None:
        self.memory, self.written = mmap.mmap(-1, PAGE), list[slice]()

    def __getitem__(self, where: slice) -> bytes:
        return self.memory[where]

    def __setitem__(self, where: slice, value: bytes) -> None:
        self.written.append(where)
        self.memory[where] = value


def test_a_key_lies_there_before_the_command_for_its_slot_and_not_before_that() -> None:
    ours, theirs = socket.socketpair()
    page = Page()
    judge, worker = (Link(end, page) for end in (ours, theirs))  # type: ignore[arg-type]
    judge.begin()
    seen: list[tuple[int, int]] = []

    def work() -> None:
        for _ in range(4):
            command = worker.await_command()
            seen.append((command, worker.key() if command >= 0 else 0))
            worker.done()

    thread = threading.Thread(target=work)
    page.written.clear()
    with ours, theirs:
        thread.start()
        for value, key in ((5, 1 << 61), (RUN, 0), (3, 77), (4, 0)):
            judge.command(value, 5.0, lambda: None, key)
        thread.join()
    assert seen == [(5, 1 << 61), (RUN, 0), (3, 77), (4, 0)]
    told = [where for where in page.written if where.start in (0, 16)]
    assert [where.start for where in told] == [16, 0, 0, 16, 0, 16, 0], "a key, then its command; a call has none"


class Race:
    """A side's memory, and the judge's, as `Laid` and a worker use them, on the CPU in place of a GPU."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, plan: Plan) -> None:
        monkeypatch.setattr(laid, "honest", lambda draw: draw())
        real = seal.Pad
        monkeypatch.setattr(seal, "Pad", lambda nbytes, device, *, washes: real(nbytes, "cpu", washes=washes))
        leaf = Leaf((64,), (1,), "float32")
        self.arena = Arena.create(Layout((leaf,), (), plan.slots, 0), "cpu", 0)
        self.worker = Worker(None)  # type: ignore[arg-type]
        self.worker.device = "cpu"
        self.worker.pad = seal.Pad(self.arena.layout.input_slot_nbytes, "cpu", washes=True)
        process = SimpleNamespace(command=self.command)
        self.side: Any = SimpleNamespace(time_arena=self.arena, process=process, synchronize=lambda: None, loaded=0)
        self.reference: Any = SimpleNamespace(
            device="cuda:0", input_leaves=(leaf,), random=Random(4), other_bounds={},
            draws=lambda slots: self.drawn(Layout((leaf,), (), slots, 0)), draw=lambda *_: self.draw(),
        )  # fmt: skip

    def drawn(self, layout: Layout) -> Arena:
        self.draws = Arena.create(layout, "cpu", 0)
        return self.draws

    def draw(self) -> None:
        for slot in range(self.draws.layout.input_slots):
            self.draws.input(slot)[0].normal_()

    def close(self) -> None:
        self.arena.close()
        self.draws.close()

    def command(self, slot: int, _: float, key: int, *__: object) -> None:
        if key:
            self.worker._open(self.arena, slot, key)


def test_what_a_cache_is_washed_in_is_there_before_a_candidates_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or it would say in which memory: one page, mapped many times, is all that such a wash touches."""
    side = Worker(None)  # type: ignore[arg-type]
    side.is_cuda, side.device, side.precision, side.mode, side.kit = True, "cpu", "default", "eval", None
    seen: list[seal.Pad | None] = []

    class Source:
        def __init__(self, *_: object) -> None:
            seen.append(side.pad)

        def made_with_as(self, encoded: list[object]) -> list[object]:
            return encoded

        def construct(self, *_: object) -> torch.nn.Module:
            return torch.nn.Identity()

    monkeypatch.setattr(worker, "Source", Source)
    request = {"path": "", "module": "candidate", "import_path": None, "role": "candidate"}
    request |= {"init": [], "class_name": "", "seed": 0}
    for opens in (0, 4096):
        side.load({**request, "inline": False, "given": None, "opens": opens})
    assert seen[0] is None
    assert seen[1] is not None
    assert seen[1].stream(1, 512).numel() == 512


@pytest.mark.parametrize("device", ["cpu", "cuda:0"])
def test_what_holds_no_number_lies_nowhere(device: str) -> None:
    """No slot has a byte of it, and so no side what a seal would be taken off with."""
    plan: Any = SimpleNamespace(slots=4)
    empty, full = (Leaf.of(torch.zeros(*shape)) for shape in ((0, 3), (2, 3)))
    for leaves, is_there in (((), False), ((empty,), False), ((empty, full), True)):
        reference: Any = SimpleNamespace(input_leaves=leaves, device=device)
        assert (laid.how(reference, plan) is not laid.How.NOWHERE) == is_there


@pytest.mark.parametrize("calls", [1, 4, 16])
def test_nothing_of_a_later_call_can_be_read_in_a_turn(monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    """Nor in what lies in the last call's slot when its output is delivered."""
    plan = Plan(2 * calls, calls)
    with contextlib.closing(Race(monkeypatch, plan)) as race:
        lies = laid.Laid(race.reference, plan, [race.side], 2)
        for _ in range(3):
            asked = lies.renew()
            assert sorted(asked) == list(range(2 * calls)), "nobody is asked for a row that is none of the side's"
            for half in (asked[:calls], asked[calls:]):
                for slot in half:
                    lies.ask(race.side, slot, 1.0)
                    assert torch.equal(race.arena.rows[slot], lies.rows[slot])
                found = lies.rows[lies.other(half[-1])]
                for slot in asked[asked.index(half[-1]) + 1 :]:
                    assert int((race.arena.rows[slot] == lies.rows[slot]).sum()) == 0
                    assert not torch.equal(found, lies.rows[slot]), "inputs of a call that is still to come"
                assert not torch.equal(found, lies.rows[half[-1]])


def test_other_distributions_come_until_each_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    with contextlib.closing(Race(monkeypatch, Plan(8, 4))) as race:
        race.reference.other_bounds = {f"other {number}": [] for number in range(5)}
        lies, seen = laid.Laid(race.reference, Plan(8, 4), [race.side], 2), list[str]()
        while len(seen) < 15:
            others = [slot for slot in lies.renew() if lies.kinds[slot] != "own"]
            for slot in others[:1]:  # of none of the rest is anything compared
                lies.compared(slot)
                seen.append(lies.kinds[slot])
        for first in (0, 5, 10):
            assert len(set(seen[first : first + 5])) >= 4, "what was still due came with the next ones"
        assert len(set(seen)) == 5


def test_sides_that_are_sealed_anew_are_given_the_same_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    with contextlib.closing(Race(monkeypatch, Plan(8, 4))) as race:
        lies = laid.Laid(race.reference, Plan(8, 4), [race.side], 2)
        asked = lies.renew()
        for _ in range(2):
            lies.seal([race.side])
            for slot in asked[:4]:
                lies.ask(race.side, slot, 1.0)
                assert torch.equal(race.arena.rows[slot], lies.rows[slot])
        lies.show(race.side)
        for slot in asked:
            lies.ask(race.side, slot, 1.0)
        assert torch.equal(race.arena.rows, lies.rows[:8])


def test_what_is_put_in_place_of_a_calls_inputs_lies_sealed_as_the_others_do(monkeypatch: pytest.MonkeyPatch) -> None:
    with contextlib.closing(Race(monkeypatch, Plan(8, 4))) as race:
        race.reference.other_bounds = {"signs": []}
        lies = laid.Laid(race.reference, Plan(8, 4), [race.side], 2)
        for number in (1, 3):
            row = torch.randint(1 << 40, lies.rows[0].shape, dtype=lies.rows.dtype)
            slot = lies.renew(put={number: row})[number]
            assert torch.equal(lies.rows[slot], row)
            assert lies.kinds[slot] == "own"
            assert int((race.arena.rows[slot] == row).sum()) == 0
            lies.ask(race.side, slot, 1.0)
            assert torch.equal(race.arena.rows[slot], row)


def test_memory_that_cannot_be_mapped_leaves_no_descriptor() -> None:
    before = os.listdir("/proc/self/fd")
    layout = Layout((), (), 0, 0)
    with pytest.raises(OSError, match="Cannot allocate memory"):
        Arena.create(layout, "cpu", 1 << 50)
    with pytest.raises(ValueError, match="greater than file size"):
        Arena.attach(layout, "cpu", os.memfd_create("empty"), 1 << 12)
    assert os.listdir("/proc/self/fd") == before


def test_no_more_is_washed_than_a_cache_holds_however_large_the_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    washed, count = 1 << 17, 1 << 19
    monkeypatch.setattr(seal, "washed_nbytes", lambda _: 8 * washed)
    pad = seal.Pad(8 * count, "cpu", washes=True)
    row = torch.zeros(count, dtype=torch.int64)
    pad.open(row, 7)
    assert not pad._words[:washed].any()
    assert torch.equal(pad._words[washed:], row[washed:])
    small = seal.Pad(8 * 64, "cpu", washes=True)
    small.open(torch.zeros(64, dtype=torch.int64), 7)
    assert len(small._words) == 64
    assert small._words.all(), "small ones are not washed"


def test_zeros_throughout_meet_the_own_weights_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under others a reference may be a constant there that rounding leaves as it is, by luck: a decay above one."""
    with contextlib.closing(Race(monkeypatch, Plan(8, 4))) as race:
        race.reference.other_bounds = {"nothing": [], "nothing of input 0": []}
        lies = laid.Laid(race.reference, Plan(8, 4), [race.side], 2)
        met = []
        for race.side.loaded in (0, 1):
            met.append({kind for _ in range(20) for kind in (lies.renew(), lies.kinds.values())[1]})
        assert met == [{"own", "nothing", "nothing of input 0"}, {"own"}]
