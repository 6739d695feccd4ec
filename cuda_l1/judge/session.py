"""One task under the judge: its reference and oracle stay up while candidate after candidate is judged.

A candidate goes through: build in processes of its own, one for each start; outputs on unseen inputs against the
float64 oracle (other weights and value distributions too); then, for each start, a race against eager and the best
baseline, whose timed outputs are verified. The first failure ends it, with its status and finding. A record is judged
a second time before it is believed.

NOT covered: see docs/judge.md for what a hostile candidate may still try.
"""

from __future__ import annotations

import math
import secrets
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import torch

from cuda_l1.errors import CannotJudgeError
from cuda_l1.judge import environment, lease, race, sandbox, timing
from cuda_l1.judge.config import JudgeConfig
from cuda_l1.judge.contender import CandidateError, Contender
from cuda_l1.judge.process import RefusedError, SlowWorkerError, WorkerGoneError, sweep
from cuda_l1.judge.reference import Reference
from cuda_l1.types import Candidate, Environment, Evaluation, Finding, Seconds, Speedup, Status, Task, Verdict


class Effort(NamedTuple):
    """How much timing goes into a verdict."""

    starts: int
    most_blocks: int
    seconds: float
    """For each start; no further block is begun after that, once there are enough for an interval."""


EFFORTS = {"quick": Effort(1, 24, 3.0), "normal": Effort(2, 48, 6.0), "strict": Effort(4, 96, 20.0)}
_RECORD, _RECORD_GROWTH, _REPEAT_WITHIN = 3.0, 2.0, 1.10
"""Above 3x, or twice the task's record, a speedup is judged again and must come out within 10% (section 2.4.4)."""


class Session:
    """Judge of one task. A context manager: inside it `baselines()` and `evaluate(candidate)` may be called."""

    def __init__(self, task: Task, config: JudgeConfig) -> None:
        self.task = task
        self.config = config
        self.seed = secrets.randbits(62) if config.seed is None else config.seed
        self.missing: dict[str, str] = {}
        """Baselines left out, each with its reason."""
        self.best_baseline = "eager"
        effort = EFFORTS[config.effort]
        self.effort = effort._replace(starts=config.starts or effort.starts)
        self.record = 1.0
        """The best speedup against eager that passed so far."""
        self._baseline_evaluations: dict[str, Evaluation] | None = None
        self._eagers: list[Contender] = []
        self._rivals: list[Contender] = []
        self._medians: dict[str, float] = {}
        self._stack = ExitStack()
        self._threads = torch.get_num_threads()

    def __enter__(self) -> Session:
        environment.require(self.config.device)
        if self.config.sandbox == "auto" and not sandbox.holds():
            raise CannotJudgeError(
                "no layer of the sandbox holds on this machine (cuda-l1 doctor says why), so candidates would run with "
                "your own rights; --sandbox none accepts that"
            )
        sweep()
        try:
            self.reference = self._stack.enter_context(Reference(self.task, self.config, self.seed, self._threads))
            self.plan = race.plan(self.reference)
            self._layout = race.layout(self.reference, self.plan)
            self._stack.callback(lambda: _close(self._eagers + self._rivals))
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def degenerate(self) -> bool:
        """Whether the task's output does not depend on its inputs."""
        return self.reference.degenerate

    def environment(self) -> Environment:
        """Where this session judges."""
        state = environment.state(self.config.device)
        clocks = environment.clocks_between(state, state)
        return environment.describe(self.config.device, self._threads, self.config.sandbox, clocks)

    def baseline_candidates(self) -> tuple[list[Candidate], dict[str, str]]:
        """The config's baselines as candidates, and the reason for each that cannot run here.

        Eager is not among them: it runs beside every other in each race.
        """
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
        if self._baseline_evaluations is not None:
            return self._baseline_evaluations
        known = known or {}
        candidates, self.missing = self.baseline_candidates()
        self._baseline_evaluations = {}
        best = 1.0
        for candidate in candidates:
            name = candidate.author
            contenders: list[Contender] = []
            if name in known:
                evaluation = known[name]
            else:
                evaluation, contenders = self._judge(candidate, trusted=True)
            self._baseline_evaluations[name] = evaluation
            if evaluation.status is not Status.PASSED:
                reason = evaluation.findings[0].detail if evaluation.findings else evaluation.status
                self.missing[name] = f"{evaluation.status}: {reason}"
            else:
                assert evaluation.speedup_eager is not None
                self._medians[name] = evaluation.baselines_us["eager"] / evaluation.speedup_eager.value
                if evaluation.speedup_eager.value > best:
                    best, self.best_baseline = evaluation.speedup_eager.value, name
                    contenders, self._rivals = self._rivals, contenders or self._revive(candidate)
            _close(contenders)
            on_baseline(name, evaluation)
        return self._baseline_evaluations

    def _revive(self, candidate: Candidate) -> list[Contender]:
        """Processes for a baseline that was judged before."""
        contenders = self._begin(candidate, trusted=True)
        try:
            for contender in contenders:
                contender.finish()
                contender.check_briefly()
        except BaseException as error:
            _close(contenders)
            if isinstance(error, (CandidateError, RefusedError, SlowWorkerError, WorkerGoneError)):
                raise CannotJudgeError(f"baseline {candidate.author} passed before and now fails: {error}") from error
            raise
        return contenders

    def evaluate(self, candidate: Candidate) -> Evaluation:
        """The judge's word on one candidate. Never raises for what the candidate does."""
        if candidate.task_id != self.task.id:
            raise ValueError(f"candidate of task {candidate.task_id}, judged for {self.task.id}")
        if self.config.baselines_when == "always":
            self.baselines()
        evaluation = self._closed(candidate)
        if evaluation.verdict is Verdict.FAST and self._baseline_evaluations is None:
            self.baselines()
            evaluation = self._closed(candidate)
        if evaluation.verdict is Verdict.FAST and evaluation.speedup_eager is not None:
            speedup = evaluation.speedup_eager.value
            if speedup > _RECORD or (self.record > 1 and speedup > _RECORD_GROWTH * self.record):
                evaluation = self._again(candidate, evaluation)
            if evaluation.verdict is Verdict.FAST:
                self.record = max(self.record, speedup)
        return evaluation

    def _closed(self, candidate: Candidate) -> Evaluation:
        evaluation, contenders = self._judge(candidate, trusted=False)
        _close(contenders)
        return evaluation

    def _again(self, candidate: Candidate, first: Evaluation) -> Evaluation:
        """Judge a record a second time, on another device where there is one; no win if it does not come out."""
        other = environment.another(self.config.device)
        if other is None:
            second = self._closed(candidate)
        else:
            config = self.config.model_copy(update={"device": other, "baselines": (), "seed": None})
            with Session(self.task, config) as elsewhere:
                second = elsewhere._closed(candidate)
        one, two = first.speedup_eager, second.speedup_eager
        if one is None or two is None:  # the second word is the one that counts: it did not pass, or we failed
            return second
        where = f" on {other}" if other else ""
        detail = f"{one.value:.3g}x against eager, judged again{where}: {two.value:.3g}x"
        agree = abs(math.log(one.value / two.value)) <= math.log(_REPEAT_WITHIN)
        if agree or (one.lo <= two.hi and two.lo <= one.hi):
            return first.model_copy(update={"notes": (*first.notes, Finding(check="repeated", detail=detail))})
        note = Finding(check="not_repeated", detail=f"{detail}: too far apart to be believed")
        return first.model_copy(
            update={
                "verdict": Verdict.AMBIGUOUS,
                "speedup_eager": timing.spanning(one, two),
                "notes": (*first.notes, note),
            }
        )

    def _begin(self, candidate: Candidate, *, trusted: bool, class_name: str = "ModelNew") -> list[Contender]:
        """Processes of a candidate, all starting and building at once."""
        contenders: list[Contender] = []
        try:
            for _ in range(self.effort.starts):
                contenders.append(Contender(candidate, self.reference, trusted=trusted, class_name=class_name))
            for contender in contenders:
                contender.begin(self._layout)
        except BaseException:
            _close(contenders)
            raise
        return contenders

    def _ensure_eager(self) -> None:
        if not self._eagers:
            own = Candidate(task_id=self.task.id, code=self.task.source, origin="baseline", author="eager")
            self._eagers = race.honest(lambda: self._begin(own, trusted=True, class_name="Model"))
            for contender in self._eagers:
                race.honest(contender.finish)

    def _judge(self, candidate: Candidate, *, trusted: bool) -> tuple[Evaluation, list[Contender]]:
        seconds = {"build": 0.0, "verify": 0.0, "time": 0.0}
        started = stage_started = time.monotonic()
        contenders: list[Contender] = []
        stage = "build"
        common: dict[str, Any] = {}
        notes: list[Finding] = []
        findings: tuple[Finding, ...] = ()
        state = environment.state(self.config.device)
        try:
            contenders = self._begin(candidate, trusted=trusted)
            self._ensure_eager()
            for contender in contenders:
                built = contender.finish()
            notes += built
            seconds[stage], stage, stage_started = time.monotonic() - stage_started, "verify", time.monotonic()
            with lease.alone(self.config.device):
                stage_started = time.monotonic()
                errors = contenders[0].check()
                for contender in contenders[1:]:
                    contender.check_briefly()
                common["max_error"], common["reference_error"] = errors.element, self.reference.error.element
                seconds[stage], stage, stage_started = time.monotonic() - stage_started, "time", time.monotonic()
                starts = [self._race(number, contender, trusted) for number, contender in enumerate(contenders)]
            notes += _merged(starts)
            if contiguous := contenders[0].takes_only_contiguous():
                notes.append(Finding(check="contiguous_only", detail=f"inputs with gaps fail: {contiguous}"))
            common |= self._figures(starts, ranked=not trusted)
            status = Status.PASSED
        except CandidateError as failure:
            status, findings = failure.status, (Finding(check=failure.check, detail=failure.detail),)
        except RefusedError as refusal:
            status, findings = _status_of(refusal)
        except SlowWorkerError as slow:
            status, findings = Status.TIMED_OUT, (Finding(check="time_limit", detail=f"{slow} (stage {stage})"),)
        except WorkerGoneError as gone:
            obituary = contenders[0].process.obituary() if contenders else str(gone)
            status, findings = Status.CRASHED, (Finding(check="process", detail=f"{obituary} (stage {stage})"),)
        except (torch.OutOfMemoryError, OSError) as error:
            status, findings = Status.INFRA_FAILED, (Finding(check="judge", detail=f"{type(error).__name__}: {error}"),)
        except BaseException:
            _close(contenders)
            raise
        seconds[stage] = time.monotonic() - stage_started
        after = environment.state(self.config.device)
        notes += environment.disturbances(state, after)
        if status is not Status.PASSED:
            common = {k: v for k, v in common.items() if k in ("max_error", "reference_error")}
        evaluation = Evaluation(
            candidate_id=candidate.id,
            task_id=self.task.id,
            status=status,
            findings=findings,
            notes=(*self.reference.notes, *notes),
            degenerate=self.degenerate,
            baselines_missing=dict(self.missing),
            seed=self.seed,
            log=contenders[0].process.log_tail() if contenders else "",
            seconds=Seconds(**seconds, total=time.monotonic() - started),
            environment=environment.describe(
                self.config.device, self._threads, self.config.sandbox, environment.clocks_between(state, after)
            ),
            **common,
        )
        if status is not Status.PASSED:
            _close(contenders)
            contenders = []
        return evaluation, contenders

    def _race(self, number: int, contender: Contender, trusted: bool) -> race.Start:
        """Each start meets other processes of eager and of the rival: what one process has by luck, another has not."""
        rival = None
        if self._rivals and not trusted:
            rival = (self.best_baseline, self._rivals[number % len(self._rivals)])
        eager = self._eagers[number % len(self._eagers)]
        contest = race.Race(self.reference, self.plan, eager, rival, contender)
        most = timing.LEAST_BLOCKS if trusted else self.effort.most_blocks  # baselines meet the candidate again
        return contest.run(most, self.effort.seconds)

    def _figures(self, starts: list[race.Start], *, ranked: bool) -> dict[str, Any]:
        spread = timing.START_SPREAD[self.config.device.partition(":")[0]]
        versus_eager = timing.over_starts([start.logs(start.eager_us) for start in starts], spread)
        rival, versus = "eager", versus_eager
        baselines = {"eager": statistics.median(us for start in starts for us in start.eager_us)}
        if ranked and starts[0].rival_us:
            against = timing.over_starts([start.logs(start.rival_us) for start in starts], spread)
            baselines[self.best_baseline] = statistics.median(us for start in starts for us in start.rival_us)
            if against.value < versus.value:  # the rival that was best when the baselines ran may lose to eager here
                rival, versus = self.best_baseline, against
        verdict = timing.verdict(versus)
        if self.degenerate and verdict is Verdict.FAST:
            verdict = Verdict.AMBIGUOUS
        throughputs = [start.throughput_us for start in starts if start.throughput_us is not None]
        return {
            "verdict": verdict,
            "times_us": tuple(us for start in starts for us in start.calls_us),
            "throughput_us": statistics.median(throughputs) if throughputs else None,
            "speedup": Speedup(**versus.model_dump(), vs=rival),
            "speedup_eager": versus_eager,
            "baselines_us": {**self._medians, **baselines},
        }


def _close(contenders: Sequence[Contender]) -> None:
    for contender in contenders:
        contender.close()


def _merged(starts: list[race.Start]) -> list[Finding]:
    """Notes of all starts, one a check."""
    return list({note.check: note for start in starts for note in start.notes}.values())


def _status_of(refusal: RefusedError) -> tuple[Status, tuple[Finding, ...]]:
    stage, detail = refusal.stage, str(refusal)
    if stage == "build":
        return Status.BUILD_FAILED, (Finding(check="build", detail=detail),)
    if stage == "forward":
        return Status.CRASHED, (Finding(check="forward", detail=detail),)
    if stage == "output":
        check, _, rest = detail.partition(": ")
        status = Status.REJECTED if check == "plain" else Status.WRONG_OUTPUT
        return status, (Finding(check=f"output_{check}", detail=rest),)
    return Status.INFRA_FAILED, (Finding(check=stage, detail=detail),)


def judge(task: Task, candidates: Sequence[Candidate], config: JudgeConfig) -> list[Evaluation]:
    """Judge candidates of one task, in order. The only door into this package for one-off use.

    TaskError when the task itself does not run; CannotJudgeError without the device asked for.
    """
    with Session(task, config) as session:
        return [session.evaluate(candidate) for candidate in candidates]
