"""Many tasks at once: one operating-system process a worker, each with a session of its own.

`run` judges; `each` is the same for any function of a job that judges within. Builds, imports and compilers overlap
on the CPU cores; timing has the device to itself, and beside it nobody prepares or verifies (see `lease`). A
worker that dies costs the jobs that were running. Loads no torch itself: a worker has two processes that do, itself and
the one that its own are forked from, and they do it side by side.
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from cuda_l1.errors import CannotJudgeError, CudaL1Error
from cuda_l1.judge_config import JudgeConfig
from cuda_l1.sandbox import layers
from cuda_l1.types import Candidate, Evaluation, Task

Job = tuple[Task, Sequence[Candidate]]
J = TypeVar("J")
T = TypeVar("T")


_END_S = 10
"""Seconds that the end of terminated workers is waited for."""


class Pool:
    """Workers that stay up between jobs. They end with the thread that submitted the first job."""

    def __init__(self, workers: int, gpus: int = 1, config: JudgeConfig | None = None) -> None:
        """`gpus` above 1: the workers take turns in choosing which of so many GPUs is theirs; it is their cuda:0.
        `config`: how their jobs will judge, if that is known."""
        self._workers, self._gpus, self._config = workers, gpus, config
        self._executor = self._new()

    def submit(self, job: Callable[..., T], *arguments: Any) -> Future[T]:
        """Run a module's own function in a worker as soon as one is free; `outcome` reads the future."""
        with _without_ctrl_c():
            try:
                return self._executor.submit(job, *arguments)
            except BrokenProcessPool:
                self.clear()
                return self._executor.submit(job, *arguments)

    def judge(self, task: Task, candidates: Sequence[Candidate], config: JudgeConfig) -> Future[list[Evaluation]]:
        """Judge these, one after the other in one session, as soon as a worker is free."""
        return self.submit(_judge, (task, list(candidates), config))

    def clear(self) -> None:
        """End the workers with all that they are at; the next job starts new ones."""
        self.close()
        self._executor = self._new()

    def close(self) -> None:
        """End the workers with all that they are at."""
        manager = cast("threading.Thread | None", self._executor._executor_manager_thread)
        for process in list((self._executor._processes or {}).values()):
            process.terminate()
        self._executor.shutdown(wait=False, cancel_futures=True)
        if manager is not None:  # else Python may wake it up at its own end while it closes, and print a traceback
            manager.join(_END_S)

    def _new(self) -> concurrent.futures.ProcessPoolExecutor:
        # spawn: a process forked from one that has touched CUDA cannot use it
        spawn = multiprocessing.get_context("spawn")
        told = (spawn.Value("i", 0), self._gpus, self._config)
        return concurrent.futures.ProcessPoolExecutor(
            self._workers, mp_context=spawn, initializer=_begin, initargs=told
        )


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Whoever is started meanwhile is not told, and this thread later: in a terminal it reaches all processes, and the
    parent ends its workers, which would each print where they were."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(counter: Any, gpus: int, config: JudgeConfig | None) -> None:
    """A worker's first act."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # what it starts has a mask as usual
    layers.die_with_parent()
    parent = multiprocessing.parent_process()
    if parent is not None and os.getppid() != parent.pid:  # it was killed before the kernel was asked: nobody would be
        os._exit(1)
    if gpus > 1:
        with counter.get_lock():
            number, counter.value = counter.value, counter.value + 1
        seen = os.environ.get("CUDA_VISIBLE_DEVICES") or ",".join(map(str, range(gpus)))
        os.environ["CUDA_VISIBLE_DEVICES"] = seen.split(",")[number % gpus]
    if config is not None:
        config.expect_workers()


def outcome(future: Future[T]) -> T | CudaL1Error:
    """What a job that is done returned, or what went wrong: never the job's own fault alone, so it is no evaluation."""
    try:
        return future.result()
    except CudaL1Error as error:
        return error
    except (BrokenProcessPool, concurrent.futures.CancelledError) as error:
        return CannotJudgeError(f"a judging process died: {error}")
    except Exception as error:  # our own failure costs one job, not the rest
        return CannotJudgeError(f"the judge failed: {type(error).__name__}: {error}")


def run(
    jobs: Iterable[Job], config: JudgeConfig, workers: int, gpus: int = 1
) -> Generator[tuple[int, list[Evaluation] | CudaL1Error], None, None]:
    """Judge every job: yields (index of the job, its evaluations in order or what went wrong) as `each` does."""
    return each(_judge, ((task, list(candidates), config) for task, candidates in jobs), workers, gpus, config)


def _judge(job: tuple[Task, list[Candidate], JudgeConfig]) -> list[Evaluation]:
    from cuda_l1.judge import judge

    return judge(*job)


def each(
    function: Callable[[J], T], jobs: Iterable[J], workers: int, gpus: int = 1, config: JudgeConfig | None = None
) -> Generator[tuple[int, T | CudaL1Error], None, None]:
    """Call a function of a module on every job, taking the next when a worker is free; yields (index of the job, what
    it returned or what went wrong) as they finish.

    Close the iterator to stop: jobs not yet begun are dropped, and running ones end with their processes.
    """
    waiting = iter(enumerate(jobs))
    pool = Pool(workers, gpus, config)
    running: dict[Future[T], int] = {}
    try:
        while True:
            while len(running) < workers and (job := next(waiting, None)) is not None:
                running[pool.submit(function, job[1])] = job[0]
            if not running:
                return
            done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                told = outcome(future)
                yield running.pop(future), told
    finally:
        pool.close()
