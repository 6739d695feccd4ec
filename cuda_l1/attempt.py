"""The loop body, once: choose exemplars, ask, parse, store; what has code is then judged by who called.

Every reply is in the archive before any is judged: what a model was paid for survives Ctrl-C and kill -9, and
`unjudged` finds it again. Search and training both go through here. Not covered: the judging (judge.Session).
"""

from __future__ import annotations

import json
import random
from collections.abc import Container, Sequence
from pathlib import Path
from typing import NamedTuple

from cuda_l1 import parsing, prompts, sampling
from cuda_l1.archive import Archive
from cuda_l1.llm import Client, Completion, Message
from cuda_l1.types import Attempt, Candidate, Exemplar, Origin, Task

BUCKET_WIDTH = 0.1
"""In log-score: buckets a tenth apart (the paper gives no width)."""
SOFTMAX_TEMPERATURE = 1.0


class Question(NamedTuple):
    """A prompt as it is sent, and the exemplars that it shows."""

    messages: list[Message]
    exemplar_ids: tuple[str, ...]
    round: int = 0


class Reply(NamedTuple):
    """One reply as the archive has it; the candidate is None where there was no code."""

    attempt: Attempt
    candidate: Candidate | None


class Settings(NamedTuple):
    """How to ask."""

    exemplars: int
    strategy: sampling.Strategy
    language: str
    device_name: str
    prompt_dir: Path | None = None
    temperature: float = SOFTMAX_TEMPERATURE
    """Of the softmax over exemplars."""
    width: float = BUCKET_WIDTH


async def ask(
    task: Task,
    client: Client,
    archive: Archive,
    *,
    n: int,
    run_id: str,
    config_digest: str,
    rng: random.Random,
    settings: Settings,
) -> list[Reply]:
    """One prompt with exemplars drawn now, and up to `n` replies, parsed and kept. ModelError when there are none.

    `config_digest` says which of the task's evaluations are comparable here.
    """
    asked = question(task, archive.ranked(task.id, config_digest), round=0, rng=rng, settings=settings)
    completions = await client.complete(asked.messages, n)
    return [keep(task, asked, each, archive, run_id=run_id, policy=client.name) for each in completions]


def question(task: Task, pool: Sequence[Exemplar], *, round: int, rng: random.Random, settings: Settings) -> Question:
    """A prompt with exemplars drawn from the pool."""
    chosen = sampling.choose(
        pool,
        strategy=settings.strategy,
        n=settings.exemplars,
        rng=rng,
        temperature=settings.temperature,
        width=settings.width,
    )
    messages = prompts.build(
        task, chosen, device_name=settings.device_name, language=settings.language, folder=settings.prompt_dir
    )
    return Question(messages, tuple(exemplar.candidate.id for exemplar in chosen), round)


def keep(
    task: Task,
    asked: Question,
    completion: Completion,
    archive: Archive,
    *,
    run_id: str,
    policy: str,
    origin: Origin = "llm",
) -> Reply:
    """Parse a reply and put it into the archive, and its code, if it has any."""
    reply = _reply(task, asked, policy, completion, origin)
    if reply.candidate is not None:
        archive.add_candidate(reply.candidate, task)
    archive.add_attempt(reply.attempt, run_id)
    return reply


def unjudged(archive: Archive, run_id: str, judged: Container[str]) -> list[Candidate]:
    """Candidates that a run was given by a model and that are not among the ids in `judged`, in the order of asking."""
    asked = dict.fromkeys(each.candidate_id for each in archive.attempts(run_id))
    found = [archive.candidate(name) for name in asked if name is not None and name not in judged]
    return [candidate for candidate in found if candidate is not None]


def _reply(task: Task, asked: Question, policy: str, completion: Completion, origin: Origin) -> Reply:
    candidate = parse_error = None
    try:
        parsed = parsing.parse(completion.text, task)
    except parsing.ParseError as error:
        cut = " (the reply was cut off at the token limit)" if completion.finish_reason == "length" else ""
        parse_error = f"{error}{cut}"
    else:
        candidate = Candidate(
            task_id=task.id,
            code=parsed.code,
            language=parsed.language,
            origin=origin,
            author=policy,
            exemplar_ids=asked.exemplar_ids,
        )
    attempt = Attempt(
        task_id=task.id,
        prompt=json.dumps(asked.messages),
        reply=completion.text,
        policy=policy,
        exemplar_ids=asked.exemplar_ids,
        candidate_id=candidate.id if candidate else None,
        parse_error=parse_error,
        usage=completion.usage,
    )
    return Reply(attempt, candidate)
