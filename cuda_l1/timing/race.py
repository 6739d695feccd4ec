"""Timing: all sides of a comparison in turn, on fresh inputs, on the parent's clock.

On a GPU the inputs of a block lie in every side's memory sealed, and the key to each comes with the command that asks
for it (those too large for that are laid out before each turn, for one call). On a CPU they are written there just
before the call that is for them, while the process is stopped where another core could work on them meanwhile. It
runs the palindrome `eager rival candidate | candidate rival eager`. A side's process is stopped, with its children, but
for its own turns, and its children end with each.

What a turn counts: the median of its calls, and whatever else passed between the moment the process was resumed and
its last `done`, as far as that is more than eager spent there. So it does not pay to work before the first call, in one
call for all, or while an output is delivered into the judge's memory, which happens after each call. A turn ends at a
call that nobody announced; the process is stopped there, and a device that is still busy keeps the parent waiting. Then
the parent takes outputs of its choice, and what was not delivered is not there. On a GPU one call of a turn meets a
device that is busy with the judge's own work (`probes`), and counts nothing.
Some inputs of every block are of other distributions, and some blocks count nothing: there a result is taken late. And
at some block all sides are given other weights, before that some tensors alone and extreme ones. So what is
verified before a race is verified in it too, and a candidate cannot tell when it no longer matters.

NOT covered: work hidden in less time than the noise of the clock (about one microsecond a call over a verdict), and on
a CPU honest code that starts threads anew in every call: they run on the core of the one that started them.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import math
import os
import statistics
import time
from collections.abc import Collection, Iterable, Sequence

import torch

from cuda_l1.correctness import making, sets
from cuda_l1.correctness.contender import MODIFIED, Contender
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.inputs import operations
from cuda_l1.machine import cores, environment, room
from cuda_l1.processes.process import honest
from cuda_l1.timing import amid, calls, idle, intervals, kept, probes, turns, whole
from cuda_l1.timing.laid import UNENDING, Laid
from cuda_l1.timing.peeks import Peeks, chosen
from cuda_l1.timing.plan import Plan
from cuda_l1.timing.turns import IN_ORDER, Late, Record, Start, Turn
from cuda_l1.timing.whereabouts import Whereabouts, drawn
from cuda_l1.types import Finding, Status
from cuda_l1.wire.link import BEGIN, BURST, DELIVER, RefusalError, SlowWorkerError, WorkerGoneError
from cuda_l1.wire.memory import Memory

_LONGEST_TURN_S = 0.5
"""A turn has fewer calls where the candidate's are slow: twelve blocks of many would keep the device for minutes."""
_LEAVE_S = 5.0
_FEW = 0.2
"""Share of the turns that may end at any call but the first, which does not count: were a call never the last, nobody
would look what it does with inputs that are others by its delivery."""
_ASIDE_EVERY = 6
"""To so many blocks comes one that counts nothing."""


class Race:
    """One start of a candidate beside one process each of eager and the rival, on two of `cores`."""

    def __init__(
        self,
        reference: Reference,
        plan: Plan,
        eager: Contender,
        rival: tuple[str, Contender] | None,
        own: Contender,
        cores: Collection[int],
    ) -> None:
        self.reference, self.plan, self.cores = reference, plan, cores
        self.eager, self.own = Record("eager", eager), Record("candidate", own)
        self.rival = Record(*rival) if rival is not None else None
        self.records = [self.eager, *([self.rival] if self.rival else []), self.own]
        self.sides = [record.side for record in self.records]
        self.timeout_s = reference.config.run_timeout_s
        self.laid = Laid(reference, plan, self.sides, len(cores))
        self._is_cuda, self.calls = reference.device.startswith("cuda"), plan.calls
        self._memories: dict[str, Memory | None] = {}
        self._asked: set[int] = set()
        """Of which calls of a turn is asked where their outputs lie."""
        self.counts, self.operators = True, list[dict[str, object]]()
        """The second: what stood behind the operators that the judge's loop calls, whenever it was asked."""
        self.amid: list[amid.Taken] = []
        self._was = self.laid.rows
        self.weights = eager.loaded if self._has_others() and eager.loaded < 2 else 0
        self._watches_state = bool(reference.watched_state) and self._has_others()

    def _has_others(self) -> bool:
        """Whether all sides can be given other weights."""
        return self.reference.has_other_weights and all(side.same_weights for side in self.sides)

    def run(self, most: int, budget_s: float) -> Start:
        """Blocks until the interval is narrow, `most` are done or `budget_s` are over."""
        entered: list[Contender] = []
        own_cores, threads = os.sched_getaffinity(0), torch.get_num_threads()
        torch.set_num_threads(1)  # a thread of ours that waits for more work spins on a core that a side's needs
        try:
            with cores.two_cores(self.cores) as pair:
                for record in self.records:
                    record.clear()
                self._place = functools.partial(cores.place, cores=own_cores, ours=pair[0], theirs=pair[1])
                self._memories = {each.name: each.side.memory() for each in self.records}
                for side in self.sides:
                    self._enter(side, again=self._watches_state)  # from where all have what they make of the same calls
                    entered.append(side)
                self.aside()  # fills allocators' pools and caches, starts threads
                if not self._is_cuda:
                    self.enter_again()  # with heaps in one state after what the first calls load too
                return self._blocks(most, budget_s, own_cores)
        finally:
            torch.set_num_threads(threads)
            os.sched_setaffinity(0, own_cores)
            self._asked = set()
            for each in self._memories.values():
                if each:
                    each.close()
            for side in entered:
                cores.gather(side.process.process.pid, own_cores)
                side.process.resume()
                with contextlib.suppress(RefusalError, SlowWorkerError, WorkerGoneError):
                    side.process.leave(_LEAVE_S)

    def _enter(self, side: Contender, *, again: bool = False) -> None:
        def enter() -> None:
            side.use_weights(self.weights, again=again)
            side.process.enter("time", side.structure, self.timeout_s)

        enter() if side is self.own.side else honest(enter)
        self._place(side.process.process.pid, is_cuda=self._is_cuda)
        side.process.stop_alone()

    def enter_again(self, *, anew: bool = False) -> None:
        """All sides leave the race and enter it again, `anew` with the state that they began with."""
        for record in self.records:
            (side := record.side).process.resume()
            leave = functools.partial(side.process.leave, self.timeout_s)
            if record is self.own:
                self.operators.append(side.registered_amid(self.timeout_s))
            leave() if record is self.own else honest(leave)
            self._enter(side, again=anew)

    def _change_weights(self) -> None:
        """Other weights for all sides, in place: some tensors alone, and extreme ones, for blocks that count nothing,
        then the other of two."""
        ref, others = self.reference, 1 - self.weights
        few = min(2, len(ref.extreme))
        extreme = ref.extreme if operations.recurs(ref.text) else ref.random.sample(ref.extreme, few)
        some = ref.random.sample(ref.parts, min(1, len(ref.parts)))
        part = [which.weights for each in some for which in (each.after, each) if which]
        # some alone are changed where its own were used
        its_own = [0, *part] if part else []
        through = [*part, *extreme, 1] if others else [*extreme, *its_own, 0]
        if self._watches_state:
            kept.look(self)
        for which in through:
            self.weights = which
            self.enter_again()
            self.aside()  # what is derived from weights is derived anew

    def aside(self, kind: str = "") -> None:
        """A block that counts nothing: one half."""
        self.counts = False
        self._block(kind)
        self.counts = True
        for side in self.sides:  # threads that it started
            self._place(side.process.process.pid, is_cuda=self._is_cuda)

    def _blocks(self, most: int, budget_s: float, cores: set[int]) -> Start:
        started, blocks = time.monotonic(), 0
        for side in self.sides:
            side.process.stopped_s = side.process.ran_stopped_s = side.process.stopping_s = 0.0
        pids = [side.process.process.pid for side in (self.reference, *self.sides)]
        self._crowd = environment.Crowd(pids, cores)
        rng = self.reference.random
        changes_at = rng.randrange(intervals.LEAST_BLOCKS // 3, intervals.LEAST_BLOCKS) if self._has_others() else None
        amid_at = amid.drawn(rng, changes_at, self.weights)
        while blocks < intervals.LEAST_BLOCKS or (blocks < most and time.monotonic() - started < budget_s):
            if blocks % _ASIDE_EVERY == 0:
                aside_at = blocks + rng.randrange(_ASIDE_EVERY)
            if blocks == changes_at:
                self._change_weights()
            if blocks == aside_at:
                self.aside()
            if blocks == amid_at:
                self.amid = amid.taken(self)
            self._block()
            blocks += 1
            may_end = blocks >= intervals.LEAST_BLOCKS and blocks % 4 == 0
            if may_end and turns.is_settled(self.own, self.rival or self.eager, is_cuda=self._is_cuda):
                break
        if self._watches_state and self.reference.changes:
            kept.look_twice(self)
        self.enter_again()  # before bursts tell of the end
        return self._result(blocks)

    def _block(self, kind: str = "") -> None:
        kind = kind or sets.EXTREME.get(self.weights, "")
        asked, half = self.laid.renew(kind), self.plan.calls
        self.calls = max(1, min(half, int(_LONGEST_TURN_S / max(self._own_s(), 1e-6))))
        # who comes first after the layout finds a cold machine: each side as often
        order = self.records[:: self.reference.random.choice((1, -1))]
        self._half(order, asked[: self.calls])
        if self.counts:  # else it does not matter who is first, and a candidate sees no end of a block
            self._half(order[::-1], (asked[half:] or self.laid.renew(kind))[: self.calls])

    def _own_s(self) -> float:
        """The candidate's fastest call: who is slow where nothing is timed would choose how long its turns are."""
        return min([self.own.side.call_s, *(turn.call_us / 1e6 for turn in self.own.turns)])

    def _half(self, order: Sequence[Record], slots: list[int]) -> None:
        # nobody knows the last call, and most turns have as many as there may be
        few = self.reference.random.random() < _FEW and len(slots) > 1
        least = 2 if few else math.ceil(2 * len(slots) / 3)
        slots = slots[: self.reference.random.randint(least, len(slots))]
        late, last = IN_ORDER, len(slots) - 1
        if last and not self.counts:
            call = self.reference.random.randrange(last)
            some = self.reference.random.randint(call + 1, last)
            late = Late(call, self.reference.random.choice((some, last)))  # a ring of buffers shows at its length
        kinds = [self.laid.kinds[slot] for slot in slots]
        self.ask(order, slots, chosen(self.reference.random, self.reference.output_leaves, kinds, late.call), late)

    def ask(self, order: Sequence[Record], slots: list[int], looks: list[int], late: Late) -> list[list[torch.Tensor]]:
        """A turn of each of these sides. Returns the candidate's outputs of the calls that are looked at, which differ
        from eager's by what they may; else CandidateError."""
        rng = self.reference.random
        if self._memories["eager"] is not None:
            self._asked = drawn(rng, len(slots), is_cuda=self._is_cuda)
        probe = None
        if self._is_cuda and late == IN_ORDER:  # not one that shows by what is late that it counts nothing
            probe = probes.draw(rng, len(slots), probes.probed_s(self.reference.call_s, self._own_s()))
        right: list[list[torch.Tensor]] = []
        taken: dict[str, list[list[torch.Tensor]]] = {}
        for record in order:
            record.side.time_arena.poison()
            record.side.synchronize()
            turn = functools.partial(self.turn, record, slots, looks, probe, late)
            took = turn() if record is self.own else honest(turn)
            taken |= {} if record is self.rival else {record.name: took}
            del took
        for position, got, want in zip(looks, taken["candidate"], taken["eager"], strict=True):
            self.laid.compared(slot := slots[position])
            given = was = found = self.laid.rows[slot].view(torch.uint8)
            if position == len(slots) - 1 and self._later(slot) != slot:
                was, found = (row.view(torch.uint8) for row in (self._was, self.laid.rows[self._later(slot)]))
            kind = self.laid.kinds[slot]
            right.append(self.own.side.check_timed(got, want, given=given, was=was, found=found, kind=kind))
        if not (self.reference.mutates_inputs or self.laid.is_as_laid(self.own.side, slots)):
            self._ask_whether_modified(self.laid.rows[slot] for slot in slots)
        return right

    def turn(
        self, record: Record, slots: list[int], looks: list[int], probe: probes.Probe | None, late: Late
    ) -> list[list[torch.Tensor]]:
        """One side's calls. Returns what the parent took of those that are looked at, in that order."""
        process, arena, rng = record.side.process, record.side.time_arena, self.reference.random
        order = late.order(len(slots))
        peeks = Peeks(arena, rng, order, looks)
        lies = Whereabouts(record.side, self._memories[record.name], rng, self._asked, len(slots), late.call)
        collecting = gc.isenabled()
        gc.disable()
        try:
            began = time.perf_counter_ns()
            process.resume()
            process.command(BEGIN, self.timeout_s)
            touched = time.perf_counter_ns()
            process.stop()
            halted = time.perf_counter_ns()
            self.laid.lay_late(record.side)
            idle_us = probes.wait_us(record.side)
            again = time.perf_counter_ns()
            process.resume()
            called = calls.call(record, self.reference, self.laid, slots, probe, late, peeks, lies)
            seen_us, launched = sum(lies.us), probes.launched_ns(record.side)  # before what is left can be over
            process.stop()
            paused = time.perf_counter_ns()  # it works as long as it is not seen to be stopped
            busy_us = probes.waited_us(record.side, launched) + probes.wait_us(record.side)  # and what came after that
            lies.see_last(arena.output(order.index(len(slots) - 1)), self.timeout_s)
            was = self._lay_others(record, slots[-1])
            resumed = time.perf_counter_ns()
            process.resume()
            process.command(DELIVER, self.timeout_s)
            ended = time.perf_counter_ns()
            process.stop()
            lies.delivered(arena.output(order.index(len(slots) - 1)))
            if record is self.own:
                if not process.kill_children():
                    raise CandidateError(Status.REJECTED, "ran_while_stopped", UNENDING)
                peeks.check()
                lies.check()
            lies.end()
            took = [peeks.taken.get(n) or [leaf.clone() for leaf in arena.output(order.index(n))] for n in looks]
            arena.rows[slots[-1]].copy_(was)  # which lies there before its next turn: that waits for the device
        finally:
            if collecting:
                gc.enable()
        if self.counts:
            begin_us, last_us = (touched - began) / 1e3, (ended - resumed) / 1e3
            first_us = (called.first_ns - again) / 1e3 - called.prepare_us[0] - called.stopped_us[0]
            ours_us = called.probed_us + sum(called.stopped_us) + seen_us
            total_us = (halted - began + paused - again) / 1e3 - ours_us + last_us
            told = total_us, begin_us, first_us, last_us, busy_us - idle_us, idle_us, sum(called.prepare_us)
            record.turns.append(Turn(called.calls_us, *told, lies.us))
        return took

    def _later(self, slot: int) -> int:
        """Whose inputs lie in a slot when the candidate's last output is delivered: another's, so that what is computed
        only then is wrong. Its own where they are large on a GPU: what moves no bytes is faster than memory there."""
        is_large = self._is_cuda and self.laid.slot_nbytes > room.LARGE_BYTES
        return slot if is_large else self.laid.other(slot)

    def _lay_others(self, record: Record, slot: int) -> torch.Tensor:
        """Lay others' inputs into a slot for the candidate, for the others what was there; which is returned."""
        row, later = record.side.time_arena.rows[slot], self._later(slot)
        if later == slot:
            return row
        was = row.clone() if self.reference.mutates_inputs else self.laid.rows[slot]
        if record is self.own:
            if not (self.reference.mutates_inputs or torch.equal(row, was)):
                self._ask_whether_modified([was])
            self._was = was
        row.copy_(self.laid.rows[later] if record is self.own else was)
        record.side.synchronize()
        return was

    def _ask_whether_modified(self, rows: Iterable[torch.Tensor]) -> None:
        """CandidateError for changed inputs, unless the reference changes one of these, as none before."""
        if not any(making.changes_inputs(self.reference, self.weights, row) for row in rows):
            raise CandidateError(Status.REJECTED, "inputs_modified", MODIFIED)

    def _throughput_us(self) -> float | None:
        process, calls = self.own.side.process, self.calls
        if calls < 2:
            return None
        self.laid.show(self.own.side)
        process.resume()
        bursts = []
        for _ in range(3):
            process.command(BEGIN, self.timeout_s)
            for slot in self.laid.asked[:calls]:
                self.laid.ask(self.own.side, slot, self.timeout_s)
            bursts.append(process.command(BURST, self.timeout_s) / calls)
        process.stop()
        return statistics.median(bursts)

    def eager_alone(self) -> Record:
        """Eager's turns now that the candidate's processes are gone, as many as a verdict needs."""
        process, alone = self.eager.side.process, Record("eager", self.eager.side)
        honest(functools.partial(process.enter, "time", alone.side.structure, self.timeout_s))
        process.stop()
        for _ in range(intervals.LEAST_BLOCKS):
            slots = self.reference.random.sample(self.laid.asked, self.plan.calls)
            self.laid.seal([self.eager.side])
            honest(functools.partial(self.turn, alone, slots, [], None, IN_ORDER))
        process.resume()
        honest(functools.partial(process.leave, _LEAVE_S))
        return alone

    def _result(self, blocks: int) -> Start:
        notes: list[Finding] = []
        seen = turns.check_stopped(self.own, self.eager)
        seen = max(seen, idle.check_finished(self.own, self.eager, notes)) if self._is_cuda else seen
        hidden, doubt = turns.hidden(self.own, self.eager, is_cuda=self._is_cuda)
        if hidden:
            detail = f"{hidden:.3g} us a call passed before, between or after its calls beyond eager's: charged"
            notes.append(Finding(check="late_work", detail=detail))
        eager_us = [self.eager.block_us(b) for b in range(blocks)]
        first, last = intervals.ends(eager_us)
        drift = last / first
        if abs(drift - 1) > 0.05:
            notes.append(Finding(check="drift", detail=f"eager's own time moved by {drift - 1:+.0%} during the race"))
        if self._is_cuda:
            crowd = idle.crowd(self.records[:-1]) or idle.disturbed(self.own, self.eager)
        else:
            crowd = self._crowd.said()
        notes += [Finding(check="crowded", detail=crowd)] if crowd else []
        own_us = [self.own.block_us(b) + hidden for b in range(blocks)]
        whole_us, unsure = whole.by_turns(self.own, self.eager, hidden, seen, is_cuda=self._is_cuda)
        notes += whole.said_of_turns(own_us, whole_us, eager_us)
        return Start(
            eager_us,
            [self.rival.block_us(b) for b in range(blocks)] if self.rival else [],
            own_us,
            whole_us,
            [us + hidden for turn in self.own.turns for us in turn.calls_us],
            self._throughput_us(),
            max(doubt, seen, unsure),
            bool(crowd),
            notes,
        )
