"""What becomes of a cheat in a test, and which specimens need a GPU."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import specimens
import torch

from cuda_l1.judge import Session
from cuda_l1.types import Evaluation, Status, Verdict


def skipped_without_cuda(specimen: specimens.Specimen, *more: pytest.MarkDecorator) -> Any:
    """A parameter of a test, skipped where the specimen needs a GPU and there is none; with `more` marks, and one where
    its session has all cores."""
    absent = specimen.device == "cuda" and not torch.cuda.is_available()
    marks = [*more, pytest.mark.gpu] if specimen.device == "cuda" else [*more]
    marks += [pytest.mark.all_cores] if specimen.device == "cpu" and specimen.starts_others else []
    marks += [pytest.mark.skip(reason="needs a CUDA device, and there is none")] if absent else []
    return pytest.param(specimen, id=specimen.name, marks=marks)


def earns_nothing(cheat: specimens.Specimen, session: Session) -> None:
    """AssertionError unless the status and the finding are those that its file says, it is not FAST, and no process is
    left behind. Code that is only said to earn nothing may be right and lucky, and a cheat may stumble over a check
    before its own: what happens twice in a row counts. One with a status that is FAST, or blamed on the judge, fails at
    once."""
    evaluation = session.evaluate(cheat.candidate)
    failed = evaluation.status is Status.INFRA_FAILED or (bool(cheat.statuses) and evaluation.verdict is Verdict.FAST)
    if not failed and not _as_said(cheat, evaluation):
        evaluation = session.evaluate(cheat.candidate)
    found = "; ".join(f"{f.check}: {f.detail}" for f in (*evaluation.findings, *evaluation.notes))
    assert _as_said(cheat, evaluation), (
        f"{evaluation.status} {evaluation.verdict} {evaluation.speedup} {found} {evaluation.log[-500:]}"
    )
    left = _left_behind()
    assert not left, f"{len(left)} processes outlived {cheat.name}: {left}"


def _as_said(cheat: specimens.Specimen, evaluation: Evaluation) -> bool:
    """Whether a cheat earned nothing, by the status, the finding and the words that its file says. One that does not
    build has tried nothing, unless that is what its file says of it."""
    if evaluation.verdict is Verdict.FAST or evaluation.status is Status.INFRA_FAILED:
        return False
    if evaluation.status not in (cheat.statuses or set(Status) - {Status.BUILD_FAILED}):
        return False
    first = evaluation.findings[0] if evaluation.findings else None
    if cheat.findings and (first is None or first.check not in cheat.findings):
        return False
    return not cheat.detail or (first is not None and cheat.detail in first.detail)


def _left_behind() -> list[str]:
    """Processes at home in a scratch folder of ours that is gone."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            home = os.readlink(folder / "cwd")
        except OSError:
            continue
        if f"cuda-l1-worker-{os.getpid()}-" in home and home.endswith("(deleted)"):
            found.append(folder.name)
    return found
