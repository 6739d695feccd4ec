"""Whom candidates race: eager and the best baseline, in processes that stay up for a whole session.

What one process has by luck, where its memory lies for instance, another has not. So each start of a candidate meets
other processes of both, and what had one start meets others when it is judged again.
"""

from __future__ import annotations

import contextlib
from collections import Counter

import torch

from cuda_l1.correctness import contender
from cuda_l1.correctness.contender import Contender, close
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.errors import CannotJudgeError
from cuda_l1.types import Candidate
from cuda_l1.wire.arena import Layout
from cuda_l1.wire.link import RefusalError, SlowWorkerError, WorkerGoneError


class Opponents:
    """`starts` processes of each; where that is one, another for second words."""

    def __init__(self, reference: Reference, layout: Layout, starts: int) -> None:
        self._reference, self._layout = reference, layout
        self._starts, self._most = starts, max(starts, 2) if reference.room.spare else starts
        task = reference.task
        self._eager = Candidate(task_id=task.id, code=task.source, origin="baseline", author="eager")
        self._best: Candidate | None = None
        self._speedup = 1.0
        self._eagers: list[Contender] = []
        self._rivals: list[Contender] = []
        self._met: Counter[str] = Counter()

    @property
    def rival(self) -> str:
        """The best baseline's name."""
        return self._best.author if self._best else "eager"

    def consider(self, candidate: Candidate, speedup: float, contenders: list[Contender]) -> list[Contender]:
        """`oppose` if a baseline is, by its speedup against eager, the fastest so far, and there is room."""
        room = self._reference.room
        if speedup <= self._speedup or not room.rival:
            return contenders
        self._speedup = speedup
        if room.keeps:
            return self.oppose(candidate, contenders)
        return contenders + self.oppose(candidate, [])  # one that was verified in full takes more than another

    def oppose(self, candidate: Candidate, contenders: list[Contender]) -> list[Contender]:
        """Make a baseline the rival from now on; `contenders`: its processes that there are. Returns those that have
        no more to do."""
        left, self._best, self._rivals = self._rivals, candidate, contenders
        return left

    def drop_rival(self) -> None:
        """Candidates race beside eager alone from here on, and meet the best baseline through it: there is no room."""
        if self._best is not None:
            close(self._rivals)
            self._best, self._rivals = None, []
            self._reference.have(self._reference.room._replace(rival=False))

    def prepare(self, candidate: Candidate, starts: int) -> None:
        """Have processes ready for so many more starts of the candidate. Not while the device is leased: building takes
        its time."""
        wanted = min(self._met[candidate.id] + starts, self._most)
        self._eagers, self._rivals = _living(self._eagers), _living(self._rivals)
        sides = [(self._eager, self._eagers), *([(self._best, self._rivals)] if self._best else [])]
        for side, processes in sides:
            if len(processes) < self._starts:
                processes += self._ready(side, self._starts - len(processes))
        try:
            for side, processes in sides:
                while len(processes) < wanted:
                    processes += self._ready(side, 1)
        except (CannotJudgeError, torch.OutOfMemoryError, OSError):
            self._most = self._starts  # no room for more than it takes at least
            for _, processes in sides:
                close(processes[self._starts :])
                del processes[self._starts :]

    def next(self, candidate: Candidate, *, trusted: bool) -> tuple[Contender, tuple[str, Contender] | None]:
        """Eager and the rival for the candidate's next start; no rival for a baseline."""
        number = self._met[candidate.id] % self._most
        self._met[candidate.id] += 1
        rival = (self.rival, self._rivals[number % len(self._rivals)]) if self._rivals and not trusted else None
        return self._eagers[number % len(self._eagers)], rival

    def renew(self) -> None:
        """Other processes from here on: these may not be what they were."""
        self.close()
        self._eagers, self._rivals = [], []

    def close(self) -> None:
        """End all processes."""
        close(self._eagers + self._rivals)

    def _ready(self, side: Candidate, count: int) -> list[Contender]:
        """Processes of eager, or of a baseline that was judged before."""
        is_eager = side is self._eager
        class_name = "Model" if is_eager else "ModelNew"
        try:
            begun = contender.started(side, self._reference, self._layout, count, trusted=True, class_name=class_name)
            with contextlib.ExitStack() as failed:
                failed.callback(close, begun)
                for each in begun:
                    each.finish()
                    if not is_eager:
                        each.check_briefly()
                failed.pop_all()
        except (CandidateError, RefusalError, SlowWorkerError, WorkerGoneError) as error:
            raise CannotJudgeError(f"{side.author} ran before and now fails: {type(error).__name__} {error}") from error
        return begun


def _living(contenders: list[Contender]) -> list[Contender]:
    """Those whose process runs and answers; what is left of the others, whoever killed them, is closed."""
    dead = [each for each in contenders if each.process.has_failed]
    close(dead)
    return [each for each in contenders if each not in dead]
