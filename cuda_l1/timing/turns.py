"""What the clock saw of a race's turns, and what a candidate may have done outside its calls. Pure.

NOT covered: how a turn is run (race.py), work that was left to the device (idle.py), and work too short to tell from
the noise of the clock.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from cuda_l1.correctness.contender import Contender
from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.timing import intervals
from cuda_l1.timing.probes import Seen
from cuda_l1.types import Finding, Interval, Status

HIDDEN_SHARE = 0.03
"""Of a call: less that is hidden is no more than a doubt."""
_RAN_STOPPED_S, _RAN_STOPPED_SHARE, _RAN_STOPPED_EAGER = 0.01, 0.03, 4.0
"""What a process may use while it is stopped, in seconds, as a share of its calls, and as a multiple of eager's: a stop
takes a moment to reach all threads."""
_RAN_STOPPED_CERTAIN, _RAN_STOPPED_AWAKE, _RAN_STOPPED_CERTAIN_S = 0.1, 0.2, 0.05
"""Shares of its calls, and of the time that it was stopped, and seconds: more is no moment. Beside another program
honest convolutions once used 5% of their calls, of 143 verdicts; and a single moment of a host was 7 ms, where a race's
calls took 60 in all (docs/log.md)."""
_HIDDEN_FORGIVEN = {"cpu": 0.25, "cuda": 0.06}
"""Two processes of the same code differ by so much in the time between their calls."""
_PREPARE_FORGIVEN = {"cpu": 0.25, "cuda": 0.2}
_PREPARE_MOST_US, _PREPARE_MORE = 15.0, 0.01
"""Of that, taking up inputs: after honest code that launches its kernels by Python it took up to 12 us longer on a GPU,
whatever their size. So no more than that is forgiven there, and of large ones what memory differs by between two
processes (0.6%, docs/results/aa.md): a share of what it takes to open 126 MB had room for a call."""
_WHERE_FORGIVEN = {"cpu": 0.5, "cuda": 0.25}
"""Of eager's answer to where outputs lie: on a CPU who answers may wait for a core, on a GPU he waits awake."""

_STATE_FORGIVEN, _STATE_MOST_US = 1.0, 1000.0
"""Of eager's longest time to write down its state, and microseconds beside: it is asked twice, and once was late."""


class Turn(NamedTuple):
    """What the clock saw of one turn, microseconds."""

    calls_us: list[float]
    total_us: float
    """From the moment the process was resumed to its last `done`, less the pauses; until it is seen to be stopped."""
    begin_us: float
    """Of that, until it took note that a turn began."""
    first_us: float
    """Of that, until the first call was done, once it had its inputs."""
    last_us: float
    """Of that, the delivery of the last output."""
    pause_us: float
    """How much longer two kernels of the parent take right after the last call, the second once the process is seen to
    be stopped, than one before the first call: more than eager's on a device that is still at work. (The wait itself is
    that for the device to turn from one process to another, and longer for some than for others.)"""
    wait_us: float = 0.0
    """How long such a kernel took before the first call."""
    prepare_us: float = 0.0
    """Of the total, taking up the inputs of its calls: then they are known, and no call has been asked for."""
    where_us: Sequence[float] = ()
    """Beside the total, saying where outputs lie, each time that it was asked."""

    @property
    def call_us(self) -> float:
        """The median call; the first of several finds another process's traces in every cache and is left out."""
        return statistics.median(self.calls_us[1:] or self.calls_us)

    @property
    def over_us(self) -> float:
        """By how much its calls but the first take longer than if all were as the median one."""
        return sum(us - self.call_us for us in self.calls_us[1:])

    @property
    def hidden_us(self) -> float:
        """Time of the turn that is neither in its median calls nor taking up inputs."""
        return self.total_us - self.prepare_us - len(self.calls_us) * self.call_us


class Start(NamedTuple):
    """What one process of a candidate did beside eager and the rival: microseconds by block, by whole turns its own."""

    eager_us: list[float]
    rival_us: list[float]
    candidate_us: list[float]
    whole_us: list[float]
    calls_us: list[float]
    throughput_us: float | None
    """A call when they run back to back and only the last is waited for; unchecked."""
    doubt_us: float
    """A call's time that the candidate may have hidden: too little to be certain, too much to be overlooked."""
    crowded: bool
    """Whether other programs had the CPU cores, or the GPU, that it needed."""
    notes: list[Finding]


class Late(NamedTuple):
    """Of which call the outputs are delivered late, and after which one."""

    call: int = -1
    after: int = -1

    def order(self, calls: int) -> list[int]:
        """The calls of a turn as they are delivered."""
        delivered = [call for call in range(calls) if call != self.call]
        if self.call >= 0:
            delivered.insert(delivered.index(self.after), self.call)
        return delivered


IN_ORDER = Late()


class Record:
    """The turns of one side in a race."""

    def __init__(self, name: str, side: Contender) -> None:
        self.name, self.side = name, side
        self.turns: list[Turn] = []
        self.probed: dict[int, list[Seen]] = defaultdict(list)
        """By word, or `probes.UNTOLD`: what came of asking for it while the judge kept the device busy."""
        self.state_us: list[float] = []
        """How long it took to write down its state, each time."""
        self.shows_way = False
        """Whether its text shows a way to the judge's loop: on a GPU nothing of what it answers is forgiven then."""

    def clear(self) -> None:
        """Forget them: the race begins again."""
        self.turns.clear()
        self.probed.clear()
        self.state_us.clear()

    @property
    def blocks(self) -> range:
        """By number; each of two turns."""
        return range(len(self.turns) // 2)

    @property
    def typical_us(self) -> float:
        """A call of the median block."""
        return statistics.median(map(self.block_us, self.blocks))

    def block_us(self, block: int) -> float:
        """A call of that block: the mean of both turns' medians."""
        first, second = self.turns[2 * block], self.turns[2 * block + 1]
        return (first.call_us + second.call_us) / 2

    def parts_us(self) -> list[tuple[float, ...]]:
        """What a turn holds beside its median calls, by part: until it took note, the first call, taking up inputs,
        what calls take beyond the median one, what else lies between calls, the last delivery. Each by block, of both
        turns together: what one turn of a block does for the other is seen."""
        by_turn = [
            (
                turn.begin_us,
                turn.first_us - turn.call_us,
                turn.prepare_us,
                turn.over_us,
                turn.hidden_us + turn.call_us - turn.begin_us - turn.first_us - turn.last_us - turn.over_us,
                turn.last_us,
            )
            for turn in self.turns
        ]
        blocks = zip(by_turn[::2], by_turn[1::2], strict=True)
        by_block = [[(one + two) / 2 for one, two in zip(a, b, strict=True)] for a, b in blocks]
        return list(zip(*by_block, strict=True))

    def hidden_us(self, block: int) -> float:
        """A call's share over both turns: what the first computes ahead, the second hands out for nothing."""
        first, second = self.turns[2 * block], self.turns[2 * block + 1]
        return (first.hidden_us + second.hidden_us) / (len(first.calls_us) + len(second.calls_us))

    def prepare_us(self, block: int) -> float:
        """A call's share of taking up inputs."""
        first, second = self.turns[2 * block], self.turns[2 * block + 1]
        return (first.prepare_us + second.prepare_us) / (len(first.calls_us) + len(second.calls_us))

    def late_us(self, block: int, most_us: float) -> float:
        """What answers to where outputs lie took in a block beyond so much, in the mean: what is made in one answer is
        made for every call."""
        answers = [us for turn in self.turns[2 * block : 2 * block + 2] for us in turn.where_us]
        return max(statistics.fmean(answers) - most_us, 0.0) if answers else 0.0


def is_settled(own: Record, rival: Record, *, is_cuda: bool) -> bool:
    """Whether more blocks of this start would tell little."""
    mine, its = ([record.block_us(b) for b in own.blocks] for record in (own, rival))
    call_us = min(map(statistics.median, (mine, its)))
    spread = intervals.start_spread("cuda" if is_cuda else "cpu", call_us)
    return intervals.is_narrow(intervals.median_interval(intervals.logs(its, mine)), spread)


def hidden(own: Record, eager: Record, *, is_cuda: bool) -> tuple[float, float]:
    """Microseconds a call that passed outside the candidate's median calls beyond eager's there: what is certain, and
    what may be chance. What two processes of the same code differ by there is forgiven."""
    if (asked := state_charge(own, eager)) > 0:
        return asked, 0.0
    certain, doubt = _where_typical(own, eager, is_cuda=is_cuda)
    kind, typical = "cuda" if is_cuda else "cpu", own.typical_us
    (beside, chance), allowed = _by_block(own, eager, kind), beside_forgiven(eager, kind)
    if beside.value <= max(certain, HIDDEN_SHARE * typical):
        return certain, doubt
    if beside.lo > allowed + chance:
        return beside.value, max(doubt - beside.value, 0.0)
    # on CUDA less than that is the interval's business
    is_much = beside.lo > allowed or beside.value > max(allowed, typical)
    return certain, max(doubt, beside.value - certain) if is_much or not is_cuda else doubt


def _where_typical(own: Record, eager: Record, *, is_cuda: bool) -> tuple[float, float]:
    """The same, as far as it lies in one part, or between calls, in most blocks."""
    blocks, typical = own.blocks, own.typical_us
    base = statistics.median(eager.hidden_us(b) for b in blocks)
    whole = intervals.median_interval([own.hidden_us(b) - eager.hidden_us(b) for b in blocks])
    least, charge = whole.lo, whole.value
    if not is_cuda:  # a scheduler delays now one side, now the other: part by part too, where it is typical
        mine, its = own.parts_us(), eager.parts_us()
        calls = statistics.median(len(turn.calls_us) for turn in own.turns)
        extra = [intervals.median_interval([one - other for one, other in zip(*part, strict=True)])
                 for part in zip(mine, its, strict=True)]  # fmt: skip
        least = max(least, sum(max(part.lo, 0.0) for part in extra) / calls)
        charge = max(charge, sum(max(part.value, 0.0) for part in extra) / calls)
        base = sum(map(statistics.median, its)) / calls
    kind = "cuda" if is_cuda else "cpu"
    prepared = intervals.median_interval([own.prepare_us(b) - eager.prepare_us(b) for b in blocks])
    is_ahead = prepared.lo > prepare_forgiven(statistics.median(eager.prepare_us(b) for b in blocks), kind)
    if is_ahead:  # there the inputs are known: what delivering takes less does not pay for it
        charge = max(charge, 0.0) + prepared.value if is_cuda else max(charge, prepared.value)
    is_certain = is_ahead or least > _HIDDEN_FORGIVEN[kind] * base
    charged = where_charge(own, eager, 0.0 if is_cuda and own.shows_way else _WHERE_FORGIVEN[kind])
    if charged > HIDDEN_SHARE * typical:
        return max(charge, 0.0) + charged, 0.0
    if charge <= HIDDEN_SHARE * typical:  # a win may be as small
        return 0.0, max(charged, charge if is_certain else 0.0)
    if is_certain:
        return charge, 0.0
    return 0.0, 0.0 if is_cuda else charge  # on CUDA chance is the interval's business


def _by_block(own: Record, eager: Record, kind: str) -> tuple[Interval, float]:
    """What passed beside the median calls beyond eager's, all parts of a block together, of which none pays for
    another; and how much of it is chance: by so much eager's block passes its own block before. Who hides his work now
    in one part and now in another, each in less than half of the blocks, does it in most of them all the same; a
    compiler on the same core takes a slice of the scheduler now of one side, now of another."""
    blocks = own.blocks
    answer_us = (1 + _WHERE_FORGIVEN[kind]) * statistics.median([us for t in eager.turns for us in t.where_us] or [0.0])

    def beyond(record: Record, block: int, eagers: int) -> float:
        return (
            max(record.hidden_us(block) - eager.hidden_us(eagers), 0.0)
            + max(record.prepare_us(block) - eager.prepare_us(eagers), 0.0)
            + max(record.late_us(block, answer_us) - eager.late_us(eagers, answer_us), 0.0)
        )

    chance = intervals.median_interval([beyond(eager, block, blocks[block - 1]) for block in blocks])
    return intervals.median_interval([beyond(own, block, block) for block in blocks]), chance.hi


def beside_forgiven(eager: Record, kind: str) -> float:
    """Microseconds a call beside the median ones, beyond eager's, that are forgiven on a `cpu` or `cuda`."""
    rest, opened = (statistics.median(map(us, eager.blocks)) for us in (eager.hidden_us, eager.prepare_us))
    return _HIDDEN_FORGIVEN[kind] * rest + prepare_forgiven(opened, kind)


def prepare_forgiven(eager_us: float, kind: str) -> float:
    """By how much longer than eager's a call's inputs may take to be taken up, on a `cpu` or `cuda`."""
    share = _PREPARE_FORGIVEN[kind] * eager_us
    return share if kind == "cpu" else min(share, _PREPARE_MOST_US + _PREPARE_MORE * eager_us)


def where_charge(own: Record, eager: Record, forgiven: float) -> float:
    """By how much longer than eager it takes to say where a call's output lies, if certainly by more than is
    `forgiven`, a share of eager's, at the median or the upper quartile: one that is computed only then is computed for
    every call that is asked about. In the mean, for a median shows nothing of half of the answers; of each no more
    counts than a call of eager's beside the usual, for what takes longer waited for a core."""
    mine, its = (sorted(us for turn in record.turns for us in turn.where_us) for record in (own, eager))
    if min(len(mine), len(its)) < intervals.LEAST_BLOCKS:
        return 0.0
    if not any(_least(mine, share) > (1 + forgiven) * its[int(share * len(its))] for share in (0.5, 0.75)):
        return 0.0
    most = statistics.median(its) + eager.typical_us
    said, usual = (statistics.fmean(min(us, most) for us in answers) for answers in (mine, its))
    return max(said - usual, 0.0)


def state_charge(own: Record, eager: Record) -> float:
    """By how much longer than eager it takes to write down its state, each time, if by more than is forgiven: what its
    calls should have changed is made then, and is charged to each as all of them would be asked."""
    mine, its = own.state_us, eager.state_us
    beyond = min(mine) - (1 + _STATE_FORGIVEN) * max(its) if mine and its else 0.0
    return beyond if beyond > _STATE_MOST_US + eager.typical_us else 0.0


def _least(ordered: Sequence[float], share: float) -> float:
    """What at least that share of such values lies below, at 97.5%."""
    many = len(ordered) * share
    return ordered[max(int(many - 1.96 * math.sqrt(many * (1 - share))), 0)]


def check_stopped(own: Record, eager: Record) -> float:
    """CandidateError if the candidate's process ran while it was stopped: by a signal of its own making it can. How
    much of a call is in doubt, microseconds: on a busy machine a stop takes its time to reach all threads."""
    mine, its = own.side.process, eager.side.process
    called_s = sum(sum(turn.calls_us) for turn in own.turns) / 1e6

    def is_more(own_s: float, eager_s: float) -> bool:
        return own_s > max(_RAN_STOPPED_S, _RAN_STOPPED_SHARE * called_s, _RAN_STOPPED_EAGER * eager_s)

    certain_s = max(min(_RAN_STOPPED_CERTAIN * called_s, _RAN_STOPPED_AWAKE * mine.stopped_s), _RAN_STOPPED_CERTAIN_S)
    if is_more(mine.ran_stopped_s, its.ran_stopped_s) and mine.ran_stopped_s > certain_s:
        detail = (
            f"the process used {mine.ran_stopped_s * 1e3:.0f} ms of CPU time between turns, when it was stopped "
            f"(eager's {its.ran_stopped_s * 1e3:.1f} ms): something in it wakes it; leave no timer and no child behind"
        )
        raise CandidateError(Status.REJECTED, "ran_while_stopped", detail)
    own_s, eager_s = (each.ran_stopped_s + each.stopping_s for each in (mine, its))
    return (own_s - eager_s) * 1e6 / sum(len(turn.calls_us) for turn in own.turns) if is_more(own_s, eager_s) else 0.0
