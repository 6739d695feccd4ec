"""The loop body, once: choose exemplars, build the question, ask, parse, store; who called judges what has code.

Every reply is in the archive as soon as it is here, before any is judged: what a model was paid for survives Ctrl-C
and kill -9. `question` and `repair` build, and run where the archive is read; `ask` only waits for the model, so that
judging can go on beside it. Search and training both go through here. Not covered: the judging (judge.Session), and
when a failed attempt deserves a repair (search).
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cuda_l1 import parsing, prompts, sampling
from cuda_l1.archive import Archive
from cuda_l1.llm import Client
from cuda_l1.replies import Completion
from cuda_l1.types import Attempt, Candidate, Evaluation, Exemplar, Label, Message, Origin, Status, Task, TaskFacts

FAILED = (Status.BUILD_FAILED, Status.CRASHED, Status.WRONG_OUTPUT, Status.TIMED_OUT, Status.REJECTED)
"""What a model can be told and may repair; INFRA_FAILED is our own fault."""
MOST_FAILURES = 4
"""Failed attempts offered to a prompt."""
TECHNIQUES: dict[Label, str] = {
    "kernel": "a kernel written for this module (CUDA, Triton or C++) that fuses what can be fused",
    "library": "a library function that does more of the work in one call",
    "graph": "a CUDA graph: one launch for the whole forward",
    "compile": "torch.compile over the module or a part of it",
    "algebra": "another formula with the same result and less work",
}
"""By the label that a candidate earns with each. `flags` and `precision` are no advice: restrictions forbid them."""


class Settings(NamedTuple):
    """How to ask."""

    exemplars: int
    strategy: sampling.Strategy
    temperature: float
    """Of the softmax over buckets."""
    width: float
    """Of a bucket, in log-score."""
    language: str
    device: str
    """`cpu` or `cuda:N`."""
    device_name: str
    facts: TaskFacts | None = None
    token_budget: int | None = None
    """Of the prompt."""
    prompt_dir: Path | None = None


class Question(NamedTuple):
    """One prompt as it will be sent."""

    messages: list[Message]
    exemplar_ids: tuple[str, ...]
    round: int
    parent_id: str | None = None
    left_out: tuple[str, ...] = ()
    """What did not fit into the token budget, in words."""


class Reply(NamedTuple):
    """One reply as the archive has it; the candidate is None where there was no code."""

    attempt: Attempt
    candidate: Candidate | None


def question(task: Task, pool: Sequence[Exemplar], *, round: int, rng: random.Random, settings: Settings) -> Question:
    """A prompt with exemplars drawn now from `pool`: what the judge said of this task, all under one config. Only those
    in a language that may be written: the others would be pages that the model cannot use."""
    any_language, allowed = settings.language == "any", ("torch", settings.language)
    chosen = sampling.choose(
        [each for each in pool if any_language or each.candidate.language in allowed],
        strategy=settings.strategy,
        n=settings.exemplars,
        rng=rng,
        temperature=settings.temperature,
        width=settings.width,
    )
    messages, left_out = prompts.build(
        task,
        chosen,
        device_name=settings.device_name,
        language=settings.language,
        folder=settings.prompt_dir,
        failures=failures(pool),
        untried=untried(pool, settings) if pool else (),
        facts=settings.facts,
        token_budget=settings.token_budget,
    )
    return Question(messages, tuple(each.candidate.id for each in chosen), round, left_out=left_out)


def failures(pool: Sequence[Exemplar]) -> list[Exemplar]:
    """What models tried and failed with, the latest first, each kind of failure once. `pool` is in the order of
    Archive.ranked: failures in the order of judging."""
    kinds: dict[tuple[str, ...], Exemplar] = {}
    for each in reversed(pool):
        if each.candidate.origin == "llm" and each.evaluation.status in FAILED:
            kind = (each.evaluation.status, *(finding.check for finding in each.evaluation.findings))
            kinds.setdefault(kind, each)
    return list(kinds.values())[:MOST_FAILURES]


def untried(pool: Sequence[Exemplar], settings: Settings) -> list[str]:
    """Techniques that fit the question and that no candidate which passed has used, in words."""
    used = {label for each in pool if each.evaluation.status is Status.PASSED for label in each.evaluation.labels}
    unfit = {"kernel"} if settings.language == "torch" else set()
    unfit |= {"graph"} if settings.device == "cpu" else set()
    return [words for label, words in TECHNIQUES.items() if label not in used | unfit]


def problem(attempt: Attempt, evaluation: Evaluation | None, prompt_dir: Path | None = None) -> str | None:
    """What the model is told of a failed attempt; None where it did not fail, where the failure is ours, and where
    nothing was said that could be repaired."""
    if attempt.parse_error is not None:
        return attempt.parse_error if attempt.reply.strip() else None
    if evaluation is None or evaluation.status not in FAILED:
        return None
    return prompts.what_went_wrong(evaluation, prompt_dir)


def repair(failed: Attempt, what_went_wrong: str, prompt_dir: Path | None = None) -> Question:
    """The conversation goes on: the failed reply and what the judge found."""
    messages = prompts.repair(json.loads(failed.prompt), failed.reply, what_went_wrong, folder=prompt_dir)
    return Question(messages, failed.exemplar_ids, failed.round, parent_id=failed.id)


async def ask(task: Task, client: Client, archive: Archive, question: Question, *, n: int, run_id: str) -> list[Reply]:
    """Up to `n` replies, parsed and kept. ModelError when there are none."""
    completions = await client.complete(question.messages, n)
    return [keep(task, question, each, archive, run_id=run_id, policy=client.name) for each in completions]


def keep(
    task: Task,
    question: Question,
    completion: Completion,
    archive: Archive,
    *,
    run_id: str,
    policy: str,
    origin: Origin = "llm",
    author: str | None = None,
) -> Reply:
    """Parse a reply and put it into the archive, and its code, if it has any; `author` is who wrote it, where that is
    more than the policy's name."""
    reply = _reply(task, question, policy, completion, origin, author or policy)
    if reply.candidate is not None:
        archive.add_candidate(reply.candidate, task)
    archive.add_attempt(reply.attempt, run_id)
    return reply


def _reply(task: Task, question: Question, policy: str, completion: Completion, origin: Origin, author: str) -> Reply:
    candidate = parse_error = None
    try:
        if completion.is_refused:
            raise parsing.ParseError(completion.trouble)
        parsed = parsing.parse(completion.text, task)
    except parsing.ParseError as error:
        parse_error = f"{error} ({completion.trouble})" if completion.trouble not in ("", str(error)) else str(error)
    else:
        candidate = Candidate(
            task_id=task.id,
            code=parsed.code,
            language=parsed.language,
            origin=origin,
            author=author,
            exemplar_ids=question.exemplar_ids,
        )
    attempt = Attempt(
        task_id=task.id,
        prompt=json.dumps(question.messages),
        reply=completion.text,
        policy=policy,
        exemplar_ids=question.exemplar_ids,
        candidate_id=candidate.id if candidate else None,
        parse_error=parse_error,
        usage=completion.usage,
        parent_id=question.parent_id,
        round=question.round,
    )
    return Reply(attempt, candidate)
