"""Many tasks at once: one operating-system process a worker, each with a session of its own.

`run` judges; `each` is the same for any function of a job that judges within. Builds, imports and compilers overlap
on the CPU cores; the device itself is leased to one session at a time (see `lease`), so that timing has it alone. A
worker that dies costs the jobs in flight.
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from cuda_l1.errors import CannotJudgeError, CudaL1Error
from cuda_l1.judge import sandbox
from cuda_l1.judge.config import JudgeConfig
from cuda_l1.judge.session import judge
from cuda_l1.types import Candidate, Evaluation, Task

Job = tuple[Task, Sequence[Candidate]]
J = TypeVar("J")
R = TypeVar("R")


def run(
    jobs: Iterable[Job], config: JudgeConfig, workers: int
) -> Generator[tuple[int, list[Evaluation] | CudaL1Error], None, None]:
    """Judge every job: yields (index of the job, its evaluations in order or what went wrong) as `each` does."""
    return each(_judge, ((task, list(candidates), config) for task, candidates in jobs), workers)


def _judge(job: tuple[Task, list[Candidate], JudgeConfig]) -> list[Evaluation]:
    return judge(*job)


def each(
    function: Callable[[J], R], jobs: Iterable[J], workers: int
) -> Generator[tuple[int, R | CudaL1Error], None, None]:
    """Call a function of a module on every job, taking the next when a worker is free; yields (index of the job, what
    it returned or what went wrong) as they finish.

    Close the iterator to stop: jobs not yet begun are dropped, and running ones end with their processes.
    """
    waiting = iter(enumerate(jobs))
    pool = _pool(workers)
    running: dict[concurrent.futures.Future[R], int] = {}
    try:
        while True:
            while len(running) < workers and (job := next(waiting, None)) is not None:
                running[pool.submit(function, job[1])] = job[0]
            if not running:
                return
            done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                index = running.pop(future)
                try:
                    yield index, future.result()
                except CudaL1Error as error:
                    yield index, error
                except BrokenProcessPool as error:
                    lost = [index, *running.values()]
                    running.clear()
                    pool.shutdown(wait=False, cancel_futures=True)
                    pool = _pool(workers)
                    for each in lost:  # which of them broke it, nobody can say
                        yield each, CannotJudgeError(f"a judging process died: {error}")
                    break
                except Exception as error:  # our own failure costs one job, not the rest
                    yield index, CannotJudgeError(f"the judge failed: {type(error).__name__}: {error}")
    finally:
        for process in list((pool._processes or {}).values()):
            process.terminate()
        pool.shutdown(wait=False, cancel_futures=True)


def _pool(workers: int) -> concurrent.futures.ProcessPoolExecutor:
    # spawn: a process forked from one that has touched CUDA cannot use it
    spawn = multiprocessing.get_context("spawn")
    return concurrent.futures.ProcessPoolExecutor(workers, mp_context=spawn, initializer=sandbox.die_with_parent)
