"""The judge: the only door is `judge(task, candidates, config)`, or a `Session` to judge many candidates of one task.

Names load on first use: who asks for a `pool` alone loads no torch, and neither does `cuda-l1 --help`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cuda_l1.judge.session import Session
    from cuda_l1.judge_config import JudgeConfig
    from cuda_l1.types import Candidate, Evaluation, Task

__all__ = ["JudgeConfig", "Session", "judge"]


def judge(task: Task, candidates: Sequence[Candidate], config: JudgeConfig) -> list[Evaluation]:
    """Judge candidates of one task, in order. The only door into this package for one-off use.

    TaskError when the task itself does not run; CannotJudgeError without the device asked for.
    """
    from cuda_l1.extensions import inline
    from cuda_l1.judge.session import Session
    from cuda_l1.judge_config import HEADERS

    if config.device != "cpu" and any("load_inline" in candidate.code for candidate in candidates):
        inline.warm_ahead(HEADERS)  # on a CPU it would slow what is timed there
    with Session(task, config) as session:
        return [session.evaluate(candidate) for candidate in candidates]


def __getattr__(name: str) -> Any:
    if name == "JudgeConfig":
        from cuda_l1 import judge_config

        return getattr(judge_config, name)
    if name == "Session":
        from cuda_l1.judge import session

        return getattr(session, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
