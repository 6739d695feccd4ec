"""Judging beside the training: candidates go to worker processes, evaluations come back through the archive.

One job is candidates of one task, judged one after the other in one session; each evaluation is in the archive as
soon as it is known, so that a batch that ends early, or a killed run, keeps what was judged. A candidate whose twin
was judged under the same config is not judged again. `settle` ends a batch: what is missing by then stays missing.
Not covered: what an evaluation is worth (reward).
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import NamedTuple

from cuda_l1.archive import Archive
from cuda_l1.errors import CannotJudgeError, CudaL1Error
from cuda_l1.judge import JudgeConfig, Session
from cuda_l1.judge.pool import Pool, outcome
from cuda_l1.machine import environment
from cuda_l1.types import Candidate, Evaluation, Status, Task


class Settled(NamedTuple):
    """How a batch of judging ended."""

    judged: int
    """Candidates judged now, not known from before."""
    seconds: float
    """From the first candidate handed over to the end of the batch."""


class Judging:
    """The judge of one training process. `begin` may be called many times before one `settle`."""

    def __init__(
        self, place: str, run_id: str, config: JudgeConfig, *, workers: int, limit_s: float, session: int | None = None
    ) -> None:
        """`session`: candidates of one job at most; None: all that are handed over together."""
        self.config, self._session = config, session
        self._archive = Archive(place)
        self._place, self._run_id, self._limit_s = place, run_id, limit_s
        self._pool = Pool(workers, config=config)
        self._jobs: dict[Future[None], list[str]] = {}
        self._began: float | None = None
        self._asked: dict[str, str] = {}
        """Config digest by the id of each candidate handed over in this batch."""

    @property
    def device(self) -> str:
        """Where it judges."""
        return self.config.device

    @property
    def device_name(self) -> str:
        """What a question calls the device."""
        return environment.device_name(self.config.device)

    def digest(self, task: Task) -> str:
        """Under which evaluations of this judge are comparable."""
        return self.config.digest_for(task)

    def close(self) -> None:
        """End the workers with all that they are at."""
        self._pool.close()
        self._archive.close()

    def begin(self, task: Task, candidates: Sequence[Candidate]) -> None:
        """Hand over candidates that are in the archive; returns at once."""
        self._began = self._began or time.monotonic()
        digest = self.digest(task)
        new = {each.id: each for each in candidates if each.id not in self._asked}
        self._asked |= dict.fromkeys(new, digest)
        unknown = [each for each in new.values() if self._archive.lasting(each.id, digest) is None]
        most = self._session or len(unknown) or 1
        for part in (unknown[first : first + most] for first in range(0, len(unknown), most)):
            job = self._pool.submit(_judge, self._place, self._run_id, task, part, self.config)
            self._jobs[job] = [each.id for each in part]

    async def settle(self) -> tuple[dict[str, Evaluation], Settled]:
        """Wait until all are judged or the limit is reached; the evaluations by the candidate's id.

        CannotJudgeError where nobody has a word on any of them, and not for want of time: training on nothing helps
        nobody.
        """
        began = self._began or time.monotonic()
        left = max(0.0, began + self._limit_s - time.monotonic())
        done, late = await asyncio.to_thread(concurrent.futures.wait, self._jobs, left)
        if late:
            self._pool.clear()  # what hangs would hold the device while the policy learns
        failures = [error for job in done if isinstance(error := outcome(job), CudaL1Error)]
        found = {name: self._archive.evaluation(name, digest) for name, digest in self._asked.items()}
        known = {name: evaluation for name, evaluation in found.items() if evaluation is not None}
        judged = sum(name in known for names in self._jobs.values() for name in names)
        self._jobs, self._asked, self._began = {}, {}, None  # whatever came of it, the batch is over
        if failures and not known and not late:
            raise CannotJudgeError(f"nothing of a batch could be judged: {failures[0]}") from failures[0]
        return known, Settled(judged, time.monotonic() - began)


def _judge(place: str, run_id: str, task: Task, candidates: Sequence[Candidate], config: JudgeConfig) -> None:
    """One job, in a worker. CannotJudgeError where the judge failed at every candidate of it."""
    digest = config.digest_for(task)
    judged = []
    with Archive(place) as archive, Session(task, config) as session:
        session.record = archive.record(task.id, digest)
        for candidate in candidates:
            judged.append(session.evaluate(candidate))
            archive.add_evaluation(judged[-1], config_digest=digest, run_id=run_id)
    if all(each.status is Status.INFRA_FAILED for each in judged):
        raise CannotJudgeError(judged[0].findings[0].detail)
