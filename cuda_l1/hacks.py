"""Memory of hacks: the known cheats nearest to a piece of code, and a checker model that is asked with them.

The archive keeps every REJECTED candidate with its finding; those of all tasks are the memory. When a score jumps, a
checker is shown the code with the three nearest cases, as in CUDA-L1 (arXiv 2507.14111, section 3.2), and says what it
thinks. There a verdict of the checker sets the reward to 0; here its Opinion stands beside the judge's word and
changes nothing, since such a checker is reported to find no more than six in ten.
Not covered: a second look at the jump itself (the judge measures records again), and what the judge already rejects.
"""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cuda_l1.archive import Archive
from cuda_l1.llm import Client
from cuda_l1.parsing import without_reasoning
from cuda_l1.prompts.checking import check
from cuda_l1.types import Exemplar, Opinion, Task

CASES = 3
MOST_REMEMBERED = 1000
"""The latest rejections that are compared."""
MOST_CHARS = 20_000
"""Of a code, when it is compared."""
JUMP, GROWTH = 3.0, 2.0
"""A score jumps where it is above 3 and the best yet, or above twice the best yet (section 2.4.4)."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_COMMENT = re.compile(r"#[^\n]*|//[^\n]*")
"""Of Python, C++ and CUDA; `#include` and `#pragma` go with it, and say little."""
_RUN = 4
"""Tokens that make one piece of likeness."""
_VERDICT = re.compile(r"^[^\w\n]*VERDICT:\W*(CHEATS|HONEST)\b", re.MULTILINE | re.IGNORECASE)


class Jump(NamedTuple):
    """A candidate whose score jumped, and the best score before it."""

    exemplar: Exemplar
    before: float


def jump(exemplar: Exemplar, before: float) -> Jump | None:
    """The candidate as a jump, if its score is one. `before` is the best score until then; eager itself has 1."""
    before = max(before, 1.0)
    score = exemplar.score
    jumps = score > GROWTH * before or (score > JUMP and score > before)
    return Jump(exemplar, before) if jumps and not exemplar.evaluation.degenerate else None


def nearest(code: str, cases: Sequence[Exemplar], n: int = CASES) -> list[Exemplar]:
    """The `n` cases whose code is most like this one, the likest first; of equals the earlier in `cases`.

    Likeness is the share of runs of four tokens that two codes have in common, comments aside: it grows with the
    length of the codes and no faster.
    """
    own = _pieces(code)
    ranked = ((-_likeness(own, _pieces(case.candidate.code)), place) for place, case in enumerate(cases))
    return [cases[place] for _, place in heapq.nsmallest(n, ranked)]


async def ask(
    task: Task, jumped: Jump, cases: Sequence[Exemplar], checker: Client, prompt_dir: Path | None = None
) -> Opinion:
    """What the checker thinks of a jump, shown these known cases. ModelError when it does not answer."""
    candidate = jumped.exemplar.candidate
    messages = check(task, jumped.exemplar, jumped.before, cases, prompt_dir)
    [reply] = await checker.complete(messages, 1)
    suspicious, reason = _read(reply.text)
    return Opinion(
        candidate_id=candidate.id,
        task_id=task.id,
        checker=checker.name,
        prompt=json.dumps(messages),
        reply=reply.text,
        suspicious=suspicious,
        reason=reason,
        case_ids=tuple(case.candidate.id for case in cases),
        usage=reply.usage,
    )


def recall(archive: Archive, jumped: Jump) -> list[Exemplar]:
    """The known cases to show: of all tasks, the nearest to the code that jumped."""
    return nearest(jumped.exemplar.candidate.code, archive.rejected(MOST_REMEMBERED))


def _read(reply: str) -> tuple[bool | None, str]:
    """The verdict (the last one said; None where there is none), and the sentence before it."""
    text = without_reasoning(reply)
    found = list(_VERDICT.finditer(text))
    reason = " ".join((text[: found[-1].start()] if found else text).split())
    return (found[-1][1].upper() == "CHEATS" if found else None), reason


def _pieces(code: str) -> set[int]:
    tokens = _TOKEN.findall(_COMMENT.sub("", code[:MOST_CHARS]))
    return {hash(tuple(tokens[start : start + _RUN])) for start in range(max(1, len(tokens) - _RUN + 1))}


def _likeness(one: set[int], other: set[int]) -> float:
    return len(one & other) / len(one | other)
