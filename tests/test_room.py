"""Who has how much of a GPU's memory: claims of real processes, and what a task too large for the device is told."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import time
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
import torch

from cuda_l1.errors import CannotJudgeError, TaskError
from cuda_l1.machine import room

_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload([room.__name__])


def hold(folder: str, nbytes: int, ours: Connection) -> None:
    """Claim so much, say so, and give it up when told to."""
    tempfile.tempdir = folder
    with room.claimed("cpu", nbytes, 100):
        ours.send("in")
        ours.recv()


class Holder:
    """Another process that claims so much: forked from one that has loaded torch."""

    def __init__(self, nbytes: int) -> None:
        self.wire, its = _PROCESSES.Pipe()
        self.process = _PROCESSES.Process(target=hold, args=(tempfile.gettempdir(), nbytes, its))
        self.process.start()
        its.close()

    def enters(self, seconds: float = 60) -> bool:
        """Whether it does so within that time."""
        return self.wire.poll(seconds) and bool(self.wire.recv())

    def end(self) -> None:
        self.wire.send("out")
        self.process.join(60)
        assert self.process.exitcode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.join()


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Its socket is where the path is short enough for one, and outlives the tests, as it does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(tmp_path_factory.getbasetemp()))
        forkserver.ensure_running()


@pytest.fixture
def temporary(forks: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def until_in_line(temporary: Path, count: int) -> None:
    """So many have claimed, or wait to: a wait for who has not begun would tell nothing."""
    while len(list(temporary.glob("cuda-l1-cpu-room/*-*"))) < count:
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize("killed", [False, True])
def test_who_finds_no_room_waits_until_another_has_ended_or_was_killed(temporary: Path, killed: bool) -> None:
    first = Holder(60)
    assert first.enters()
    second = Holder(30)
    assert second.enters()
    third = Holder(50)
    until_in_line(temporary, 3)
    assert not third.enters(1)
    first.kill() if killed else first.end()
    assert third.enters()
    second.end()
    third.end()
    left = [path.name for path in temporary.glob("cuda-l1-cpu-room/*-*")]
    assert left == ([] if not killed else left[:1])
    with room.claimed("cpu", 90, 100):
        claims = list(temporary.glob("cuda-l1-cpu-room/*-*"))
    assert [path.name.partition("-")[2] for path in claims] == [str(os.getpid())], "the killed one's is removed"


def test_a_small_one_does_not_pass_a_large_one_that_came_first(temporary: Path) -> None:
    first = Holder(60)
    assert first.enters()
    large = Holder(70)
    until_in_line(temporary, 2)
    small = Holder(20)
    until_in_line(temporary, 3)
    assert not small.enters(1)
    first.end()
    assert large.enters()
    assert small.enters()
    large.end()
    small.end()


def test_who_waits_too_long_is_told_why(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_PATIENCE_S", 0.5)
    other = Holder(60 << 30)
    assert other.enters()
    said = "50 of the 100 GiB of cpu are wanted, other judges have too much of the rest, and have had for 0 minutes"
    with pytest.raises(CannotJudgeError, match=said), room.claimed("cpu", 50 << 30, 100 << 30):
        pass
    other.end()
    assert not list(temporary.glob("cuda-l1-cpu-room/*-*"))


def test_another_container_may_have_a_process_of_the_same_number(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_PATIENCE_S", 0.5)
    other = Holder(60)
    assert other.enters()
    [claim] = temporary.glob("cuda-l1-cpu-room/*-*")
    claim.rename(claim.with_name(f"1-{os.getpid()}"))
    with pytest.raises(CannotJudgeError, match="other judges have too much"), room.claimed("cpu", 50, 100):
        pass
    other.kill()
    with room.claimed("cpu", 50, 100):
        pass


def test_alone_one_begins_whatever_the_size_and_never_waits_for_itself(temporary: Path) -> None:
    with room.claimed("cpu", 1000, 100), room.claimed("cpu", 1000, 100):
        assert len(list(temporary.glob("cuda-l1-cpu-room/*-*"))) == 2
    assert not list(temporary.glob("cuda-l1-cpu-room/*-*"))


def test_who_holds_room_does_not_wait_for_more(temporary: Path) -> None:
    """Two that each hold one GPU and wait for the other's would wait for ever."""
    with room.claimed("cpu", 30, 100):
        other = Holder(60)
        assert other.enters()
        with pytest.raises(CannotJudgeError, match="holds some already, does not wait"), room.claimed("cpu", 50, 100):
            pass
        with room.claimed("cpu", 40, 100):  # what it has itself it need not wait for
            pass
        other.end()
    assert not list(temporary.glob("cuda-l1-cpu-room/*-*"))


def test_who_holds_room_passes_those_who_wait_for_it(temporary: Path) -> None:
    with room.claimed("cpu", 90, 100):
        waits = Holder(70)
        until_in_line(temporary, 2)
        with room.claimed("cpu", 5, 100):
            assert not waits.enters(0)
    assert waits.enters()
    waits.end()


GIB = 1 << 30


def of(inputs: int, outputs: int, call: int, weights: int = 0) -> room.Sizes:
    """A task's sizes, four sets kept."""
    return room.Sizes(inputs, outputs, 2 * outputs, inputs, call, weights, 4 * (inputs + 2 * outputs))


RELU = of(6 * GIB, 6 * GIB, 6 * GIB)
"""KernelBench 1/19, a ReLU of 4096 x 393216."""
ALONE = room.Room(spare=False)
ONE_SLOT = room.Room(spare=False, one_slot=True)
HOST = ONE_SLOT._replace(keeps=False)
LEAST = HOST._replace(rival=False)
CONTEXT = 800 << 20


def test_what_a_task_takes_by_hand() -> None:
    """Sets on the host, no rival: candidate 2 + 3 inputs and outputs and a call's 1, eager 1 + 1 and 1, the reference
    1, the oracle's 2 and a draw's 1, inputs drawn, two outputs taken, each 6 GiB; four processes; 2 GiB to compare."""
    least = RELU.taken(1, LEAST)
    assert least == (6 + 3 + 4 + 3) * 6 * GIB + 4 * CONTEXT + 2 * GIB
    with_rival = RELU.taken(1, HOST)
    assert with_rival == least + (3 + 1) * 6 * GIB + CONTEXT, "and a CUDA graph's own inputs"
    more = (3 + 4 * 3 + 2 * 2) * 6 * GIB  # the process in which the baseline was verified, four sets, the oracle again
    assert RELU.taken(1, ONE_SLOT) == with_rival + more
    assert RELU.taken(2, LEAST) == least + 2 * (3 * 6 * GIB + CONTEXT), "another process of the candidate and of eager"
    alone = RELU._replace(rivals=False)
    assert alone.taken(1, ONE_SLOT) == RELU.taken(1, ONE_SLOT._replace(rival=False)), "no baseline, no room for one"
    short = of(4096, 4096, 4096)
    assert 5 * CONTEXT < short.taken(1, ALONE) < 6 * GIB
    first, again = short.taken(1, ALONE), short.taken(1)
    assert 2 * CONTEXT < again - first < 2.4 * CONTEXT, "eager's and the rival's; the candidate's first has ended then"
    assert CONTEXT < short.taken(2) - again < 1.2 * CONTEXT
    middle = of(32 << 20, 32 << 20, 32 << 20)  # slots: 1 GiB a side
    assert 8 * GIB < middle.taken(1, ALONE) - 5 * CONTEXT < 9 * GIB


def left(sizes: room.Sizes, there: int, starts: int = 1) -> tuple[bool, bool, bool]:
    found = sizes.room(there, starts)
    assert found is not None
    return found.keeps, found.rival, found.spare


def test_what_is_left_out_where_there_is_little_room() -> None:
    assert left(RELU, 400 * GIB) == (True, True, True)
    assert left(RELU, 140 * GIB) == (False, True, False)
    assert left(RELU, 110 * GIB) == (False, False, False)
    assert left(RELU, 140 * GIB, starts=2) == (False, False, False)
    assert RELU.room(90 * GIB, 1) is None
    assert RELU.room(120 * GIB, 2) is None
    small = of(1 << 20, 1 << 20, 1 << 20)
    assert left(small, 80 * GIB, starts=4) == (True, True, True)
    assert left(small, 4 * GIB, starts=4) == (True, False, False), "never refused: arenas are not what it takes"
    hungry = of(GIB // 2, GIB // 2, 25 * GIB)
    assert left(hungry, 140 * GIB) == (True, False, False)
    assert RELU.room(400 * GIB, 1) == room.Room(one_slot=True, nbytes=RELU.taken(1, room.Room(one_slot=True)))
    assert "compared through eager" in room.Room(rival=False).said
    assert not room.ALL.said


@pytest.mark.parametrize(("there", "starts"), [(16, 1), (20, 2), (24, 2), (32, 4)])
def test_no_task_is_refused_where_a_larger_one_is_judged(there: int, starts: int) -> None:
    """Two slots of half a GiB take more than the one of what is larger, and where they have no room one has."""
    sizes = [GIB * percent // 100 for percent in range(30, 80)]
    fits = [of(n, n, 2 * n).room(there * GIB, starts) is not None for n in sizes]
    assert fits == sorted(fits, reverse=True)
    assert len(set(fits)) == 2


def test_small_inputs_have_two_slots_though_outputs_are_large() -> None:
    """When an output is delivered other inputs lie in the slot of a call: in a single one there is room for none."""
    outputs = (GIB * percent // 100 for percent in range(90, 120))
    rooms = [of(1 << 20, n, n).room(16 * GIB, 1) for n in outputs]
    assert None in rooms
    assert {found.one_slot for found in rooms if found} == {False}


def test_a_task_too_large_for_the_device_is_told_so(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (0, 90 * GIB))
    said = r"relu: a call reads 6.0 GiB, writes 6.0 and allocates 6.0; .* takes 101 GiB of .* which has 90: .*--set"
    with pytest.raises(TaskError, match=said), room.for_task("relu", "cpu", RELU, 1):
        pass
    with pytest.raises(TaskError, match="or with --effort quick"), room.for_task("relu", "cpu", RELU, 2):
        pass
    small = of(4096, 4096, 4096)
    with room.for_task("relu", "cpu", small, 1) as had:
        [claim] = temporary.glob("cuda-l1-cpu-room/*-*")
        assert int(claim.read_text()) == had.nbytes == small.taken(1)


def test_a_gpu_that_refuses_a_context_for_want_of_memory_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """What else it refuses one for is told to who needs it next, at once."""
    answers: list[Exception | tuple[int, int]] = [
        RuntimeError("CUDA error: CUDA-capable device(s) is/are busy or unavailable"),
        torch.OutOfMemoryError("CUDA error: out of memory"),
        (GIB, 4 * GIB),
        (3 * GIB, 4 * GIB),
    ]

    def answer(device: str) -> tuple[int, int]:
        found = answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(torch.cuda, "mem_get_info", answer)
    room.wait_while_full("cuda", 2 * GIB)
    assert not answers
    answers.append(RuntimeError("CUDA error: unspecified launch failure"))
    room.wait_while_full("cuda", 2 * GIB)
    assert not answers


def test_large_weights_are_lent_through_the_host() -> None:
    def of_weights(nbytes: int) -> float:
        sizes = of(4096, 4096, 4096, nbytes)
        return (sizes.taken(1) - sizes._replace(weights=0).taken(1)) / nbytes

    assert of_weights(room.LENT_BYTES + 1) < of_weights(room.LENT_BYTES) / 2
