"""What holds for every test, and the fixtures that several files take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from cuda_l1.judge import Session

settings.register_profile("untimed", deadline=None)  # a busy machine takes its time over an example
settings.load_profile("untimed")


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """A judge of the task of `linear.py`."""
    from linear import task

    from cuda_l1.judge import JudgeConfig, Session

    config = JudgeConfig(effort="quick", baselines=(), build_timeout_s=8, run_timeout_s=5)
    with Session(task(), config) as session:
        yield session
