"""Whether outputs are made when their call is done: what the judge reads and writes where they lie."""

from __future__ import annotations

import random
import struct
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.timing.whereabouts import Whereabouts, drawn
from cuda_l1.wire.arena import Leaf
from cuda_l1.wire.link import WHERE
from cuda_l1.wire.memory import HANDLE_BYTES, Memory, Place

_ROWS = Leaf((4, 8), (8, 1), "float32")
_NONE, _SHARES, _TURNED = 0, 1, 2


class Held:
    """A process on a GPU, on the CPU: one allocation, in which its outputs lie one behind the other."""

    def __init__(self, count: int) -> None:
        self.values = torch.randn(count, *_ROWS.shape)
        self.reads: list[int] = []
        self.done: list[str] = []

    def command(self, value: int, _: float) -> None:
        assert value == WHERE
        self.done.append("asked")

    def resume(self) -> None:
        self.done.append("goes on")

    def stop(self) -> None:
        self.done.append("is stopped")

    @property
    def link(self) -> Any:
        return self

    def answer(self, nbytes: int, _: float) -> bytes:
        each = self.values[0].nbytes
        said = [bytes(HANDLE_BYTES) + struct.pack("<3q", n * each, 8, 1) for n in range(len(self.values))]
        assert sum(map(len, said)) == nbytes
        return b"".join(said)

    def read(self, place: Place, nbytes: int) -> bytes:
        self.reads.append(place.at // self.values[0].nbytes)
        return self.values.numpy().tobytes()[place.at : place.at + nbytes]

    def write(self, place: Place, data: bytes) -> None:
        left = bytearray(self.values.numpy().tobytes())
        left[place.at : place.at + len(data)] = data
        self.values = torch.frombuffer(left, dtype=torch.float32).view(self.values.shape)

    def is_own(self, _: Place) -> bool:
        return True


def _looks(
    held: Held, borrowed: list[int], views: list[bool], *, device: str = "cuda:0", calls: int = 3
) -> Whereabouts:
    count = len(borrowed)
    side: Any = SimpleNamespace(
        device=device, process=held, structure=[None, borrowed, views],
        reference=SimpleNamespace(writable=list(range(count))),
        time_arena=SimpleNamespace(layout=SimpleNamespace(outputs=(_ROWS,) * count)),
    )  # fmt: skip
    return Whereabouts(side, cast("Memory", held), random.Random(5), set(range(calls)), calls, -1)


@pytest.mark.parametrize("call", [0, 2])
def test_outputs_that_share_memory_are_read_where_they_lie_on_a_gpu_too(call: int) -> None:
    """But no views of inputs, nor what is conjugated when it is delivered."""
    held = Held(4)
    before = held.values.clone()
    lies = _looks(held, [_SHARES, _NONE, _TURNED, _SHARES], [False, False, False, True])
    lies.see(call, list(torch.zeros(4, *_ROWS.shape)), 1.0)
    assert set(held.reads) == {0, 1}
    changed = [not torch.equal(was, now) for was, now in zip(before, held.values, strict=True)]
    assert changed == [False, True, False, False], "who writes to what others share writes to these too"
    lies.delivered(list(held.values))
    lies.check()


def test_an_output_that_shares_memory_and_is_made_when_it_is_delivered_is_found() -> None:
    held = Held(2)
    lies = _looks(held, [_SHARES, _SHARES], [False, False])
    lies.see(0, list(torch.zeros(2, *_ROWS.shape)), 1.0)
    lies.delivered(list(held.values + 1.0))
    with pytest.raises(CandidateError, match="did not lie where it was said to"):
        lies.check()


@pytest.mark.parametrize(("device", "done"), [("cuda:0", ["goes on", "asked", "is stopped"]), ("cpu", [])])
def test_on_a_gpu_the_last_call_is_asked_about_once_its_turn_is_over(device: str, done: list[str]) -> None:
    """What an answer before that gives time for, a kernel of the judge's finds."""
    held = Held(1)
    lies = _looks(held, [_NONE], [False], device=device)
    assert [lies.comes_later(call) for call in range(3)] == [False, False, device != "cpu"]
    lies.see_last(list(torch.zeros(1, *_ROWS.shape)), 1.0)
    assert held.done == done
    assert len(lies.us) == done.count("asked")


@pytest.mark.parametrize(
    ("calls", "is_cuda", "share"),
    [
        (1, True, 1.0),
        (1, False, 1.0),
        (2, True, 0.5),
        (4, True, 0.5),
        (4, False, 1.0),
        (5, True, 0.25),
        (8, False, 0.25),
    ],
)
def test_not_all_calls_of_a_turn_on_a_gpu_are_asked_about(calls: int, is_cuda: bool, share: float) -> None:
    """What a call leaves to be over by the look shows in the others."""
    rng = random.Random(6)
    asked = [drawn(rng, calls, is_cuda=is_cuda) for _ in range(500)]
    assert sum(map(len, asked)) / (500 * calls) == pytest.approx(share, abs=0.05)
    assert set().union(*asked) == set(range(calls))
