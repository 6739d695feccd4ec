"""One batch of rollouts, apart from the model: questions drawn live, answers kept and judged, advantages compared.

The training process of rank 0 draws one question for each group (`draw`), all processes answer, each keeps and judges
its own answers (`answered`, `verdicts`), and the group is compared over all processes (`advantages`).
Which candidates a question may show is decided by `known`: those in the archive when the run began, and those that
this run wrote in earlier steps. That list is part of a checkpoint, so a resumed run asks what it would have asked, and
whatever a killed one left behind in the archive is used (nothing is judged twice) but not seen before its time.
Not covered: generating (trainer), and the judging itself (judging).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from cuda_l1 import attempt, reward
from cuda_l1.archive import Archive
from cuda_l1.replies import Completion
from cuda_l1.train.judging import Settled
from cuda_l1.types import Candidate, Evaluation, Status, Task, Usage


class Judge(Protocol):
    """What rollouts need of judging.Judging."""

    @property
    def device(self) -> str: ...
    @property
    def device_name(self) -> str: ...
    def begin(self, task: Task, candidates: Sequence[Candidate]) -> None: ...
    async def settle(self) -> tuple[dict[str, Evaluation], Settled]: ...
    def digest(self, task: Task) -> str: ...


class Answer(NamedTuple):
    """One answer of the policy and what came of it; all None for a reply without code."""

    candidate_id: str | None = None
    evaluation: Evaluation | None = None

    @property
    def status(self) -> Status | None:
        return self.evaluation.status if self.evaluation else None


Advantages = Callable[[Sequence[Answer], int], list[float]]
"""From all answers of a step and the size of a group to one number an answer."""


def contrastive(measure: reward.Measure) -> Advantages:
    """Each answer against its group, as in GRPO."""

    def compare(answers: Sequence[Answer], group_size: int) -> list[float]:
        rewards = [worth(answer, measure) for answer in answers]
        groups = [rewards[start : start + group_size] for start in range(0, len(rewards), group_size)]
        return [advantage for group in groups for advantage in reward.advantages(group, measure)]

    return compare


def successes(answers: Sequence[Answer], group_size: int) -> list[float]:
    """What passed counts, nothing else does."""
    return reward.successes([answer.evaluation for answer in answers])


def worth(answer: Answer, measure: reward.Measure) -> reward.Reward | None:
    """None where the fault is ours: nobody judged the code."""
    if answer.candidate_id is None:
        return reward.NOTHING
    return reward.score(answer.evaluation, measure) if answer.evaluation else None


class Rollouts:
    """The rollouts of one training process."""

    def __init__(
        self,
        tasks: Sequence[Task],
        archive: Archive,
        judge: Judge,
        *,
        run_id: str,
        policy: str,
        settings: attempt.Settings,
        seed: int,
        measure: reward.Measure,
        compare: Advantages,
    ) -> None:
        self.tasks = {task.id: task for task in tasks}
        self.known: set[str] = set()
        """Candidates that a question may show; only rank 0's matters."""
        self.archive, self.judge, self.run_id, self.policy = archive, judge, run_id, policy
        self.settings, self.seed, self.measure, self.compare = settings, seed, measure, compare
        self._rows: list[tuple[attempt.Question, Task]] = []
        self._answers: list[attempt.Reply] = []
        self.judged: list[Answer] = []
        """This process's answers of the step, once judged."""

    def seen_so_far(self) -> set[str]:
        """Candidates of the tasks that the archive holds now."""
        pools = (self.archive.ranked(task.id, self.judge.digest(task)) for task in self.tasks.values())
        return {each.candidate.id for pool in pools for each in pool}

    def draw(self, step: int, task_ids: Sequence[str]) -> list[attempt.Question]:
        """One question for each of the step's groups, its exemplars drawn now."""
        return [self._question(step, number, self.tasks[name]) for number, name in enumerate(task_ids)]

    def _question(self, step: int, number: int, task: Task) -> attempt.Question:
        pool = []
        if self.settings.strategy != "none" and self.settings.exemplars:
            ranked = self.archive.ranked(task.id, self.judge.digest(task))
            pool = [each for each in ranked if each.candidate.id in self.known]
        # Seeded by the step: a resumed run needs no state of this generator.
        rng = random.Random(f"{self.seed} {step} {number}")
        return attempt.question(task, pool, round=step + 1, rng=rng, settings=self.settings)

    def ask(self, rows: Sequence[tuple[attempt.Question, str]]) -> None:
        """The rows that this process is about to answer: question and task id of each."""
        self._rows = [(question, self.tasks[name]) for question, name in rows]
        self._answers, self.judged = [], []

    def answered(self, texts: Sequence[str], tokens: Sequence[int], finished: Sequence[bool]) -> None:
        """Keep the answers to the next rows, and hand over to the judge what has code."""
        new: dict[str, list[Candidate]] = {}
        rows = self._rows[len(self._answers) :]
        for (asked, task), text, count, done in zip(rows, texts, tokens, finished, strict=False):
            completion = Completion(text, Usage(completion_tokens=count), "stop" if done else "length")
            reply = attempt.keep(
                task, asked, completion, self.archive, run_id=self.run_id, policy=self.policy, origin="policy"
            )
            self._answers.append(reply)
            if reply.candidate is not None:
                new.setdefault(task.id, []).append(reply.candidate)
        for name, candidates in new.items():
            self.judge.begin(self.tasks[name], candidates)

    async def verdicts(self) -> tuple[list[float | None], dict[str, float]]:
        """The reward of each answer of this process (None: left out), and figures of the batch."""
        evaluations, settled = await self.judge.settle()
        self.judged = [
            Answer(reply.candidate.id, evaluations.get(reply.candidate.id)) if reply.candidate else Answer()
            for reply in self._answers
        ]
        rewards = [worth(answer, self.measure) for answer in self.judged]
        return [None if each is None else each.value for each in rewards], figures(self.judged, settled)

    def learn(self, answers: Sequence[Answer]) -> None:
        """From the next step on these may be shown; over all processes."""
        self.known |= {answer.candidate_id for answer in answers if answer.candidate_id is not None}


def figures(answers: Sequence[Answer], settled: Settled) -> dict[str, float]:
    """Shares of a batch, each of all its answers, and what judging it cost."""
    statuses = [answer.status for answer in answers]

    def share(count: int) -> float:
        return count / len(answers) if answers else 0.0

    return {
        "success": share(statuses.count(Status.PASSED)),
        "fast": share(sum(answer.evaluation is not None and answer.evaluation.is_win for answer in answers)),
        "hacks": share(statuses.count(Status.REJECTED)),
        "no_code": share(sum(answer.candidate_id is None for answer in answers)),
        "left_out": share(sum(answer.candidate_id is not None and answer.evaluation is None for answer in answers)),
        "judged": float(settled.judged),
        "judging_s": settled.seconds,
    }


def schedule(tasks: Sequence[Task], rows: int, seed: int) -> list[str]:
    """Task ids of so many groups: every task once in a shuffled order, then once more in another, and so on."""
    rng = random.Random(seed)
    names: list[str] = []
    while len(names) < rows:
        names += rng.sample([task.id for task in tasks], len(tasks))
    return names[:rows]


def as_columns(names: Sequence[str]) -> dict[str, list[Any]]:
    """The schedule as TRL wants a data set: the prompt is a placeholder, the question is drawn when it is asked."""
    return {"prompt": [[{"role": "user", "content": name}] for name in names], "task_id": list(names)}
