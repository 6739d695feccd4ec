"""No cheat earns anything."""

from __future__ import annotations

from collections.abc import Iterator

import judged
import pytest
import specimens

from cuda_l1.judge import JudgeConfig

_CHEATS = specimens.collect("cheats")


@pytest.fixture(scope="module")
def sessions() -> Iterator[specimens.Sessions]:
    with specimens.Sessions(JudgeConfig(effort="quick", baselines=(), build_timeout_s=60, run_timeout_s=3)) as sessions:
        yield sessions


@pytest.mark.parametrize("cheat", [judged.skipped_without_cuda(cheat) for cheat in _CHEATS])
def test_cheat_earns_nothing(sessions: specimens.Sessions, cheat: specimens.Specimen) -> None:
    judged.earns_nothing(cheat, sessions.of(cheat))


def test_every_class_has_cheats() -> None:
    families = {cheat.family for cheat in _CHEATS}
    assert families >= {
        "unfinished work", "replay", "batching the clock", "clock and statistics", "slowing the reference", "theft",
        "forged verdicts", "spoiled inputs", "less work", "less precision", "decoys", "cache and device state",
        "the machine",
    }  # fmt: skip
    assert len(_CHEATS) >= 45
