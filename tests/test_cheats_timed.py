"""No other cheat earns anything, and no process is left behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import judged
import pytest
import specimens

from cuda_l1.judge import JudgeConfig

_CHEATS = [cheat for cheat in specimens.collect("cheats") if not cheat.by_values]


@pytest.fixture(scope="module")
def sessions() -> Iterator[specimens.Sessions]:
    with specimens.Sessions(JudgeConfig(effort="quick", baselines=(), build_timeout_s=60, run_timeout_s=5)) as sessions:
        yield sessions


@pytest.mark.parametrize("cheat", [judged.skipped_without_cuda(cheat) for cheat in _CHEATS])
def test_cheat_earns_nothing(sessions: specimens.Sessions, cheat: specimens.Specimen) -> None:
    judged.earns_nothing(cheat, sessions.of(cheat))
    left = _left_behind()
    assert not left, f"{len(left)} processes outlived {cheat.name}: {left}"


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
