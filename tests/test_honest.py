"""No honest code is turned away: what naive checkers call a crime passes here, whatever its speed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
import specimens
import torch

from cuda_l1.judge import JudgeConfig

_HONEST = specimens.collect("honest")


@pytest.fixture(scope="module")
def sessions() -> Iterator[specimens.Sessions]:
    with specimens.Sessions(JudgeConfig(effort="quick", baselines=())) as sessions:
        yield sessions


def _param(specimen: specimens.Specimen) -> object:
    marks = []
    if specimen.device == "cuda":
        marks.append(pytest.mark.gpu)
        if not torch.cuda.is_available():
            marks.append(pytest.mark.skip(reason="needs a CUDA device, and there is none"))
    elif ("load_inline" in specimen.code or "torch.compile(" in specimen.code) and shutil.which("c++") is None:
        marks.append(pytest.mark.skip(reason="no C++ compiler on this machine"))
    return pytest.param(specimen, id=specimen.name, marks=marks)


@pytest.mark.parametrize("honest", [_param(honest) for honest in _HONEST])
def test_honest_code_passes(sessions: specimens.Sessions, honest: specimens.Specimen) -> None:
    evaluation = sessions.of(honest).evaluate(honest.candidate)
    found = "; ".join(f"{f.check}: {f.detail}" for f in evaluation.findings)
    assert evaluation.status in honest.statuses, f"{evaluation.status}: {found}\n{evaluation.log[-1000:]}"


def test_there_are_enough() -> None:
    assert len(_HONEST) >= 30
