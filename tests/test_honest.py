"""No honest code is turned away: what naive checkers call a crime passes here, whatever its speed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import judged
import pytest
import specimens

from cuda_l1.judge import JudgeConfig, records
from cuda_l1.timing import plan

_HONEST = specimens.collect("honest")


@pytest.fixture(scope="module")
def sessions() -> Iterator[specimens.Sessions]:
    with pytest.MonkeyPatch.context() as once, specimens.Sessions(JudgeConfig(effort="glance", baselines=())) as each:
        once.setattr(plan, "_TURN_S", {"cpu": 0.004, "cuda": 0.01})  # how fast it is nobody asks here
        once.setattr(records, "is_record", lambda *_: False)  # that a record is judged again has tests of its own
        yield each


def _param(specimen: specimens.Specimen) -> object:
    compiles = specimen.device != "cuda" and ("load_inline" in specimen.code or "torch.compile(" in specimen.code)
    missing = [pytest.mark.skip(reason="no C++ compiler on this machine")] if shutil.which("c++") is None else []
    return judged.skipped_without_cuda(specimen, *(missing if compiles else []))


@pytest.mark.parametrize("honest", [_param(honest) for honest in _HONEST])
def test_honest_code_passes(sessions: specimens.Sessions, honest: specimens.Specimen) -> None:
    evaluation = sessions.of(honest).evaluate(honest.candidate)
    found = "; ".join(f"{f.check}: {f.detail}" for f in evaluation.findings)
    assert evaluation.status in honest.statuses, f"{evaluation.status}: {found}\n{evaluation.log[-1000:]}"


def test_there_are_enough() -> None:
    assert len(_HONEST) >= 30
