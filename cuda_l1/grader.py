"""Replies of a policy to tasks, and what each is worth: the judge as the reward function of a training of one's own.

    with Grader(JudgeConfig(device="cuda:0", effort="quick"), workers=6) as grader:
        graded = grader([(task, reply) for task in tasks for reply in replies[task.id]])
        rewards = [each.value for each in graded]

A reply is text with a block of code, as `parsing.parse` reads it. The same code for one task is judged once a call.
Not covered: keeping what was judged (archive), and what the rewards of a group are to a policy (`reward.advantages`).
"""

from __future__ import annotations

import concurrent.futures
import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import NamedTuple

from cuda_l1 import parsing, reward
from cuda_l1.errors import CudaL1Error
from cuda_l1.judge import JudgeConfig
from cuda_l1.judge.pool import Pool, outcome
from cuda_l1.types import Candidate, Evaluation, Task

_Key = tuple[str, str]


class Graded(NamedTuple):
    """One reply."""

    reward: reward.Reward | None
    """None: nobody can say (our own failure, a degenerate task, no time left): leave it out."""
    evaluation: Evaluation | None = None
    """The judge's word; None where there was no code, or nobody judged it."""
    said: str = ""
    """Why there is no evaluation."""

    @property
    def value(self) -> float | None:
        """The reward as a number, or None."""
        return None if self.reward is None else self.reward.value


class Grader:
    """Worker processes that judge, up from call to call. Start it behind `if __name__ == "__main__":`, for they import
    the main file anew."""

    def __init__(
        self,
        config: JudgeConfig,
        *,
        workers: int,
        gpus: int = 1,
        measure: reward.Measure = "certain",
        limit_s: float = 600.0,
    ) -> None:
        """`workers`: tasks prepared at once, four to six a GPU. `limit_s`: of a call; what hangs then is ended."""
        self._config, self._measure, self._limit_s = config, measure, limit_s
        self._pool = Pool(workers, gpus, config)

    def __call__(self, asked: Sequence[tuple[Task, str]]) -> list[Graded]:
        """One for each pair of a task and a reply to it, in this order. Raises nothing for what a reply holds, and
        nothing where the judge fails."""
        until = time.monotonic() + self._limit_s
        parsed = [_parsed(task, reply) for task, reply in asked]
        groups: dict[_Key, tuple[Task, dict[str, Candidate]]] = {}
        for (task, _), found in zip(asked, parsed, strict=True):
            if isinstance(found, Candidate):
                groups.setdefault(_key(task), (task, {}))[1][found.id] = found
        jobs = {self._pool.judge(task, [*made.values()], self._config): key for key, (task, made) in groups.items()}
        done, late = concurrent.futures.wait(jobs, max(0.0, until - time.monotonic()))
        if late:
            self._pool.clear()
        missing = Graded(None, said=f"not judged within {self._limit_s:g} s")
        known = {key: dict.fromkeys(made, missing) for key, (_, made) in groups.items()}
        for job in done:
            key = jobs[job]
            known[key] = self._graded(job, groups[key][1])
        return [
            known[_key(task)][found.id] if isinstance(found, Candidate) else found
            for (task, _), found in zip(asked, parsed, strict=True)
        ]

    def _graded(self, job: Future[list[Evaluation]], made: dict[str, Candidate]) -> dict[str, Graded]:
        told = outcome(job)
        if isinstance(told, CudaL1Error):
            return dict.fromkeys(made, Graded(None, said=str(told)))
        return {each.candidate_id: Graded(reward.score(each, self._measure), each) for each in told}

    def close(self) -> None:
        """End the workers with all that they are at."""
        self._pool.close()

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _key(task: Task) -> _Key:
    return task.id, task.source_digest


def _parsed(task: Task, reply: str) -> Candidate | Graded:
    try:
        found = parsing.parse(reply, task)
    except parsing.ParseError as error:
        return Graded(reward.NOTHING, said=str(error))
    return Candidate(task_id=task.id, code=found.code, language=found.language, origin="policy")
