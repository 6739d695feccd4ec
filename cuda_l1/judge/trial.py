"""One candidate while it is being judged: how much effort, what is known of it, what a silent process says of it."""

from __future__ import annotations

import contextlib
import math
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from cuda_l1 import syntax
from cuda_l1.correctness import preparation, rehearsal, sets
from cuda_l1.correctness.contender import Contender, close
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.errors import CannotJudgeError
from cuda_l1.evidence import signals, ways
from cuda_l1.timing import amid, idle, intervals, probes, race, turns
from cuda_l1.types import Evaluation, Finding, Interval, Speedup, Status, Verdict
from cuda_l1.wire.link import GarbledError, RefusalError, SlowWorkerError, WorkerGoneError


class Effort(NamedTuple):
    """How much timing goes into a verdict."""

    starts: int
    most_blocks: int
    seconds: float
    """For each start; no further block is begun after that, once there are enough for an interval."""
    again: tuple[str, ...] = ()
    """On which kinds of device what one start finds by little is asked of another."""
    confirms: bool = False
    """Whether every win, not a record alone, is verified once more on new inputs and under new weights."""


_CLOSE = {"cpu": 3.0, "cuda": 1.10}
"""What a single start finds below that may be its luck (docs/results/aa.md): of equal code on a busy GPU 4 of 195 were
FAST or SLOW, all within 10%; on a CPU 8 of 304, at 0.74 to 1.12, and once, right after other programs, above 1.5."""
_CROWDED_TRIES = 3
_SUSPECT, _SLOWED = 1.5, 1.4
_SLOWS = "reference_slowed"
_SLOWER, _SHORT_S, _ALL_CALLS = 10.0, 0.05, 10
"""So often what the reference takes a call may take, and so much any, on a busy machine; what they take beyond that is
at most so many limits of one, together: who is asked a hundred times and sleeps through each holds the judge for two
hours."""
_MOVED = 0.05
"""Less is the noise of a third of the blocks."""
_TAIL_US = 60.0
"""For so long a GPU may be at work after a call that nobody probed before its output is asked for (docs/log.md)."""
_OPENING_US = 45.0
"""So long something else may be done for a call as its inputs are opened, and nobody charges it: in place of the wash
(30 us at the most), and what is forgiven beside that (turns)."""
LOOP_US = {"cpu": 30.0, "cuda": 24.0}
"""What the judge's own loop takes of a call, at the most that was measured; on a GPU with the launch of a kernel and
the wait for it, which a kernel that watches the judge's words does without: who replaces it in his process by a tighter
one is faster by so much, with the task's own work (docs/limits.md)."""
EFFORTS = {
    # as few blocks as give an interval: for rewards, where it is narrowed by numbers
    "glance": Effort(1, 12, 1.0, again=("cuda",)),
    "quick": Effort(1, 24, 3.0, again=("cpu", "cuda")),
    "normal": Effort(2, 32, 6.0, confirms=True),
    "strict": Effort(4, 96, 20.0, confirms=True),
}
_AT = {"build": "when built or first called", "verify": "when verified", "time": "when timed"}
"""What a stage of `Evaluation.seconds` is, in words."""


class Trial:
    """What is known of a candidate while it is being judged."""

    def __init__(
        self,
        on_stage: Callable[[str], None] = lambda stage: None,
        *,
        timed: Evaluation | None = None,
        blames: bool = True,
        excuses: bool = True,
    ) -> None:
        self.timed = timed
        """What its races came to before, where it is but verified."""
        self.blames = blames
        """Whether the candidate is to blame for an eager that is slow beside it."""
        self.excuses = excuses
        """Whether a candidate that found no memory may say that others had it."""
        self.contenders: list[Contender] = []
        self.races: list[race.Race] = []
        self.notes: list[Finding] = []
        self.errors: dict[str, Any] = {}
        self.figures: dict[str, Any] = {}
        self.way, self.least_us = "", 0.0
        """The first way to the judge's own loop that its text shows, and what a win then has to save of a call."""
        self.may_linger = False
        """Whether its text shows what may slow others a little: such a way, or a change of the device's state."""
        self.seconds = {"build": 0.0, "verify": 0.0, "time": 0.0}
        self.stage, self._on_stage = "build", on_stage
        self.began = self._since = time.monotonic()
        on_stage(self.stage)

    def enter(self, stage: str, *, waited: bool = False) -> None:
        """End the stage that runs; `waited`: the time since then was spent waiting for the device: no stage's."""
        now = time.monotonic()
        self.seconds[self.stage] += 0.0 if waited else now - self._since
        self.stage, self._since = stage, now
        self._on_stage(stage)

    def close(self) -> None:
        """End the candidate's processes."""
        close(self.contenders)

    def one_by_one(self) -> Iterator[Contender]:
        """Its processes, each while the others are stopped: they would be at work in eager's turns."""
        for contender in self.contenders:
            others = [each.process for each in self.contenders if each is not contender]
            for process in others:
                process.stop_alone()
            yield contender
            for process in others:
                process.resume()

    def limit(self, reference: Reference) -> None:
        """From here on all calls of its processes together have an end."""
        usual_s = max(_SLOWER * reference.call_s, _SHORT_S)
        for contender in self.contenders:
            contender.process.limit(usual_s, _ALL_CALLS * reference.config.run_timeout_s)

    def check(self, reference: Reference, *, trusted: bool) -> None:
        """CandidateError at the first wrong output of its processes. Nothing is timed: others may be at work."""
        self.enter("verify")
        if not trusted:  # a baseline's process may be the rival of a whole session's candidates
            self.limit(reference)
        with reference.lease.beside_others():
            self.enter("verify", waited=True)
            before = reference.lease.gave_way_s
            try:
                errors = self.contenders[0].check()
                for contender in self.contenders[1:]:
                    contender.check_briefly()
            finally:
                self.seconds["verify"] -= reference.lease.gave_way_s - before
            self.enter("time")
        if self.contenders[0].misses_steps:
            detail = "its answers follow weights that are loaded, and not what an optimizer's step changes in place"
            self.notes.append(Finding(check="weights_by_load", detail=detail))
        self.errors = {"max_error": errors.element, "reference_error": reference.error.element}

    def run(self, contest: race.Race, most: int, seconds: float) -> turns.Start:
        """One start; again, as far as that helps, where other programs had the CPU."""
        self.races.append(contest)
        contest.own.shows_way = bool(self.way)
        for _ in range(_CROWDED_TRIES):
            start = contest.run(most, seconds)
            if not start.crowded:
                break
        return start

    def check_later(self) -> None:
        """CandidateError for what its processes gave in their races, and the first gives after, on sets that are new to
        it."""
        self.check_amid()
        self.contenders[0].check_fresh(later=True)
        self._check_settled()
        self.contenders[0].check_written()

    def _check_settled(self) -> None:
        """CandidateError where the first has come to be wrong on values, or under weights, of which there are none in
        races: those on which a task that ranks may have ties."""
        first = self.contenders[0]
        ref = first.reference
        tied = [s for s in ref.sets if not s.weights and sets.has_ties(s.kind, ref.text, ref.output_leaves)]
        tied += [s for s in ref.sets if s.weights in set(sets.EXTREME) - set(ref.extreme) and first.same_weights]
        for which in sorted({each.weights for each in tied}):
            first.use_weights(which)
            some = [each for each in tied if each.weights == which]
            for number in range(0, len(some), sets.SLOTS):
                first.check_on(some[number : number + sets.SLOTS])
        first.use_weights(0)

    def check_amid(self) -> None:
        """The same of those that are at work, as they were in their races."""
        for contest in self.races:
            if contest.own.side in self.contenders:
                amid.check(contest.own.side, contest.amid)

    def check_eager(self, starts: list[turns.Start], call_s: float) -> list[turns.Start]:
        """CandidateError if eager was slow beside this candidate and is not without it. Ends the candidate's processes
        to find out, where eager was slower than the `call_s` that the reference ever took, or the text shows what may
        slow it by less (`may_linger`) and the candidate is faster. Returns the starts: those that nobody can say this
        of are crowded, and by how much eager was slower beside such a text is in doubt."""
        starts = list(starts)
        slow = [n for n, start in enumerate(starts) if self._may_slow(start, call_s)]
        if not slow:
            return starts
        self.close()
        for number in slow:
            start, beside = starts[number], statistics.median(starts[number].eager_us)
            without = self.races[number].eager_alone()
            alone = statistics.median(turn.call_us for turn in without.turns)
            if beside <= _SLOWED * alone:
                if self.may_linger and beside > alone:
                    lent = (beside / alone - 1) * statistics.median(start.candidate_us)
                    whole_us = [us + lent for us in start.whole_us]
                    starts[number] = start._replace(doubt_us=max(start.doubt_us, lent), whole_us=whole_us)
                continue
            said = f"eager took {beside:.3g} us a call beside this candidate and {alone:.3g} us without it"
            crowd = idle.crowd([without]) or ("" if self.blames else f"{said}, and was as slow beside its own code")
            if not crowd:
                raise CandidateError(Status.REJECTED, _SLOWS, f"{said}: something was left running")
            starts[number] = start._replace(crowded=True)  # another program slows it, now and then
            self.notes.append(Finding(check="crowded", detail=crowd))
        return starts

    def _may_slow(self, start: turns.Start, call_s: float) -> bool:
        """Whether eager may have been slow because of this candidate, or its win hangs on that."""
        beside = statistics.median(start.eager_us)
        wins = self.may_linger and statistics.median(start.candidate_us) < beside
        return wins or beside > _SUSPECT * call_s * 1e6

    def silence(
        self, error: SlowWorkerError | WorkerGoneError, reference: Reference
    ) -> tuple[Status, tuple[Finding, ...]]:
        """What it says of the candidate that a process gave no answer. CannotJudgeError where it says nothing, for it
        was not the candidate's."""
        if not reference.process.nursery.lives:  # no process of this session does, and nobody else is to blame
            raise CannotJudgeError("the process that the judge's workers are forked from was killed") from error
        if reference.process.has_failed:
            raise CannotJudgeError(f"the reference's process gave no answer: {error}") from error
        if isinstance(error, SlowWorkerError):
            return Status.TIMED_OUT, (Finding(check="time_limit", detail=f"{error} ({_AT[self.stage]})"),)
        dead = [c for c in self.contenders if c.process.process.poll() is not None]
        if isinstance(error, GarbledError) and not dead:  # none is ending, which an obituary would wait for
            said = f"the process sent what is no answer: {error}"
        else:
            dead = dead or self.contenders
            said = dead[0].process.obituary() if dead else str(error)
        return Status.CRASHED, (Finding(check="process", detail=f"{said} ({_AT[self.stage]})"),)

    def drop_refused(self, refusal: RefusalError) -> bool:
        """Whether the reference itself raises, or has no number, on an input of another distribution that the last race
        had: such are no longer drawn. Where the `refusal` was an assertion of a GPU's it is asked on the CPU first."""
        if self.stage != "time" or not self.races:
            return False
        last = self.races[-1]
        rows = [(kind, last.laid.rows[slot]) for slot, kind in last.laid.kinds.items() if kind != "own"]
        may_be_lost = rehearsal.has_lost_device(refusal)
        with last.reference.lease.alone(), contextlib.suppress(RefusalError):  # nor asked, where there is no memory
            return preparation.drop_refused(
                last.reference, last.weights, rows, rehearses=may_be_lost, has_raised=refusal.stage == "forward"
            )
        return False

    def read(self, code: str, device: str, call_s: float, calls: int, *, washes: bool) -> None:
        """Look for a way to the judge's own loop in its text: what a win must save then, by how long the reference's
        calls take, how many a turn has, and whether the cache is washed before them. CandidateError for a long one."""
        if len(code) > syntax.LONGEST:
            said = f"its text has {len(code):,} characters, and at most {syntax.LONGEST:,} are read"
            raise CandidateError(Status.BUILD_FAILED, "build", f"{said}: leave out what no call needs")
        self.way, kind = ways.first(code), device.partition(":")[0]
        self.may_linger = bool(self.way) or any(each.name == "device_state" for each in signals.read(code))
        is_probed = kind == "cpu" or probes.are_drawn(calls, call_s)
        more_us = (0.0 if is_probed else _TAIL_US) + (_OPENING_US if washes else 0.0)
        self.least_us = LOOP_US[kind] + more_us if self.way else 0.0

    def note_way(self) -> None:
        """Say what its calls were charged for a way to the judge's loop, and why a win is none for one."""
        if not self.least_us:
            return
        speedup, call_us = self.figures["speedup"], statistics.median(self.figures["times_us"])
        way = f"its text shows a way to the judge's loop around a call ({self.way})"
        ask = "Take that out, or say it as docs/judge.md does under ways, and nothing is charged"
        if _is_charged(speedup, self.figures["speedup_eager"]):
            charged = f"each faster call was charged the {self.least_us:g} us that such a way may save"
            self.notes.append(Finding(check="way", detail=f"{way}, so {charged}. {ask}"))
        if self.figures["verdict"] is Verdict.AMBIGUOUS and speedup.lo >= 1 and not _is_win(speedup):
            short = f"its calls of {call_us:.3g} us are shorter than that, and may all be done elsewhere"
            small = f"its calls of {call_us:.3g} us save no more than that, which may all be the judge's"
            why = short if call_us < self.least_us else small
            said = f"no win: {way}, which may save {self.least_us:g} us of each, and {why}. {ask}"
            self.notes.append(Finding(check="small_win", detail=said))

    def is_close(self, device: str, kinds: tuple[str, ...]) -> bool:
        """FAST or SLOW by little, on a device of one of these kinds."""
        kind = device.partition(":")[0]
        certain = kind in kinds and self.figures["verdict"] in (Verdict.FAST, Verdict.SLOW)
        return certain and abs(math.log(self.figures["speedup"].value)) < math.log(_CLOSE[kind])


def merged(notes: Iterable[list[Finding]]) -> list[Finding]:
    """Notes of several starts or processes, one a check."""
    return list({note.check: note for each in notes for note in each}.values())


def figures(
    starts: list[turns.Start],
    device: str,
    rival: str,
    medians: Mapping[str, float],
    elsewhere: Mapping[str, Interval],
    *,
    is_comparable: bool,
    least_us: float = 0.0,
) -> dict[str, Any]:
    """The verdict and the figures of an Evaluation, in the terms of the fastest of `rival`, eager and `elsewhere`:
    speedups against eager of baselines that ran beside eager, and not beside this candidate. `medians`: microseconds of
    the baselines so far. What is not comparable (a degenerate task, other weights) is no win, nor is what saves, or
    takes, less of a call than `least_us`: whatever is faster is charged so much, for nobody knows whether it was saved
    so, and what it is worth to a policy hangs on no verdict."""
    versus_eager = _against(starts, [start.eager_us for start in starts], device)
    best, versus = "eager", versus_eager
    baselines = {"eager": statistics.median(us for start in starts for us in start.eager_us)}
    if starts[0].rival_us:
        against = _against(starts, [start.rival_us for start in starts], device)
        baselines[rival] = statistics.median(us for start in starts for us in start.rival_us)
        if against.value < versus.value:  # the rival that was best when the baselines ran may lose to eager here
            best, versus = rival, against
    for name, speedup in elsewhere.items():  # through eager: less certain than side by side, and no less a baseline
        through = Interval(
            value=versus_eager.value / speedup.value, lo=versus_eager.lo / speedup.hi, hi=versus_eager.hi / speedup.lo
        )
        if through.value < versus.value:
            best, versus = name, through
    verdict, calls_us = intervals.verdict(versus), [us for start in starts for us in start.calls_us]
    call_us = statistics.median(calls_us)
    versus, versus_eager = (intervals.charged(each, call_us, least_us) for each in (versus, versus_eager))
    is_win = is_comparable and _is_win(versus) and _is_win(versus_eager)  # whose interval may be the wider one
    if any(start.crowded for start in starts) or (verdict is Verdict.FAST and not is_win):
        verdict = Verdict.AMBIGUOUS
    charged_us = least_us if _is_charged(versus, versus_eager) else 0.0
    throughputs = [start.throughput_us for start in starts if start.throughput_us is not None]
    return {
        "verdict": verdict,
        "times_us": tuple(us + charged_us for us in calls_us),
        "throughput_us": statistics.median(throughputs) + charged_us if throughputs else None,
        "speedup": Speedup(**versus.model_dump(), vs=best),
        "speedup_eager": versus_eager,
        "baselines_us": {**medians, **baselines},
    }


def _is_win(speedup: Interval) -> bool:
    return intervals.verdict(speedup) is Verdict.FAST


def _is_charged(*speedups: Interval) -> bool:
    """Whether something is left of one of them that was charged."""
    return max(speedup.value for speedup in speedups) > 1


def _against(starts: list[turns.Start], its: list[list[float]], device: str) -> Interval:
    """The speedup against a side, whose microseconds by block of each start are `its`."""
    call_us = min(statistics.median(us) for us in (*its, *(start.candidate_us for start in starts)))
    logs = [intervals.logs(us, start.candidate_us) for start, us in zip(starts, its, strict=True)]
    spread = max(intervals.start_spread(device, call_us), *map(_moved, logs))
    doubt = max(start.doubt_us / statistics.median(start.candidate_us) for start in starts)
    by_calls = intervals.over_starts(logs, spread, doubt)
    by_turns = [intervals.logs(us, start.whole_us) for start, us in zip(starts, its, strict=True)]
    return intervals.borne_out(by_calls, math.exp(statistics.fmean(map(statistics.median, by_turns))))


def _moved(logs: Sequence[float]) -> float:
    """By how much the ratio itself moved during the race: a logarithm. Clocks, and programs that come and go, move all
    sides alike, which the order of turns cancels."""
    first, last = intervals.ends(logs)
    moved = abs(last - first)
    return moved if moved > _MOVED else 0.0


def slows(evaluation: Evaluation) -> bool:
    """Whether it is rejected for an eager that was slow beside it."""
    return any(finding.check == _SLOWS for finding in evaluation.findings)
