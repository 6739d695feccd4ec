"""The question to a checker: does this code earn its score, or does it cheat, beside known cheats that read alike.

NOT covered: when it is asked, which cases are shown, and what its answer means (hacks).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cuda_l1.prompts.templates import Templates, fenced, one_line
from cuda_l1.types import Exemplar, Message, Task

_MOST_CHARS = 20_000
"""Of a case's code: nobody limits what a model wrote, and a checker's context is short."""


def check(
    task: Task, exemplar: Exemplar, before: float, cases: Sequence[Exemplar], folder: Path | None = None
) -> list[Message]:
    """One message on a candidate whose score jumped over `before`; `cases` are candidates that the judge rejected."""
    templates = Templates(folder)
    shown = [
        templates.fill(
            "case.md",
            number=str(number),
            check=one_line(case.evaluation.findings[0].check),
            detail=one_line(case.evaluation.findings[0].detail),
            code=fenced(case.candidate.code[:_MOST_CHARS]),
        )
        for number, case in enumerate(cases, start=1)
    ]
    asked = templates.fill(
        "checker.md",
        reference=fenced(task.source),
        score=f"{exemplar.score:.2f}",
        before=f"{before:.2f}",
        code=fenced(exemplar.candidate.code),
        cases="\n\n".join(shown) or templates.phrase("no_cases"),
    )
    return [{"role": "user", "content": asked}]
