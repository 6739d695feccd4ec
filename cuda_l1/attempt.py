"""The loop body, once: choose exemplars, ask, parse, judge, store.

`ask` is the part that waits for a model; `settle` makes of one reply an Attempt with its Evaluation, in the archive
before it returns. Search and training both go through here.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from cuda_l1 import parsing, prompts, sampling
from cuda_l1.archive import Archive
from cuda_l1.llm import Client, Completion
from cuda_l1.types import Attempt, Candidate, Evaluation, Task

BUCKET_WIDTH = 0.1
"""In log-score: buckets a tenth apart (the paper gives no width)."""
SOFTMAX_TEMPERATURE = 1.0

Judge = Callable[[Candidate], Evaluation]
"""Judges a candidate and keeps the evaluation, or finds that a twin has been judged."""


class Question(NamedTuple):
    """What was asked, of whom, and with which exemplars."""

    prompt: str
    exemplar_ids: tuple[str, ...]
    policy: str


class Settings(NamedTuple):
    """How to ask."""

    samples: int
    exemplars: int
    strategy: sampling.Strategy
    language: str
    device_name: str
    prompt_dir: Path | None = None


async def ask(
    task: Task, client: Client, archive: Archive, config_digest: str, rng: random.Random, settings: Settings
) -> tuple[Question, list[Completion]]:
    """One prompt with exemplars drawn now, and the model's replies. ModelError when there are none."""
    chosen = sampling.choose(
        archive.ranked(task.id, config_digest),
        strategy=settings.strategy,
        n=settings.exemplars,
        rng=rng,
        temperature=SOFTMAX_TEMPERATURE,
        width=BUCKET_WIDTH,
    )
    messages = prompts.build(
        task, chosen, device_name=settings.device_name, language=settings.language, folder=settings.prompt_dir
    )
    completions = await client.complete(messages, settings.samples)
    ids = tuple(exemplar.candidate.id for exemplar in chosen)
    return Question(json.dumps(messages), ids, client.name), completions


def settle(
    task: Task, question: Question, completion: Completion, judge: Judge, archive: Archive, run_id: str
) -> tuple[Attempt, Evaluation | None]:
    """Parse one reply, judge its code, keep both. The evaluation is None where there was no code."""
    evaluation = None
    candidate_id = parse_error = None
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
            origin="llm",
            author=question.policy,
            exemplar_ids=question.exemplar_ids,
        )
        candidate_id = candidate.id
        evaluation = judge(candidate)
    attempt = Attempt(
        task_id=task.id,
        prompt=question.prompt,
        reply=completion.text,
        policy=question.policy,
        exemplar_ids=question.exemplar_ids,
        candidate_id=candidate_id,
        parse_error=parse_error,
        usage=completion.usage,
    )
    archive.add_attempt(attempt, run_id)
    return attempt, evaluation
