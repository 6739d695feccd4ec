"""Timing: all sides of a comparison in turn, on fresh inputs, on the parent's clock.

A block draws new values for every input slot, deals them out to all sides, and runs the palindrome
`eager rival candidate | candidate rival eager`: each side sees each input once, in the same order, and drift falls on
all alike. While one side runs, the others wait without using the device. After each half the judge verifies outputs
of the candidate's timed calls: the last, taken the moment it said done, and others of its choice.
"""

from __future__ import annotations

import fcntl
import functools
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

import torch

from cuda_l1.errors import CannotJudgeError
from cuda_l1.judge import timing
from cuda_l1.judge.config import Effort, JudgeConfig
from cuda_l1.judge.contender import Contender
from cuda_l1.judge.process import RefusedError, SlowWorkerError, Turn, WorkerGoneError
from cuda_l1.judge.reference import Reference, Side
from cuda_l1.types import Finding, Interval, Speedup

EFFORTS: dict[Effort, tuple[int, float]] = {"quick": (24, 5.0), "normal": (64, 20.0), "strict": (160, 90.0)}
"""Most blocks, and the seconds after which no further block is begun once there are enough for an interval."""
_SETTLE_S = 0.003
"""Threads of an OpenMP pool spin for about this long after their work; the next side must not pay for it."""
_VERIFIED_BYTES = 64 << 20
_LATE_SHARE, _LATE_LEAST_US = 0.03, 50.0


_T = TypeVar("_T")


class Result(NamedTuple):
    """What the clock saw."""

    speedup: Speedup
    speedup_eager: Interval
    times_us: list[float]
    baselines_us: dict[str, float]
    notes: list[Finding]


class _Record:
    """Turns of one side, two a block."""

    def __init__(self, name: str, side: Reference | Contender) -> None:
        self.name, self.side = name, side
        self.turns: list[Turn] = []

    def block_us(self, block: int, late_us: float) -> float:
        first, second = self.turns[2 * block], self.turns[2 * block + 1]
        return (statistics.median(first.calls_us) + statistics.median(second.calls_us)) / 2 + late_us

    def calls(self) -> list[float]:
        return [us for turn in self.turns for us in turn.calls_us]


def run(
    reference: Reference, rivals: Sequence[tuple[str, Contender]], contender: Contender, config: JudgeConfig
) -> Result:
    """Race the contender against the reference and the rivals. CandidateError when a timed output is wrong."""
    records = [_Record("eager", reference), *(_Record(n, s) for n, s in rivals), _Record("candidate", contender)]
    most, budget_s = EFFORTS[config.effort]
    with _alone(config.device):
        _block(reference, contender, records)  # fills allocators' pools and caches; not counted
        for record in records:
            record.turns.clear()
        started, blocks = time.monotonic(), 0
        while blocks < timing.LEAST_BLOCKS or (blocks < most and time.monotonic() - started < budget_s):
            _block(reference, contender, records)
            blocks += 1
    return _result(records, blocks)


def _block(reference: Reference, contender: Contender, records: list[_Record]) -> None:
    original = _honest(reference.fresh_inputs)
    sides: list[Side] = [record.side for record in records]
    for side in sides:
        if side is not reference:
            side.time_arena.input_block.copy_(original)
        side.time_arena.poison()
    slots = list(range(reference.time_arena.layout.input_slots))
    reference.random.shuffle(slots)
    half = len(slots) // 2
    _turns(records, slots[:half])
    contender.check_timed(_chosen(reference, half))
    _turns(records[::-1], slots[half:])
    contender.check_timed(_chosen(reference, half))
    contender.check_inputs(contender.time_arena, original)


def _turns(records: list[_Record], slots: list[int]) -> None:
    for record in records:
        _settle(record.side.device)
        if isinstance(record.side, Contender) and record.name == "candidate":
            record.turns.append(record.side.turn(slots))
        else:
            record.turns.append(_honest(functools.partial(record.side.turn, slots)))


def _honest(call: Callable[[], _T]) -> _T:
    """Run a request to a side that is no candidate: if it fails, the judge has failed."""
    try:
        return call()
    except (RefusedError, SlowWorkerError, WorkerGoneError) as error:
        raise CannotJudgeError(
            f"a reference or baseline process failed while timing: {type(error).__name__} {error}"
        ) from error


def _chosen(reference: Reference, half: int) -> list[int]:
    each = sum(leaf.nbytes for leaf in reference.output_leaves)
    count = max(1, min(half, 4, _VERIFIED_BYTES // max(each, 1)))
    return sorted({half - 1, *reference.random.sample(range(half), count - 1)})


def _settle(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)
    else:
        time.sleep(_SETTLE_S)


def _result(records: list[_Record], blocks: int) -> Result:
    eager, candidate = records[0], records[-1]
    notes = []
    late = _late_us(eager, candidate)
    if late:
        notes.append(
            Finding(
                check="late_work",
                detail=f"copying its outputs took {late:.3g} us a call longer than the reference's: charged",
            )
        )
    candidate_us = [candidate.block_us(block, late) for block in range(blocks)]

    def against(record: _Record) -> Interval:
        return timing.ratio_interval(
            [math.log(record.block_us(block, 0.0) / candidate_us[block]) for block in range(blocks)]
        )

    versus_eager = against(eager)
    rival = records[1] if len(records) == 3 else eager
    versus = versus_eager if rival is eager else against(rival)
    if versus_eager.value < versus.value:  # the rival that was best when the baselines ran is beaten by eager here
        rival, versus = eager, versus_eager
    return Result(
        speedup=Speedup(**versus.model_dump(), vs=rival.name),
        speedup_eager=versus_eager,
        times_us=[us + late for us in candidate.calls()],
        baselines_us={record.name: statistics.median(record.calls()) for record in records[:-1]},
        notes=notes,
    )


def _late_us(eager: _Record, candidate: _Record) -> float:
    """Time a call that the candidate spent after its last `done`, while outputs were copied, beyond what the same
    copies cost the reference: work left running, or an object that computes when it is read."""
    pairs = zip(candidate.turns, eager.turns, strict=True)
    extra = timing.median_interval([mine.collect_us - its.collect_us for mine, its in pairs])
    late = extra.value / len(candidate.turns[0].calls_us)
    certain = extra.lo > _LATE_LEAST_US and late > _LATE_SHARE * statistics.median(candidate.calls())
    return late if certain else 0.0


@contextmanager
def _alone(device: str) -> Iterator[None]:
    """One race at a time on a device, over all processes of this machine."""
    path = Path(tempfile.gettempdir()) / f"cuda-l1-{device.replace(':', '-')}.lock"
    with open(path, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
