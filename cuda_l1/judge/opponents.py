"""Whom candidates race: eager and the best baseline, in processes that stay up for a whole session.

What one process has by luck, where its memory lies for instance, another has not. So each start of a candidate meets
other processes of both, and what had one start meets others when it is judged again.
"""

from __future__ import annotations

import contextlib
from collections import Counter

import torch

from cuda_l1.errors import CannotJudgeError
from cuda_l1.judge import contender
from cuda_l1.judge.arena import Layout
from cuda_l1.judge.contender import CandidateError, Contender, close
from cuda_l1.judge.process import RefusedError, SlowWorkerError, WorkerGoneError, honest
from cuda_l1.judge.reference import Reference
from cuda_l1.types import Candidate

_FAILED = (CandidateError, RefusedError, SlowWorkerError, WorkerGoneError)


class Opponents:
    """`starts` processes of each; where that is one, another for second words."""

    def __init__(self, reference: Reference, layout: Layout, starts: int) -> None:
        self._reference, self._layout = reference, layout
        self._starts, self._most = starts, max(starts, 2)
        self._eagers: list[Contender] = []
        self._rivals: list[Contender] = []
        self._met: Counter[str] = Counter()
        task = reference.task
        self._eager = Candidate(task_id=task.id, code=task.source, origin="baseline", author="eager")

    @property
    def rival(self) -> str:
        """The best baseline's name."""
        return self._rivals[0].candidate.author if self._rivals else "eager"

    def oppose(self, candidate: Candidate, contenders: list[Contender]) -> list[Contender]:
        """Make a baseline the rival from now on; `contenders`: its processes that there are. Returns those that have
        no more to do."""
        left, self._rivals = self._rivals, contenders or self._revive(candidate, self._starts)
        return left

    def prepare(self, candidate: Candidate, starts: int) -> None:
        """Have processes ready for so many more starts of the candidate. Not while the device is leased: building takes
        its time."""
        wanted = min(self._met[candidate.id] + starts, self._most)
        for each in [side for side in (*self._eagers, *self._rivals[1:]) if side.process.process.poll() is not None]:
            (self._eagers if each in self._eagers else self._rivals).remove(each)  # whoever killed it, it is replaced
            each.close()
        if len(self._eagers) < self._starts:
            self._eagers += honest(lambda: self._ready(self._eager, self._starts, "Model"))
        try:
            while len(self._eagers) < wanted:
                self._eagers += self._ready(self._eager, 1, "Model")
            while self._rivals and len(self._rivals) < wanted:
                self._rivals += self._revive(self._rivals[0].candidate, 1)
        except (CannotJudgeError, torch.OutOfMemoryError, OSError, *_FAILED):
            self._most = self._starts  # no room for more than it takes at least

    def next(self, candidate: Candidate, *, trusted: bool) -> tuple[Contender, tuple[str, Contender] | None]:
        """Eager and the rival for the candidate's next start; no rival for a baseline."""
        number = self._met[candidate.id] % self._most
        self._met[candidate.id] += 1
        rival = (self.rival, self._rivals[number % len(self._rivals)]) if self._rivals and not trusted else None
        return self._eagers[number % len(self._eagers)], rival

    def close(self) -> None:
        """End all processes."""
        close(self._eagers + self._rivals)

    def _ready(self, candidate: Candidate, count: int, class_name: str) -> list[Contender]:
        begun = contender.started(candidate, self._reference, self._layout, count, trusted=True, class_name=class_name)
        with contextlib.ExitStack() as failed:
            failed.callback(close, begun)
            for each in begun:
                each.finish()
            failed.pop_all()
        return begun

    def _revive(self, candidate: Candidate, count: int) -> list[Contender]:
        """Processes for a baseline that was judged before."""
        try:
            begun = self._ready(candidate, count, "ModelNew")
            with contextlib.ExitStack() as failed:
                failed.callback(close, begun)
                for each in begun:
                    each.check_briefly()
                failed.pop_all()
        except _FAILED as error:
            raise CannotJudgeError(f"baseline {candidate.author} passed before and now fails: {error}") from error
        return begun
