"""One task under the judge: its reference and oracle stay up while candidate after candidate is judged.

A candidate goes through: build in its own process, outputs on unseen inputs against the float64 oracle (also with
other weights), then timing against the reference and the best baseline in palindromes of turns on fresh inputs, of
which some outputs, chosen by the judge, are verified too. The first failure ends it, with its status and finding.

NOT covered yet: value distributions, strides, roofline, re-verification of records, device-owned slots beyond one pid
namespace. See docs/judge.md for what a hostile candidate may still try.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import torch

from cuda_l1.errors import CannotJudgeError
from cuda_l1.judge import environment, race, timing
from cuda_l1.judge.config import JudgeConfig
from cuda_l1.judge.contender import CandidateError, Contender
from cuda_l1.judge.process import RefusedError, SlowWorkerError, WorkerGoneError, sweep
from cuda_l1.judge.reference import Reference
from cuda_l1.types import Candidate, Environment, Evaluation, Finding, Seconds, Status, Task, Verdict


class Session:
    """Judge of one task. A context manager: inside it `baselines()` and `evaluate(candidate)` may be called."""

    def __init__(self, task: Task, config: JudgeConfig) -> None:
        self.task = task
        self.config = config
        self.seed = secrets.randbits(62) if config.seed is None else config.seed
        self.missing: dict[str, str] = {}
        """Baselines left out, each with its reason."""
        self.best_baseline = "eager"
        self._baseline_evaluations: dict[str, Evaluation] | None = None
        self._rival: Contender | None = None
        self._medians: dict[str, float] = {}
        self._stack = ExitStack()
        self._threads = torch.get_num_threads()

    def __enter__(self) -> Session:
        environment.require(self.config.device)
        sweep()
        try:
            self.reference = self._stack.enter_context(Reference(self.task, self.config, self.seed, self._threads))
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
        clocks = environment.clocks(self.config.device)
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
            name, contender = candidate.author, None
            if name in known:
                evaluation = known[name]
            else:
                evaluation, contender = self._judge(candidate, trusted=True)
            self._baseline_evaluations[name] = evaluation
            if evaluation.status is not Status.PASSED:
                reason = evaluation.findings[0].detail if evaluation.findings else evaluation.status
                self.missing[name] = f"{evaluation.status}: {reason}"
            else:
                assert evaluation.speedup_eager is not None
                self._medians[name] = evaluation.baselines_us["eager"] / evaluation.speedup_eager.value
                if evaluation.speedup_eager.value > best:
                    best, self.best_baseline = evaluation.speedup_eager.value, name
                    self._replace_rival(contender or self._revive(candidate))
                    contender = None
            if contender is not None:
                contender.close()
            on_baseline(name, evaluation)
        return self._baseline_evaluations

    def _replace_rival(self, contender: Contender) -> None:
        if self._rival is None:
            self._stack.callback(self._close_rival)
        else:
            self._rival.close()
        self._rival = contender

    def _close_rival(self) -> None:
        if self._rival is not None:
            self._rival.close()

    def _revive(self, candidate: Candidate) -> Contender:
        """A process for a baseline that was judged before."""
        contender = Contender(candidate, self.reference, trusted=True)
        try:
            contender.build()
            contender.check()
        except BaseException as error:
            contender.close()
            if isinstance(error, (CandidateError, RefusedError, SlowWorkerError, WorkerGoneError)):
                raise CannotJudgeError(f"baseline {candidate.author} passed before and now fails: {error}") from error
            raise
        return contender

    def evaluate(self, candidate: Candidate) -> Evaluation:
        """The judge's word on one candidate. Never raises for what the candidate does."""
        if candidate.task_id != self.task.id:
            raise ValueError(f"candidate of task {candidate.task_id}, judged for {self.task.id}")
        self.baselines()
        evaluation, contender = self._judge(candidate, trusted=False)
        if contender is not None:
            contender.close()
        return evaluation

    def _judge(self, candidate: Candidate, *, trusted: bool) -> tuple[Evaluation, Contender | None]:
        seconds = {"build": 0.0, "verify": 0.0, "time": 0.0}
        started = stage_started = time.monotonic()
        clocks = environment.clocks(self.config.device)
        contender: Contender | None = None
        stage = "build"
        common: dict[str, Any] = {}
        notes: list[Finding] = []
        findings: tuple[Finding, ...] = ()
        try:
            contender = Contender(candidate, self.reference, trusted=trusted)
            notes += contender.build()
            seconds[stage], stage, stage_started = time.monotonic() - stage_started, "verify", time.monotonic()
            errors = contender.check()
            common["max_error"], common["reference_error"] = errors.element, self.reference.error.element
            seconds[stage], stage, stage_started = time.monotonic() - stage_started, "time", time.monotonic()
            rivals = [(self.best_baseline, self._rival)] if self._rival is not None and not trusted else []
            result = race.run(self.reference, rivals, contender, self.config)
            notes += result.notes
            common |= self._figures(result)
            status = Status.PASSED
        except CandidateError as failure:
            status, findings = failure.status, (Finding(check=failure.check, detail=failure.detail),)
        except RefusedError as refusal:
            status, findings = _status_of(refusal)
        except SlowWorkerError as slow:
            status, findings = Status.TIMED_OUT, (Finding(check="time_limit", detail=f"{slow} (stage {stage})"),)
        except WorkerGoneError as gone:
            obituary = contender.process.obituary() if contender is not None else str(gone)
            status, findings = Status.CRASHED, (Finding(check="process", detail=f"{obituary} (stage {stage})"),)
        except (torch.OutOfMemoryError, OSError) as error:
            status, findings = Status.INFRA_FAILED, (Finding(check="judge", detail=f"{type(error).__name__}: {error}"),)
        except BaseException:
            if contender is not None:
                contender.close()
            raise
        seconds[stage] = time.monotonic() - stage_started
        if clocks is not None:
            clocks = f"{clocks} before, {environment.clocks(self.config.device)} after"
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
            log="" if contender is None else contender.process.log_tail(),
            seconds=Seconds(**seconds, total=time.monotonic() - started),
            environment=environment.describe(self.config.device, self._threads, self.config.sandbox, clocks),
            **common,
        )
        if contender is not None and status is not Status.PASSED:
            contender.close()
            contender = None
        return evaluation, contender

    def _figures(self, result: race.Result) -> dict[str, Any]:
        verdict = timing.verdict(result.speedup)
        if self.degenerate and verdict is Verdict.FAST:
            verdict = Verdict.AMBIGUOUS
        return {
            "verdict": verdict,
            "times_us": tuple(result.times_us),
            "speedup": result.speedup,
            "speedup_eager": result.speedup_eager,
            "baselines_us": {**self._medians, **result.baselines_us},
        }


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
