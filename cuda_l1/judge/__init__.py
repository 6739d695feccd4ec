"""The judge: the only door is `judge(task, candidates, config)`, or a `Session` to judge many candidates of one task.

Names load on first use: a worker imports this package before it enters its sandbox, and must not bring torch along.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cuda_l1.judge.config import Effort, JudgeConfig
    from cuda_l1.judge.session import Session, judge

__all__ = ["Effort", "JudgeConfig", "Session", "judge"]


def __getattr__(name: str) -> Any:
    if name in ("Effort", "JudgeConfig"):
        from cuda_l1.judge import config

        return getattr(config, name)
    if name in ("Session", "judge"):
        from cuda_l1.judge import session

        return getattr(session, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
