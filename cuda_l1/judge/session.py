"""One task under the judge: its reference and oracle stay up while candidate after candidate is judged.

A candidate goes through: build in processes of its own, one for each start; outputs on unseen inputs against the
float64 oracle (other weights and value distributions too); then, for each start, a race against eager and the best
baseline, whose timed outputs are verified. The first failure ends it, with its status and finding. A record is judged
a second time before it is believed.

NOT covered: see docs/limits.md for what a hostile candidate may still try.
"""

from __future__ import annotations

import contextlib
import functools
import os
import secrets
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

from cuda_l1.correctness import preparation, refusals
from cuda_l1.correctness.contender import Contender, close, started
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.errors import CannotJudgeError, TaskError, UsageError
from cuda_l1.extensions import inline
from cuda_l1.judge import explain, records, restrictions
from cuda_l1.judge.opponents import Opponents
from cuda_l1.judge.trial import EFFORTS, Trial, figures, merged, slows
from cuda_l1.judge_config import HEADERS, JudgeConfig
from cuda_l1.machine import cores, environment, room
from cuda_l1.processes.process import CannotStartError, sweep
from cuda_l1.sandbox import layers
from cuda_l1.timing import intervals, plan, race, turns
from cuda_l1.types import Candidate, Environment, Evaluation, Finding, Seconds, Status, Task, TaskFacts, Verdict
from cuda_l1.wire.arena import give_back
from cuda_l1.wire.link import RefusalError, SlowWorkerError, WorkerGoneError

_TIMES = 3
"""How often a candidate is judged at most, where others spoil it each time."""
_RAISES = Finding(check="reference_raises", detail="the reference has no answer to values that are drawn no more")


class Session:
    """Judge of one task. A context manager: inside it `baselines()` and `evaluate(candidate)` may be called."""

    def __init__(self, task: Task, config: JudgeConfig) -> None:
        self.task, self.config = task, config
        self.seed = secrets.randbits(62) if config.seed is None else config.seed
        self.missing: dict[str, str] = {}
        """Baselines left out, each with its reason."""
        effort = EFFORTS[config.effort]
        self.effort = effort if config.starts is None else effort._replace(starts=config.starts, again=())
        self.record = 1.0
        """The best speedup against eager that passed so far; of earlier sessions if whoever opens this one says so."""
        self.on_stage: Callable[[str, str], None] = lambda name, stage: None
        """Told who enters which stage of `Evaluation.seconds`."""
        self._baseline_evaluations: dict[str, Evaluation] | None = None
        self._medians: dict[str, float] = {}
        self._stack: contextlib.ExitStack | None = None  # there within its `with` alone
        self._threads = config.cores or torch.get_num_threads()

    def __enter__(self) -> Session:
        environment.require(self.config.device)
        if self.config.sandbox == "auto":
            layers.require()
        sweep()
        with contextlib.ExitStack() as stack:
            if self.config.cores is not None:
                stack.enter_context(cores.own_cores(self.config.cores))
                stack.callback(torch.set_num_threads, torch.get_num_threads())
                torch.set_num_threads(self._threads)
            self._cores = os.sched_getaffinity(0)
            if self.config.device.startswith("cuda"):
                self._cores = stack.enter_context(cores.off_races(environment.gpus()))
            self._opened = stack.enter_context(contextlib.ExitStack())
            self._open()
            self._stack = stack.pop_all()
        return self

    def _open(self) -> None:
        """The reference with all that is asked of it, and whom candidates race, under the seed."""
        if self.config.device.startswith("cuda"):
            self._opened.callback(torch.cuda.empty_cache)  # at its end: other judges share the device
        make = functools.partial(Reference, self.task, self.config, self.seed, self._threads, self.effort.starts)
        self.reference = preparation.opened(self._opened, self.task, self.config.device, make)
        self.plan = plan.plan(self.reference)
        self._layout = plan.layout(self.reference, self.plan)
        self._explainer = explain.Explainer(self.reference, plan.rotating_nbytes(self.reference, self.plan))
        self._opponents = Opponents(self.reference, self._layout, self.effort.starts)
        self._opened.callback(self._opponents.close)

    def renew(self) -> None:
        """Have other inputs and other weights from here on, and other processes: what passed by the luck of one draw
        does not by another's. CannotJudgeError where the task cannot be opened again, which ends the session."""
        self._check_open()
        self.seed, known = self.reference.draw_seed(), self._baseline_evaluations
        try:
            self._opened.close()  # before another one takes memory
            self._open()
        except BaseException as error:
            self.__exit__()
            if isinstance(error, TaskError):
                raise CannotJudgeError(f"the task could not be opened again: {error}") from error
            raise
        if known is not None:
            self._baseline_evaluations = None
            self.baselines(known)

    def __exit__(self, *_: object) -> None:
        stack, self._stack = self._stack, None
        if stack is not None:
            stack.close()

    def _check_open(self) -> None:
        if self._stack is None:
            raise UsageError("a Session judges within its with alone: with Session(task, config) as session: ...")

    @property
    def best_baseline(self) -> str:
        """The baseline that candidates race beside eager: the fastest so far, eager itself where there is no room."""
        self._check_open()
        return self._opponents.rival

    @property
    def degenerate(self) -> bool:
        """Whether the task's output does not depend on its inputs."""
        self._check_open()
        return self.reference.degenerate

    def environment(self) -> Environment:
        """Where this session judges."""
        state = environment.state(self.config.device)
        same = environment.clocks_between(state, state)
        return environment.describe(self.config.device, self._threads, self.config.sandbox, same)

    def facts(self) -> TaskFacts:
        """What the task does in a call, what its reference runs, and what this device can do; takes some seconds."""
        self._check_open()
        with self.reference.lease.alone():
            return self._explainer.facts()

    def baseline_candidates(self) -> tuple[list[Candidate], dict[str, str]]:
        """The config's baselines as candidates, and the reason for each that cannot run here. Without eager, which runs
        beside every other in each race."""
        from cuda_l1 import baselines

        names = [name for name in self.config.baselines if name != "eager"]
        return baselines.build(self.task, names, self.config.device)

    def baselines(
        self,
        known: Mapping[str, Evaluation] | None = None,
        on_baseline: Callable[[str, Evaluation], None] = lambda name, evaluation: None,
    ) -> dict[str, Evaluation]:
        """Judge every baseline of the config once, against eager; the best one stays as the candidates' rival.

        Those in `known` (evaluations under the same config) are not judged again.
        """
        self._check_open()
        if self._baseline_evaluations is not None:
            return self._baseline_evaluations
        known = known or {}
        candidates, self.missing = self.baseline_candidates()
        self._baseline_evaluations = {}
        for candidate in candidates:
            name = candidate.author
            contenders: list[Contender] = []
            if (evaluation := known.get(name)) is None:
                evaluation, contenders = self._judge(candidate, trusted=True)
            self._baseline_evaluations[name] = evaluation
            if evaluation.status is not Status.PASSED:
                reason = evaluation.findings[0].detail if evaluation.findings else evaluation.status
                self.missing[name] = f"{evaluation.status}: {reason}"
            else:
                assert evaluation.speedup_eager is not None
                self._medians[name] = evaluation.baselines_us["eager"] / evaluation.speedup_eager.value
                contenders = self._opponents.consider(candidate, evaluation.speedup_eager.value, contenders)
            close(contenders)
            on_baseline(name, evaluation)
        return self._baseline_evaluations

    def evaluate(self, candidate: Candidate, *, won: Evaluation | None = None) -> Evaluation:
        """The judge's word on one candidate; of what `won` before under this config the next, on new inputs and under
        new weights. Never raises for what the candidate does; CannotJudgeError for ours."""
        if candidate.task_id != self.task.id:
            raise ValueError(f"candidate of task {candidate.task_id}, judged for {self.task.id}")
        self.baselines()
        began = time.monotonic()
        evaluation = self._closed(candidate) if won is None else self.anew(candidate)
        if evaluation.verdict is Verdict.FAST and evaluation.speedup_eager is not None:
            if records.is_record(evaluation.speedup_eager.value, self.record):
                known = (evaluation,) if won is None else (won, evaluation)
                evaluation = records.settled(known, self._words(candidate))
            elif self.effort.confirms and won is None:
                evaluation = self.anew(candidate, timed=evaluation)
        if evaluation.verdict is Verdict.FAST and evaluation.speedup_eager is not None:
            self.record = max(self.record, evaluation.speedup_eager.value)
        seconds = evaluation.seconds.model_copy(update={"total": time.monotonic() - began})
        return evaluation.model_copy(update={"seconds": seconds})

    def anew(self, candidate: Candidate, *, timed: Evaluation | None = None) -> Evaluation:
        """One word on new inputs and under new weights. What its races came to before, `timed`, stands where it is
        right there, and nothing is timed again."""
        self.renew()
        return self._closed(candidate, timed=timed)

    def _closed(self, candidate: Candidate, **how: Any) -> Evaluation:
        """One word. That eager was slowed down is said if it happens every time, and never beside its own code: a busy
        host does it to honest code. A device that others have filled is waited for, and memory asked for again."""
        if "load_inline" in candidate.code and self.reference.kit is None:
            self.reference.kit = inline.warm(HEADERS)
        said_of_room = 0  # so often it found no memory on a device that had some
        for tries in range(_TIMES):
            evaluation = self._ended(candidate, excuses=said_of_room < _TIMES - 1, **how)
            if refusals.found_no_memory(evaluation) and self.config.device != "cpu" and tries < _TIMES - 1:
                said_of_room += not room.wait_while_full(self.config.device, self.reference.room.nbytes // 2)
                if tries:  # who waits for room has some, too
                    self._opponents.drop_rival()
            elif not slows(evaluation) and (tries or not refusals.is_starved(evaluation.findings)):
                return evaluation
        if slows(evaluation):  # once more after its own code was asked: a host that was busy until then is not now
            return self._ended(candidate, blames=not self._eager_slows_itself())
        return evaluation

    def _eager_slows_itself(self) -> bool:
        """Whether eager is slow beside its own code too, or has no word there: then the host may be what slows it."""
        code = f"{self.task.source}\n\nclass ModelNew(Model):\n    pass\n"
        own = Candidate(task_id=self.task.id, code=code, origin="baseline", author="eager")
        return any(self._ended(own).status is not Status.PASSED for _ in range(_TIMES))

    def _ended(self, candidate: Candidate, **how: Any) -> Evaluation:
        """One judgement, after which the candidate's processes are gone."""
        evaluation, contenders = self._judge(candidate, trusted=False, **how)
        close(contenders)
        return evaluation

    def _words(self, candidate: Candidate) -> Iterator[tuple[Evaluation, str | None]]:
        """More words on a candidate, each on inputs and under weights that are new: on another device where there is
        one and it has room, else on this one, opened anew."""
        other = environment.another(self.config.device)
        while True:
            word = self._elsewhere(candidate, other) if other is not None else None
            other = other if word is not None else None
            yield word or self.anew(candidate), other

    def _elsewhere(self, candidate: Candidate, device: str) -> Evaluation | None:
        """One word from another device; None where it has no room for a session beside others."""
        config = self.config.model_copy(update={"device": device, "baselines": (), "seed": None})
        with contextlib.suppress(CannotJudgeError, TaskError), Session(self.task, config) as session:
            word = session._closed(candidate)
            return None if word.status is Status.INFRA_FAILED else word
        return None

    def _judge(self, candidate: Candidate, *, trusted: bool, **how: Any) -> tuple[Evaluation, list[Contender]]:
        while True:  # each time there is a distribution fewer
            trial = Trial(functools.partial(self.on_stage, candidate.author or candidate.id), **how)
            judged = self._judge_once(trial, candidate, trusted=trusted)
            if _RAISES not in judged[0].findings:
                return judged

    def _judge_once(self, trial: Trial, candidate: Candidate, *, trusted: bool) -> tuple[Evaluation, list[Contender]]:
        with contextlib.ExitStack() as failed:
            failed.callback(trial.close)
            evaluation = self._word(trial, candidate, trusted=trusted)
            if evaluation.status is Status.PASSED:
                failed.pop_all()
        if not self.reference.room.keeps:
            give_back(self.config.device)
        return evaluation, trial.contenders if evaluation.status is Status.PASSED else []

    def _word(self, trial: Trial, candidate: Candidate, *, trusted: bool) -> Evaluation:
        state = environment.state(self.config.device)
        status, findings = self._outcome(trial, candidate, trusted)
        trial.enter(trial.stage)
        if status is Status.PASSED and trial.timed is not None:
            return trial.timed
        after = environment.state(self.config.device)
        trial.notes += environment.disturbances(state, after)
        trial.notes += [] if trusted else explain.of_text(candidate)
        return Evaluation(
            candidate_id=candidate.id,
            task_id=self.task.id,
            status=status,
            findings=findings,
            notes=(*self.reference.notes, *trial.notes),
            degenerate=self.degenerate,
            baselines_missing=dict(self.missing),
            seed=self.seed,
            log=trial.contenders[0].process.log_tail() if trial.contenders else "",
            seconds=Seconds(**trial.seconds, total=time.monotonic() - trial.began),
            environment=environment.describe(
                self.config.device, self._threads, self.config.sandbox, environment.clocks_between(state, after)
            ),
            **trial.errors,
            **(trial.figures if status is Status.PASSED else {}),
        )

    def _outcome(self, trial: Trial, candidate: Candidate, trusted: bool) -> tuple[Status, tuple[Finding, ...]]:
        """Carry it out; what went wrong, as a status."""
        try:
            self._carry_out(trial, candidate, trusted)
        except CandidateError as failure:
            return failure.status, (Finding(check=failure.check, detail=failure.detail),)
        except RefusalError as refusal:
            if trial.drop_refused(refusal):
                return Status.INFRA_FAILED, (_RAISES,)
            if refusal.pid == self.reference.process.process.pid:  # asked what must come of something
                said = f"the reference could not be asked: {refusal}"
                return Status.INFRA_FAILED, (Finding(check="judge", detail=said),)
            excuses = trial.excuses and self.config.device != "cpu"  # where nobody has a GPU's memory
            return refusals.status_of(refusal, self.reference.call_nbytes, excuses=excuses)
        except (SlowWorkerError, WorkerGoneError) as error:
            return trial.silence(error, self.reference)
        except (torch.OutOfMemoryError, OSError, CannotStartError) as error:
            return Status.INFRA_FAILED, (Finding(check="judge", detail=f"{type(error).__name__}: {error}"),)
        except CannotJudgeError as failure:  # of a side that ran before, and may again without this candidate
            cause = failure.__cause__
            if not isinstance(cause, RefusalError | WorkerGoneError) or self.reference.process.has_failed:
                raise
            self._opponents.renew()
            if isinstance(cause, RefusalError) and not refusals.is_for_memory(cause):
                if trial.drop_refused(cause):
                    return Status.INFRA_FAILED, (_RAISES,)
                raise
            return Status.INFRA_FAILED, (Finding(check="judge", detail=f"what it is timed beside failed: {failure}"),)
        return Status.PASSED, ()

    def _carry_out(self, trial: Trial, candidate: Candidate, trusted: bool) -> None:
        """Build, verify, race. Raises at the first thing that is wrong; what was learnt until then is in `trial`."""
        starts = self.effort.starts if trial.timed is None else 1
        code, washes = "" if trusted else candidate.code, plan.washes(self.reference, self.plan)
        trial.read(code, self.config.device, self.reference.call_s, self.plan.calls, washes=washes)
        trial.contenders = started(candidate, self.reference, self._layout, starts, trusted=trusted, full=True)
        if trial.timed is None:
            self._opponents.prepare(candidate, starts)
        trial.notes += merged(contender.finish() for contender in trial.contenders)
        trial.check(self.reference, trusted=trusted)
        if trial.timed is not None:
            return
        with self.reference.lease.alone():
            trial.enter("time", waited=True)
            most = intervals.LEAST_BLOCKS if trusted else self.effort.most_blocks  # baselines meet the candidates again
            races = [self._race(contender, trusted) for contender in trial.contenders]
            in_turn = zip(trial.one_by_one(), races, strict=True)
            runs = [trial.run(contest, most, self.effort.seconds) for _, contest in in_turn]
            time_us = statistics.median(us for start in runs for us in start.candidate_us)
            self._explainer.check_floor(time_us)
            if not trusted:
                self._explainer.check_operators(*trial.races)
                trial.check_later()
            told = self._explainer.explain(trial.contenders[-1], time_us)
            trial.notes += [] if trusted else restrictions.of(trial.contenders[0])
            if not trusted and self.config.device != "cpu":  # where a stopped process may have work left
                runs = trial.check_eager(runs, self.reference.call_s)
        trial.notes += [*merged(start.notes for start in runs), *told.notes]
        trial.figures = self._figures(trial, runs, trusted)
        if not trusted and trial.is_close(self.config.device, self.effort.again):
            runs.append(self._start_again(trial, candidate))
            trial.notes += runs[-1].notes
            trial.figures = self._figures(trial, runs, trusted)
        trial.note_way()
        trial.figures |= told.fields(statistics.median(trial.figures["times_us"]))

    def _figures(self, trial: Trial, starts: list[turns.Start], trusted: bool) -> dict[str, Any]:
        same_weights = trusted or all(each.own.side.same_weights for each in trial.races)
        rival = "eager" if trusted else self._opponents.rival
        if trusted:  # it hides nothing, and would be no baseline where other programs made its turns late
            starts = [start._replace(whole_us=start.candidate_us) for start in starts]
        known = {} if trusted else self._baseline_evaluations or {}
        elsewhere = {n: e.speedup_eager for n, e in known.items() if e.speedup_eager is not None and n != rival}
        return figures(
            starts, self.config.device.partition(":")[0], rival, self._medians, elsewhere,
            is_comparable=same_weights and not self.degenerate and not self.reference.extra, least_us=trial.least_us,
        )  # fmt: skip

    def _start_again(self, trial: Trial, candidate: Candidate) -> turns.Start:
        """Another process of a candidate and its race; the others' memory is for somebody else."""
        trial.enter("build")
        trial.close()
        trial.contenders = []
        [contender] = trial.contenders = started(candidate, self.reference, self._layout, 1, trusted=False)
        self._opponents.prepare(candidate, 1)
        contender.finish()
        trial.limit(self.reference)
        with self.reference.lease.alone():
            trial.enter("time", waited=True)
            contender.check_briefly()
            start = trial.run(self._race(contender, trusted=False), self.effort.most_blocks, self.effort.seconds)
            self._explainer.check_operators(trial.races[-1])
            trial.check_amid()
            return start

    def _race(self, contender: Contender, trusted: bool) -> race.Race:
        beside = self._opponents.next(contender.candidate, trusted=trusted)
        return race.Race(self.reference, self.plan, *beside, contender, self._cores)
