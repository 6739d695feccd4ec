"""A search over many tasks: one process a task in flight, one budget over all, one row a task, resumable.

A plan goes in (`scores.Plan`), a folder of rows comes out. Each task is a run of its own (`search.optimize`), with its
own client, in the archive that all share; the judge leases the device to one of them at a time. A row is on the disk
as soon as its task has ended; what kill -9 takes is found again in the archive, so that nothing is judged twice.
A task that the budget, an absent model or our own failure cut short is gone on with on resuming.
Not covered: the numbers (scores), what a person sees (cli).
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from cuda_l1 import journal, llm, report, scores, search
from cuda_l1.archive import Archive
from cuda_l1.config import Budget, OptimizeConfig
from cuda_l1.errors import CudaL1Error, ModelError, TaskError, UsageError
from cuda_l1.judge import JudgeConfig, pool
from cuda_l1.machine import environment
from cuda_l1.meter import Meter, Metered
from cuda_l1.scores import Entry, Plan, Row, State
from cuda_l1.types import Opinion, Task, to_json


class Job(NamedTuple):
    """What a process needs to carry one task to its end."""

    entry: Entry
    config: OptimizeConfig
    judging: JudgeConfig
    folder: Path
    budget: Budget
    ends_at: float | None
    """When the sweep's time is up, in seconds since 1970."""
    patience_s: float
    """How long to wait for a model server that is away."""


class Ended(NamedTuple):
    """How a task ended; what was found is in the archive."""

    state: State
    why: str
    away: bool = False
    """Whether the model's server was given up."""


def planned(tasks: Sequence[Task], spec: str, config: OptimizeConfig, judging: JudgeConfig, budget: str) -> Plan:
    """A plan for these tasks, each once, with a folder `config.out/<sweep>` and an archive there if none is named."""
    sweep_id = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-sweep-{secrets.token_hex(2)}"
    folder = Path(config.out).absolute() / sweep_id
    places = {"out": str(folder / "tasks"), "archive": config.archive or str(folder / scores.ARCHIVE)}
    once = {(task.id, task.source_digest): task for task in tasks}
    return Plan(
        sweep_id=sweep_id,
        spec=spec,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        budget=budget,
        device_name=environment.device_name(judging.device),
        judge_version=environment.JUDGE_VERSION,
        config=config.model_copy(update=places),
        entries=tuple(
            Entry(run_id=f"{sweep_id}-{number:03d}-{task.slug}", task=task)
            for number, task in enumerate(once.values(), 1)
        ),
    )


def carry(job: Job) -> Ended:
    """One task, in a process of its own. Errors of usage are raised, as they would meet every task."""
    meter, client = Meter(job.folder / scores.CALLS, job.budget, job.ends_at), None
    try:
        if job.config.model is not None:
            run_id, task_id = job.entry.run_id, job.entry.task.id
            client = Metered(lambda: llm.client_for(job.config, task_id, job.patience_s), meter, run_id, job.patience_s)
        with Archive(str(job.config.archive)) as archive:
            result = search.optimize(_Run(job, archive, meter), client)
    except TaskError as error:
        return Ended("broken", str(error))
    except ModelError as error:
        return Ended("budget" if meter.reached else "model", meter.reached or str(error), not meter.reached)
    except UsageError:
        raise
    except CudaL1Error as error:
        return Ended("failed", str(error))
    except KeyboardInterrupt:
        return Ended("interrupted", "interrupted")
    away = client is not None and client.away
    if result.interrupted:
        return Ended("interrupted", result.ended)
    if meter.reached:
        return Ended("budget", meter.reached)
    if isinstance(result.error, ModelError):
        return Ended("model", result.ended, away)
    return Ended("failed" if result.error else "done", result.ended)


class _Run(search.Run):
    """A run that also ends when the sweep's budget does."""

    def __init__(self, job: Job, archive: Archive, meter: Meter) -> None:
        super().__init__(job.entry.task, job.config, job.judging, archive, run_id=job.entry.run_id)
        self._meter = meter

    def spent(self) -> str:
        """Which limit is reached, in words; empty while none is."""
        return super().spent() or self._meter.spent()

    @property
    def limited_in_usd(self) -> bool:
        """Whether what is asked must have a price, for the task's budget or the sweep's."""
        return super().limited_in_usd or self._meter.limited_in_usd

    def keep_opinion(self, opinion: Opinion) -> None:
        """Count what a checker answered, against the sweep's budget too."""
        super().keep_opinion(opinion)
        self._meter.paid(opinion.usage)


class Sweep:
    """A sweep at work in its folder. `open` comes first; then `run`, which may be interrupted; `close` at the end."""

    def __init__(self, plan: Plan, judging: JudgeConfig, *, workers: int, patience_s: float,
                 gpus: int = 1, on_begun: Callable[[Entry], None] = lambda entry: None,
                 on_row: Callable[[Row], None] = lambda row: None) -> None:  # fmt: skip
        self.plan, self.folder = plan, Path(plan.config.out).parent
        self._judging, self._workers, self._gpus, self._patience_s = judging, workers, gpus, patience_s
        self._on_begun, self._on_row = on_begun, on_row
        self._numbers = {entry.run_id: number for number, entry in enumerate(plan.entries, 1)}
        self._in_flight: dict[str, Entry] = {}
        self._away = False

    @contextlib.contextmanager
    def open(self) -> Iterator[list[Entry]]:
        """Hold the folder and say what is left to do. UsageError where another process holds it, or where this
        machine's figures would not compare with those that are there."""
        busy = f"{self.folder} is in use by another eval: wait for it"
        with journal.held(self.folder / scores.ROWS, busy) as file, Archive(str(self.plan.config.archive)) as archive:
            self._comparable()
            self._file, self._archive = file, archive
            fresh = not (self.folder / scores.PLAN).exists()
            journal.replace(self.folder / scores.PLAN, to_json(self.plan))
            journal.link(self.folder.parent / "latest", self.folder.name)
            earlier_s = journal.elapsed_s(self.folder / scores.EVENTS)
            journal.tell(self.folder / scores.EVENTS, "launch" if fresh else "resume", workers=self._workers)
            self._budget = Budget.parse(self.plan.budget)
            seconds = self._budget.seconds
            self._ends_at = None if seconds is None else time.time() + seconds - earlier_s
            self._meter = Meter(self.folder / scores.CALLS, self._budget, self._ends_at)
            self._meter.begin()
            self.rows = scores.latest(self.folder)
            try:
                yield [entry for entry in self.plan.entries if not self._final(entry)]
            finally:
                self._close()

    def run(self, pending: Sequence[Entry]) -> None:
        """Carry tasks to their end, as many at once as there are workers; what failed beside others, which may have had
        the device's memory, once more beside fewer, and then alone."""
        self._pass(pending, self._workers)
        if self._workers // 3 > 1:  # of many that found no room most do then
            self._pass([each for each in pending if self._is_infra_failed(each)], self._workers // 3)
        self._pass([each for each in pending if self._worth_another_try(each)], 1)

    def _pass(self, pending: Sequence[Entry], workers: int) -> None:
        begun: list[Entry] = []

        def jobs() -> Iterator[Job]:
            for entry in pending:
                if self._away or self._meter.spent():
                    return
                begun.append(entry)
                self._in_flight[entry.run_id] = entry
                journal.tell(self.folder / scores.EVENTS, "begun", run_id=entry.run_id, task_id=entry.task.id)
                self._on_begun(entry)
                yield Job(entry, self.plan.config, self._judging, self.folder, self._budget, self._ends_at,
                          self._patience_s)  # fmt: skip

        with contextlib.closing(pool.each(carry, jobs(), workers, self._gpus, self._judging)) as outcomes:
            for index, outcome in outcomes:
                if isinstance(outcome, UsageError):
                    raise outcome
                ended = Ended("failed", str(outcome)) if isinstance(outcome, CudaL1Error) else outcome
                self._away = self._away or ended.away
                self._keep(begun[index], ended)

    def _keep(self, entry: Entry, ended: Ended) -> None:
        """Write a task's row; the archive says what was found."""
        del self._in_flight[entry.run_id]
        known = self._archive.run(entry.run_id) is not None
        folder = Path(self.plan.config.out) / entry.run_id
        total = report.summary(self._archive, entry.run_id, folder=folder) if known else None
        row = scores.row(self._numbers[entry.run_id], entry, ended.state, ended.why, total)
        journal.append(self._file, row.model_dump(mode="json"))
        self.rows[entry.run_id] = row
        journal.tell(self.folder / scores.EVENTS, "row", run_id=row.run_id, state=row.state, outcome=row.outcome)
        self._on_row(row)

    def _close(self) -> None:
        """The table as far as it is known; tasks that were cut off are in it with what the archive has of them."""
        for entry in list(self._in_flight.values()):
            self._keep(entry, Ended("interrupted", "interrupted"))
        journal.tell(self.folder / scores.EVENTS, "ended")

    def _final(self, entry: Entry) -> bool:
        return entry.run_id in self.rows and self.rows[entry.run_id].final

    def _worth_another_try(self, entry: Entry) -> bool:
        row = self.rows.get(entry.run_id)
        return self._is_infra_failed(entry) or (row is not None and row.state == "model")

    def _is_infra_failed(self, entry: Entry) -> bool:
        row = self.rows.get(entry.run_id)
        return row is not None and row.outcome == "infra failed"

    def _comparable(self) -> None:
        here = (environment.device_name(self._judging.device), environment.JUDGE_VERSION)
        there = (self.plan.device_name, self.plan.judge_version)
        if here != there:
            raise UsageError(
                f"{self.folder} was judged on {there[0]} by judge {there[1]}, here are {here[0]} and judge {here[1]}: "
                "figures of both in one table mean nothing; start a new sweep with --tasks"
            )
