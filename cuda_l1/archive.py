"""All that was ever tried: tasks, candidates, evaluations, attempts, opinions, runs; in a SQLite file or in Postgres.

Append-only: rows are inserted and read, and changed only by an upgrade; "latest" is the one inserted last. A row is
committed before its `add_` returns, so a killed process loses at most the row that it was writing. Threads may share
one Archive, and processes may share one file (not on a network file system, which SQLite's locks do not survive).
Not covered here: which exemplars to show (sampling), what the numbers mean together (report).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import ValidationError

from cuda_l1.errors import UsageError
from cuda_l1.foreign import whole_json
from cuda_l1.types import (
    Attempt,
    Candidate,
    Evaluation,
    Exemplar,
    Opinion,
    Record,
    Status,
    Task,
    Verdict,
    first_wrong,
    to_json,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Iterator

    import sqlalchemy as sa

R = TypeVar("R", bound=Record)


class RunRow(NamedTuple):
    """One run as it was started; times are seconds since 1970."""

    id: str
    task_id: str
    source_digest: str
    """Of the version of the task that the run is about."""
    config_json: str
    started: float
    last: float
    """When its latest evaluation or attempt was stored; `started` where there is none."""


class Archive:
    """Opens, creates or upgrades the archive at a path or a `sqlite:///` or `postgresql://` URL.

    Raises UsageError for a file that is corrupt, not an archive, or written by a newer version; every method raises
    it where the database fails later.
    """

    def __init__(self, place: str | Path) -> None:
        from cuda_l1.migrations import schema

        self._engine = schema.open_engine(place)

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Give back the connections; what was added is already safe."""
        self._engine.dispose()

    def add_task(self, task: Task) -> None:
        """Keep a task; the same id and source digest again change nothing."""
        with self._connect() as connection:
            self._add_task(connection, task)

    def add_candidate(self, candidate: Candidate, task: Task) -> None:
        """Keep a candidate and its task; a twin of a kept one changes nothing, and the first author stays."""
        from cuda_l1.migrations.schema import candidates

        if candidate.task_id != task.id:
            raise ValueError(f"the candidate is for {candidate.task_id}, the task given is {task.id}")
        row = {"id": candidate.id, "task_id": task.id, "record": to_json(candidate)}
        with self._connect() as connection:
            self._add_task(connection, task)
            self._insert(connection, candidates, row)

    def add_evaluation(self, evaluation: Evaluation, *, config_digest: str, run_id: str) -> None:
        """Keep an evaluation of a kept candidate. Evaluations under one `config_digest` are taken as comparable,
        so it must cover the judge's settings and the task's `source_digest`."""
        from sqlalchemy.exc import IntegrityError

        from cuda_l1.migrations.schema import evaluations

        row = {
            "candidate_id": evaluation.candidate_id,
            "task_id": evaluation.task_id,
            "config_digest": config_digest,
            "run_id": run_id,
            "status": str(evaluation.status),
            "record": to_json(evaluation),
        }
        try:
            with self._connect() as connection:
                self._insert(connection, evaluations, row)
        except IntegrityError as error:
            raise ValueError(f"candidate {evaluation.candidate_id} is not in the archive: add it first") from error

    def add_attempt(self, attempt: Attempt, run_id: str) -> None:
        """Keep one question to a model and what came of it."""
        from cuda_l1.migrations.schema import attempts

        row = {"run_id": run_id, "task_id": attempt.task_id, "record": to_json(attempt)}
        with self._connect() as connection:
            self._insert(connection, attempts, row)

    def add_opinion(self, opinion: Opinion, run_id: str) -> None:
        """Keep what a checker thinks of a candidate."""
        from cuda_l1.migrations.schema import opinions

        row = {"run_id": run_id, "candidate_id": opinion.candidate_id, "record": to_json(opinion)}
        with self._connect() as connection:
            self._insert(connection, opinions, row)

    def start_run(self, run_id: str, task_id: str, config_json: str, *, source_digest: str | None = None) -> None:
        """Keep the start of a run on a kept task (the version added last, unless `source_digest` names another).

        Starting it again on the same task, as a resumed run does, changes nothing; on another task it is a UsageError.
        """
        from cuda_l1.migrations.schema import runs

        task = self.task(task_id, source_digest)
        if task is None:
            raise ValueError(f"task {task_id} is not in the archive: add it first")
        row = {"id": run_id, "task_id": task_id, "source_digest": task.source_digest, "config": config_json}
        with self._connect() as connection:
            self._insert(connection, runs, row)
        kept = self.run(run_id)
        if kept is not None and kept.task_id != task_id:
            raise UsageError(f"run {run_id} is about {kept.task_id}, not {task_id}: choose another name for this run")

    def task(self, task_id: str, source_digest: str | None = None) -> Task | None:
        """The task of that id: the version added last, or the one of that source digest."""
        from cuda_l1.migrations.schema import tasks

        query = tasks.select().where(tasks.c.id == task_id).order_by(tasks.c.seq.desc()).limit(1)
        if source_digest is not None:
            query = query.where(tasks.c.source_digest == source_digest)
        return next(iter(self._records(query, Task)), None)

    def candidate(self, candidate_id: str) -> Candidate | None:
        """The candidate of that id."""
        from cuda_l1.migrations.schema import candidates

        query = candidates.select().where(candidates.c.id == candidate_id)
        return next(iter(self._records(query, Candidate)), None)

    def evaluation(self, candidate_id: str, config_digest: str) -> Evaluation | None:
        """The judge's latest word on a candidate under one config. INFRA_FAILED is no word: None, so judge again."""
        from cuda_l1.migrations.schema import evaluations as table

        query = (
            table.select()
            .where(table.c.candidate_id == candidate_id, table.c.config_digest == config_digest)
            .where(table.c.status != Status.INFRA_FAILED)
            .order_by(table.c.seq.desc())
            .limit(1)
        )
        return next(iter(self._records(query, Evaluation)), None)

    def lasting(self, candidate_id: str, config_digest: str) -> Evaluation | None:
        """The same, or None where it says to be asked for again on a quieter machine (`Evaluation.is_lasting`)."""
        evaluation = self.evaluation(candidate_id, config_digest)
        return evaluation if evaluation is not None and evaluation.is_lasting else None

    def ranked(self, task_id: str, config_digest: str | None = None) -> list[Exemplar]:
        """Each judged candidate of a task with the judge's latest word on it, best first.

        First those that passed, by score descending; then those that passed on a degenerate task, where a score means
        nothing; then those that failed. The last two stand in the order of judging. INFRA_FAILED is left out.
        Without a config, evaluations of several configs and devices are mixed: good for reading, not for comparing.
        """
        from cuda_l1.migrations.schema import evaluations as table

        judged = [table.c.task_id == task_id, table.c.status != Status.INFRA_FAILED]
        judged += [table.c.config_digest == config_digest] if config_digest is not None else []
        latest = self._latest(*judged).order_by(table.c.seq)
        return sorted(self._exemplars(latest), key=_rank)

    def record(self, task_id: str, config_digest: str) -> float:
        """The best win against eager so far, 1.0 where there is none: a win far above it is judged again."""
        known = (each.evaluation for each in self.ranked(task_id, config_digest))
        wins = [e.speedup_eager.value for e in known if e.verdict is Verdict.FAST and e.speedup_eager is not None]
        return max(wins, default=1.0)

    def rejected(self, limit: int) -> list[Exemplar]:
        """Candidates of all tasks that the judge's latest word rejects, the latest first, at most `limit`."""
        from cuda_l1.migrations.schema import evaluations as table

        latest = self._latest(table.c.status != Status.INFRA_FAILED)
        query = latest.where(table.c.status == Status.REJECTED).order_by(table.c.seq.desc()).limit(limit)
        return self._exemplars(query)

    def _latest(self, *judged: sa.ColumnElement[bool]) -> sa.Select[Any]:
        """Candidates with the last of those of their evaluations for which all conditions hold."""
        import sqlalchemy as sa

        from cuda_l1.migrations.schema import candidates, evaluations

        last = sa.select(sa.func.max(evaluations.c.seq)).where(*judged).group_by(evaluations.c.candidate_id)
        return (
            sa.select(candidates.c.record.label("candidate"), evaluations.c.record.label("evaluation"))
            .join_from(evaluations, candidates, candidates.c.id == evaluations.c.candidate_id)
            .where(evaluations.c.seq.in_(last))
        )

    def _exemplars(self, query: sa.Select[Any]) -> list[Exemplar]:
        with self._connect() as connection:
            rows = connection.execute(query).all()
        return [
            Exemplar(
                candidate=self._decode(Candidate, row.candidate), evaluation=self._decode(Evaluation, row.evaluation)
            )
            for row in rows
        ]

    def evaluations(self, run_id: str) -> list[Evaluation]:
        """Every evaluation of a run, in the order of judging."""
        from cuda_l1.migrations.schema import evaluations as table

        return self._records(table.select().where(table.c.run_id == run_id).order_by(table.c.seq), Evaluation)

    def comparable(self, run_id: str, config_digest: str | None = None) -> list[Evaluation]:
        """Those of a run's evaluations that were made under one config, that of its latest one if none is named: a run
        that was resumed on another machine, or under another judge, holds words of several."""
        import sqlalchemy as sa

        from cuda_l1.migrations.schema import evaluations as table

        own = table.select().where(table.c.run_id == run_id)
        latest = sa.select(table.c.config_digest).where(table.c.run_id == run_id).order_by(table.c.seq.desc()).limit(1)
        config: Any = latest.scalar_subquery() if config_digest is None else config_digest
        return self._records(own.where(table.c.config_digest == config).order_by(table.c.seq), Evaluation)

    def attempts(self, run_id: str) -> list[Attempt]:
        """Every attempt of a run, in the order of asking."""
        from cuda_l1.migrations.schema import attempts as table

        return self._records(table.select().where(table.c.run_id == run_id).order_by(table.c.seq), Attempt)

    def opinions(self, run_id: str) -> list[Opinion]:
        """Every opinion of a run's checker, in the order of asking."""
        from cuda_l1.migrations.schema import opinions as table

        return self._records(table.select().where(table.c.run_id == run_id).order_by(table.c.seq), Opinion)

    def run(self, run_id: str) -> RunRow | None:
        """The run of that id."""
        return next(iter(self._runs(run_id)), None)

    def runs(self) -> list[RunRow]:
        """Every run, in the order of starting."""
        return self._runs(None)

    def _runs(self, run_id: str | None) -> list[RunRow]:
        import sqlalchemy as sa

        from cuda_l1.migrations.schema import attempts, evaluations, runs

        query = runs.select().order_by(runs.c.seq)
        for table in (evaluations, attempts):
            last = sa.select(sa.func.max(table.c.created)).where(table.c.run_id == runs.c.id).scalar_subquery()
            query = query.add_columns(last.label(f"last_{table.name}"))
        if run_id is not None:
            query = query.where(runs.c.id == run_id)
        with self._connect() as connection:
            rows = connection.execute(query).all()
        return [
            RunRow(
                id=row.id,
                task_id=row.task_id,
                source_digest=row.source_digest,
                config_json=row.config,
                started=row.created,
                last=max(row.created, row.last_evaluations or 0.0, row.last_attempts or 0.0),
            )
            for row in rows
        ]

    @contextmanager
    def _connect(self) -> Iterator[sa.Connection]:
        """One transaction; failures of the database become UsageError."""
        from cuda_l1.migrations.schema import translated

        with translated(self._engine), self._engine.begin() as connection:
            yield connection

    def _add_task(self, connection: sa.Connection, task: Task) -> None:
        from cuda_l1.migrations.schema import tasks

        row = {"id": task.id, "source_digest": task.source_digest, "record": to_json(task)}
        self._insert(connection, tasks, row)

    def _insert(self, connection: sa.Connection, table: sa.Table, row: dict[str, Any]) -> None:
        """Append a row, unless one with its unique columns is there."""
        from sqlalchemy.dialects import postgresql, sqlite

        insert: Any = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
        connection.execute(insert(table).on_conflict_do_nothing(), {**row, "created": time.time()})

    def _records(self, query: sa.Select[Any], kind: type[R]) -> list[R]:
        with self._connect() as connection:
            rows: Sequence[Any] = connection.execute(query).all()
        return [self._decode(kind, row.record) for row in rows]

    def _decode(self, kind: type[R], text: str) -> R:
        from cuda_l1.migrations.schema import shown

        try:
            return kind.model_validate_json(whole_json(text))  # older versions kept what a candidate said as it was
        except ValidationError as error:
            raise UsageError(
                f"{kind.__name__} in {shown(self._engine)} does not read: {first_wrong(error)}. "
                "It was written by a newer cuda-l1, or changed by hand. Upgrade cuda-l1, or name another archive."
            ) from error


def _rank(exemplar: Exemplar) -> tuple[int, float]:
    evaluation = exemplar.evaluation
    if evaluation.status is not Status.PASSED:
        return 2, 0.0
    return (1, 0.0) if evaluation.degenerate else (0, -exemplar.score)
