"""No cheat earns anything: the status and the finding that its file says, never FAST, and no process left behind.

Code that is only said to earn nothing may be right and lucky: FAST twice in a row counts as a win, once does not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import specimens
import torch

from cuda_l1.judge import JudgeConfig
from cuda_l1.types import Evaluation, Status, Verdict

_CHEATS = specimens.collect("cheats")


@pytest.fixture(scope="module")
def sessions() -> Iterator[specimens.Sessions]:
    with specimens.Sessions(JudgeConfig(effort="quick", baselines=(), build_timeout_s=60, run_timeout_s=5)) as sessions:
        yield sessions


def _param(specimen: specimens.Specimen) -> object:
    absent = specimen.device == "cuda" and not torch.cuda.is_available()
    marks = [pytest.mark.gpu] if specimen.device == "cuda" else []
    marks += [pytest.mark.skip(reason="needs a CUDA device, and there is none")] if absent else []
    return pytest.param(specimen, id=specimen.name, marks=marks)


@pytest.mark.parametrize("cheat", [_param(cheat) for cheat in _CHEATS])
def test_cheat_earns_nothing(sessions: specimens.Sessions, cheat: specimens.Specimen) -> None:
    session = sessions.of(cheat)
    evaluation = session.evaluate(cheat.candidate)
    if evaluation.verdict is Verdict.FAST and not cheat.statuses:
        evaluation = session.evaluate(cheat.candidate)
    said = _said(evaluation)
    assert evaluation.verdict is not Verdict.FAST, said
    assert evaluation.status is not Status.INFRA_FAILED, f"a candidate made the judge blame itself: {said}"
    if cheat.statuses:
        assert evaluation.status in cheat.statuses, said
    if cheat.findings:
        assert evaluation.findings[0].check in cheat.findings, said
    if cheat.detail:
        assert cheat.detail in evaluation.findings[0].detail, said
    left = _left_behind()
    assert not left, f"{len(left)} processes outlived {cheat.name}: {left}"


def _said(evaluation: Evaluation) -> str:
    found = "; ".join(f"{f.check}: {f.detail}" for f in (*evaluation.findings, *evaluation.notes))
    return f"{evaluation.status} {evaluation.verdict} {evaluation.speedup} {found} {evaluation.log[-500:]}"


def _left_behind() -> list[str]:
    """Processes at home in a scratch folder of ours that is gone."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            home = os.readlink(folder / "cwd")
        except OSError:
            continue
        if f"cuda-l1-scratch-{os.getpid()}-" in home and home.endswith("(deleted)"):
            found.append(folder.name)
    return found


def test_every_class_has_cheats() -> None:
    families = {cheat.family for cheat in _CHEATS}
    assert families >= {
        "unfinished work", "replay", "batching the clock", "clock and statistics", "slowing the reference", "theft",
        "forged verdicts", "spoiled inputs", "less work", "less precision", "decoys", "cache and device state",
        "the machine",
    }  # fmt: skip
    assert len(_CHEATS) >= 45
