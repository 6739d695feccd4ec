"""The judge: the only door is `judge(task, candidates, config)`, or a `Session` to judge many candidates of one task.

Names load on first use: who asks for a `pool` alone loads no torch, and neither does `cuda-l1 --help`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cuda_l1.judge.session import Session, judge
    from cuda_l1.judge_config import JudgeConfig

__all__ = ["JudgeConfig", "Session", "judge"]


def __getattr__(name: str) -> Any:
    if name == "JudgeConfig":
        from cuda_l1 import judge_config

        return getattr(judge_config, name)
    if name in ("Session", "judge"):
        from cuda_l1.judge import session

        return getattr(session, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
