"""Rounds of questions to a model: several in flight, while the replies that have come are judged.

A round is one prompt with its replies and their repairs. While replies of one round are judged, the next prompt is
already on its way; `in_flight` bounds the rounds that have begun and not ended. Calls run in the caller's thread,
the judge in this one. A limit stops the asking: what is in flight by then is waited for and judged, so a budget is
overshot by no more than that. What a run was cut off from is found in the archive and taken up first.
Not covered: what a question says (attempt), what the checker is asked (hacks), the time after the last round (loop).
"""

from __future__ import annotations

import random
from collections import Counter, deque
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cuda_l1 import attempt
from cuda_l1.attempt import Question, Reply, Settings
from cuda_l1.errors import ModelError
from cuda_l1.llm import Client
from cuda_l1.search.caller import Answer, Caller
from cuda_l1.search.checker import Checker
from cuda_l1.search.run import SPENT, Run
from cuda_l1.types import Attempt, Evaluation, Exemplar, in_this_process
from cuda_l1.wording import counted

if TYPE_CHECKING:
    from cuda_l1.judge import Session


_LOOK_S = 1.0
"""How often, while nothing is to be done but to wait for an answer, it is looked at what the client has to say."""


class Asked(NamedTuple):
    """A call in flight: a question, and how many replies it may bring."""

    question: Question
    n: int


def settings_for(run: Run, session: Session) -> Settings:
    """How this run asks."""
    config, room = run.config, run.config.context_tokens
    return Settings(
        exemplars=config.exemplars,
        strategy=config.strategy,
        temperature=config.exemplar_temperature,
        width=config.bucket_width,
        language=config.language,
        device=session.config.device,
        device_name=session.environment().device,
        facts=None if config.bare else session.facts(),
        token_budget=None if room is None else room - config.max_tokens,
        prompt_dir=Path(config.prompt_dir) if config.prompt_dir else None,
    )


def question_of(run: Run, settings: Settings, number: int) -> Question:
    """The question of one round, from what the archive knows now; the same seed draws the same exemplars."""
    seed = None if run.config.seed is None else f"{run.config.seed} {number}"
    pool = [] if run.config.bare else run.archive.ranked(run.task.id, run.config_digest)
    return attempt.question(run.task, pool, round=number, rng=random.Random(seed), settings=settings)


def rounds_left(run: Run) -> list[int]:
    """The rounds of which no reply is known, from 1."""
    done = {each.round for each in run.archive.attempts(run.run_id)}
    return [number for number in range(1, run.config.rounds + 1) if number not in done]


class Rounds:
    """The rounds of one run, under one session and one caller."""

    def __init__(self, run: Run, session: Session, client: Client, caller: Caller, settings: Settings) -> None:
        self._run, self._session, self._client, self._caller = run, session, client, caller
        self._settings = settings
        self._checker = Checker(run, caller)
        # Weights in this process would run beside the judge, on the device that it measures.
        self._alone = any(map(in_this_process, (client.name, run.config.checker or "")))
        self._at_once = 1 if self._alone else run.config.in_flight
        self._left = deque(rounds_left(run))
        self._to_judge: deque[Reply] = deque()
        self._open: Counter[int] = Counter()
        """Of each round begun: its calls in flight and its replies to be judged."""
        self._samples = 0
        """Replies that calls in flight may bring."""
        self._turn: dict[str, int] = {}
        """Of each attempt, by its id: how many repairs led to it."""
        self._answered: set[str] = set()
        """Failures that were told to the model: ids of candidates, and of attempts without code."""
        self._stale, self._best = 0, run.best
        self._failure: BaseException | None = None

    def carry_on(self) -> str:
        """Ask and judge until budget, plateau or the last round, and say which it was. ModelError where the model
        failed; what it had answered by then is judged."""
        self._take_up()
        while True:
            self._tell_notes()
            if answer := self._caller.take():
                self._received(answer)
                continue
            why = self._why_no_more()
            if not why and len(self._open) < self._most_open():
                self._begin(self._left.popleft())
            elif self._to_judge and not (self._alone and self._caller.in_flight):
                self._judge(self._to_judge.popleft())
            elif self._caller.in_flight:
                if answer := self._caller.take(wait_s=_LOOK_S):
                    self._received(answer)
            elif self._failure is not None:
                raise self._failure
            else:
                return why

    def settle(self) -> None:
        """Count what came after the rounds were broken off: it is paid for, and in the archive."""
        self._tell_notes()
        while answer := self._caller.take():
            if not isinstance(answer.why, Asked):
                self._checker.received(answer)
            for reply in answer.result or () if isinstance(answer.why, Asked) else ():
                self._run.keep_attempt(reply.attempt)

    def _tell_notes(self) -> None:
        """What the client has to say, such as that it waits for its server; the caller's thread may be adding to it."""
        while self._client.notes:
            self._run.tell("model_note", note=self._client.notes.pop(0))

    def _why_no_more(self) -> str:
        if self._failure is not None:
            return str(self._failure)
        if why := self._run.spent():
            return why
        if self._stale >= self._run.config.patience:
            return f"plateau: {counted(self._stale, 'round')} without a better best"
        if self._run.attempts_left(self._samples) <= 0:
            return SPENT.format("attempts")
        return "" if self._left else "all rounds done"

    def _most_open(self) -> int:
        """One round alone tells whether a budget in money can be kept at all."""
        return 1 if self._run.limited_in_usd and not self._run.asked else self._at_once

    # Asking.

    def _begin(self, number: int) -> None:
        run = self._run
        question = question_of(run, self._settings, number)
        samples = int(min(run.config.samples, run.attempts_left(self._samples)))
        run.tell(
            "asking", round=number, rounds=run.config.rounds, samples=samples, left_out=list(question.left_out),
            exemplar_ids=list(question.exemplar_ids),
        )  # fmt: skip
        self._ask(question, samples)

    def _ask(self, question: Question, n: int) -> None:
        run = self._run
        call = attempt.ask(run.task, self._client, run.archive, question, n=n, run_id=run.run_id)
        self._open[question.round] += 1
        self._samples += n
        self._caller.start(Asked(question, n), call)

    def _received(self, answer: Answer) -> None:
        run, why = self._run, answer.why
        if not isinstance(why, Asked):
            self._checker.received(answer)
            return
        self._samples -= why.n
        if answer.error is not None:
            self._failed(why.question, answer.error)
        for reply in answer.result or ():
            run.keep_attempt(reply.attempt)
            self._queue(reply)
        if run.unpriced and run.budget.usd is not None and self._failure is None:
            self._failure = ModelError(
                f"the price of {self._client.name} is unknown, so a budget in usd cannot be kept: "
                "give one in ktok, min or attempts, and go on with --resume"
            )
        self._close(why.question.round)

    def _failed(self, question: Question, error: BaseException) -> None:
        """A repair that gets no answer is one repair less; a round that gets none ends the search."""
        if question.parent_id is not None and isinstance(error, ModelError):
            number = self._run.numbers[question.parent_id]
            self._run.tell("repair_failed", number=number, parent_id=question.parent_id, error=str(error))
        elif self._failure is None:
            self._failure = error

    def _queue(self, reply: Reply) -> None:
        made = reply.attempt
        self._turn[made.id] = self._turn_of(made)
        self._open[made.round] += 1
        self._to_judge.append(reply)

    def _turn_of(self, made: Attempt) -> int:
        return 0 if made.parent_id is None else self._turn.get(made.parent_id, 0) + 1

    def _close(self, number: int) -> None:
        """One thing less to be done in a round; with the last one it has ended."""
        self._open[number] -= 1
        if self._open[number] > 0:
            return
        del self._open[number]
        self._stale = 0 if self._run.best is not self._best else self._stale + 1
        self._best = self._run.best

    # Judging, and what follows from it.

    def _judge(self, reply: Reply) -> None:
        made, candidate, before = reply.attempt, reply.candidate, self._run.best_score
        evaluation = None
        if candidate is not None:
            evaluation = self._run.judge(self._session, candidate)
            self._checker.look_at(Exemplar(candidate=candidate, evaluation=evaluation), before)
        self._repair(made, evaluation)
        self._close(made.round)

    def _repair(self, made: Attempt, evaluation: Evaluation | None) -> None:
        """Answer a failure with its error, unless that was done, or no repair is left for it, or nothing may be asked.

        The same code fails the same way: of twins one is repaired.
        """
        run, name = self._run, made.candidate_id or made.id
        if name in self._answered or self._turn[made.id] >= run.config.repairs:
            return
        if self._failure is not None or run.spent() or run.attempts_left(self._samples) <= 0:
            return
        told = attempt.problem(made, evaluation, self._settings.prompt_dir)
        if told is None:
            return
        self._answered.add(name)
        run.tell(
            "repairing",
            number=run.numbers[made.id],
            attempt_id=made.id,
            candidate_id=made.candidate_id,
            round=made.round,
        )
        self._ask(attempt.repair(made, told, self._settings.prompt_dir), 1)

    def _take_up(self) -> None:
        """What earlier starts of this run left undone: jumps not checked, replies not judged, failures not repaired."""
        run = self._run
        self._checker.take_up()
        made = run.archive.attempts(run.run_id)
        by_id = {each.id: each for each in made}
        parents = [by_id[each.parent_id] for each in made if each.parent_id in by_id]
        self._answered |= {parent.candidate_id or parent.id for parent in parents}
        for each in made:
            candidate = run.archive.candidate(each.candidate_id) if each.candidate_id else None
            if candidate is not None and candidate.id not in run.judged:
                self._queue(Reply(each, candidate))
            else:
                self._turn[each.id] = self._turn_of(each)
                self._repair(each, run.judged.get(each.candidate_id or ""))
