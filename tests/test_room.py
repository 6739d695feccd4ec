"""Who has how much of a GPU's memory: claims of real processes, and what a task too large for the device is told."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
import torch

from cuda_l1.errors import CannotJudgeError, TaskError
from cuda_l1.judge import room
from cuda_l1.judge.arena import Layout, Leaf

HOLDER = """
import sys
from cuda_l1.judge import room
with room.claimed("cpu", int(sys.argv[1]), 100):
    print("in", flush=True)
    sys.stdin.readline()
"""


class Holder:
    """Another process that claims so much."""

    def __init__(self, nbytes: int) -> None:
        environment = os.environ | {"TMPDIR": tempfile.gettempdir()}
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(nbytes)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=environment,
        )  # fmt: skip
        self.entered = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        if self.process.stdout.readline() == "in\n":
            self.entered.set()

    def end(self) -> None:
        self.process.communicate("\n", timeout=60)

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("killed", [False, True])
def test_who_finds_no_room_waits_until_another_has_ended_or_was_killed(temporary: Path, killed: bool) -> None:
    first = Holder(60)
    assert first.entered.wait(60)
    second = Holder(30)
    assert second.entered.wait(60)
    third = Holder(50)
    assert not third.entered.wait(3)
    first.kill() if killed else first.end()
    assert third.entered.wait(60)
    second.end()
    third.end()
    left = [path.name for path in temporary.glob("cuda-l1-cpu-room/*-*")]
    assert left == ([] if not killed else left[:1])
    with room.claimed("cpu", 90, 100):
        claims = list(temporary.glob("cuda-l1-cpu-room/*-*"))
    assert [path.name.partition("-")[0] for path in claims] == [str(os.getpid())], "the killed one's is removed"


def test_who_waits_too_long_is_told_why(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_PATIENCE_S", 0.5)
    other = Holder(60 << 30)
    assert other.entered.wait(60)
    said = "50 of the 100 GiB of cpu are wanted, and other judges have had too much of the rest"
    with pytest.raises(CannotJudgeError, match=said), room.claimed("cpu", 50 << 30, 100 << 30):
        pass
    other.end()
    assert not list(temporary.glob("cuda-l1-cpu-room/*-*"))


def test_alone_one_begins_whatever_the_size_and_never_waits_for_itself(temporary: Path) -> None:
    with room.claimed("cpu", 1000, 100), room.claimed("cpu", 1000, 100):
        assert len(list(temporary.glob("cuda-l1-cpu-room/*-*"))) == 2
    assert not list(temporary.glob("cuda-l1-cpu-room/*-*"))


def test_what_a_task_takes_and_that_it_may_be_too_large(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """KernelBench 1/19, a ReLU of 4096 x 393216, by hand: three sets of 3 + 2 + 2 times 6 GiB, the oracle's 12, and ten
    times 6 in a race."""
    leaf = Leaf((4096, 393216), (393216, 1), "float32")
    sizes = room.Sizes.of(Layout((leaf,), (leaf,), 3, 4), Layout((), (leaf.widened(),), 0, 1))
    assert sizes == room.Sizes(6 << 30, 6 << 30, 12 << 30, 3)
    assert sizes.least == (3 * (18 + 12 + 12) + 12 + 60) << 30
    small = room.Sizes(4096, 4096, 8192, 10)
    assert small.least < 1 << 20
    assert 5 * (800 << 20) < small.usual < 5 << 30
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (0, 140 << 30))
    said = r"relu: a call reads 6.0 GiB and writes 6.0; .* takes 198 GiB of the device's memory, which has 140: .*--set"
    with pytest.raises(TaskError, match=said), room.for_task("relu", "cpu", sizes):
        pass
    with room.for_task("relu", "cpu", small):
        [claim] = temporary.glob("cuda-l1-cpu-room/*-*")
        assert int(claim.read_text()) == small.usual
