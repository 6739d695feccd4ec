"""Answers of a policy to tasks, many at once, into a file: what a test of it is judged by.

Generating goes first and judging after (`cuda-l1 eval --model replies:FILE`), so that on one GPU neither disturbs the
other, and a batch holds as many tasks as fit. The questions are those of training without exemplars. A line is on the
disk as soon as its batch is done; the same file again goes on where it stopped.
Not covered: judging, and models behind a server (`cuda-l1 eval` asks them itself).
"""

from __future__ import annotations

import hashlib
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from cuda_l1 import attempt, journal, models
from cuda_l1.errors import UsageError
from cuda_l1.types import Task

Question = tuple[str, list[dict[str, str]]]


def run(
    model: str,
    tasks: Sequence[Task],
    out: Path,
    *,
    samples: int,
    temperature: float,
    max_tokens: int,
    batch: int,
    settings: attempt.Settings,
    seed: int,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Up to `samples` answers to each task; counts of what is in the file then."""
    import torch

    folder = models.find(model.removeprefix("local:"))
    asked = {
        "weights": weights_digest(folder), "samples": samples, "temperature": temperature, "max_tokens": max_tokens,
        "language": settings.language, "device": settings.device_name, "prompt_dir": str(settings.prompt_dir or ""),
    }  # fmt: skip
    asked_before(out)
    with journal.held(out, f"{out} is being written by another process: wait for it") as file:
        same_as_before(out, asked)
        weights = models.Weights(folder)
        began, written = time.monotonic(), 0
        missing = left_to_ask(tasks, samples, Counter(row["task_id"] for row in journal.lines(out)), settings)
        questions = {task_id: weights.tokens(messages) for task_id, messages in dict(missing).items()}
        too_long = {task_id for task_id, tokens in questions.items() if tokens >= weights.context}
        for task_id, _ in missing:
            if task_id in too_long:  # an answer all the same: none is what it can give
                write(file, task_id, models.Sample("", questions[task_id], 0, "length"))
        missing = [each for each in missing if each[0] not in too_long]
        torch.manual_seed(seed + samples * len(tasks) - len(missing))  # not the same noise again after a resumption
        for start in range(0, len(missing), batch):
            rows = missing[start : start + batch]
            found = weights.generate(
                [messages for _, messages in rows], temperature=temperature, max_tokens=max_tokens, timeout_s=None,
                stop=threading.Event(),
            )  # fmt: skip
            for (task_id, _), each in zip(rows, found, strict=True):
                write(file, task_id, each)
            written += sum(each.completion_tokens for each in found)
            seconds = time.monotonic() - began
            say(f"{start + len(rows)}/{len(missing)} answers, {written / seconds:.0f} tokens/s")
    return count(out)


def write(file: IO[bytes], task_id: str, sample: models.Sample) -> None:
    """One line more, as `replies:` reads it."""
    fields = sample._asdict()
    journal.append(file, {"task_id": task_id, "reply": fields.pop("text"), **fields})


def same_as_before(out: Path, asked: dict[str, Any]) -> None:
    """Keep beside the answers how they were asked for, or compare. UsageError for what would mix two policies."""
    before = asked_before(out)
    before = asked if before is None else before
    for key, value in asked.items():
        was = before.get(key)
        if was != value and not (key == "samples" and isinstance(was, int) and value > was):
            raise UsageError(
                f"{out} was begun with {key} {was!r}, now it is {value!r}: answers of both in one file would "
                "be nobody's; name another file, or remove this one"
            )
    journal.replace(out.with_suffix(".asked.json"), json.dumps(asked, indent=1) + "\n")


def asked_before(out: Path) -> dict[str, Any] | None:
    """How the answers of a file were asked for; None where it has none yet. UsageError for what holds something else
    than answers: it must not be written to."""
    if out.is_dir():
        raise UsageError(f"{out} is a folder: name a file")
    if not out.is_file() or not out.stat().st_size:
        return None
    path = out.with_suffix(".asked.json")
    try:
        before = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UsageError(
            f"{out} is there, and {path}, which says how its answers were asked for, does not read ({why}): name "
            "another file, or remove this one"
        ) from None
    return before if isinstance(before, dict) else {}


def weights_digest(folder: Path) -> str:
    """Of the files that make the policy, with its tokenizer and template."""
    found = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in (".safetensors", ".json", ".jinja", ".model", ".bin"):
            with open(path, "rb") as file:
                found.update(path.name.encode() + hashlib.file_digest(file, "sha256").digest())
    return found.hexdigest()


def left_to_ask(tasks: Sequence[Task], samples: int, done: Counter[str], settings: attempt.Settings) -> list[Question]:
    """Task id and messages of each answer that is missing, short questions first: a batch is as long as its longest."""
    asked = {task.id: attempt.question(task, (), round=1, rng=random.Random(0), settings=settings) for task in tasks}
    missing = [(name, question.messages) for name, question in asked.items() for _ in range(samples - done[name])]
    return sorted(missing, key=lambda row: sum(len(message["content"]) for message in row[1]))


def count(out: Path) -> dict[str, Any]:
    """What a file of answers holds."""
    rows = list(journal.lines(out))
    return {
        "out": str(out),
        "answers": len(rows),
        "tasks": len({row["task_id"] for row in rows}),
        "cut_off": sum(row["finish_reason"] == "length" for row in rows),
        "completion_tokens": sum(row["completion_tokens"] for row in rows),
    }
