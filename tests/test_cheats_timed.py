"""No other cheat earns anything: tests that have the machine to themselves."""

from __future__ import annotations

from collections.abc import Iterator

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
