"""Records as tests need them: real ones, with the few fields that a test is about."""

import math
from typing import Any

from cuda_l1.types import Candidate, Environment, Evaluation, Interval, Speedup, Status, Task, Verdict

ENVIRONMENT = Environment(
    device="cpu", arch="x86_64", torch="2.13.0", python="3.11.7", threads=2, sandbox="rlimits", judge_version="1"
)
SOURCE = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)

def get_inputs():
    return [torch.randn(8)]

def get_init_inputs():
    return []
"""


def make_task(id: str = "local/relu", source: str = SOURCE, **fields: Any) -> Task:
    return Task(id=id, name="Relu", source=source, **fields)


def make_candidate(
    task: Task, code: str = "class ModelNew: pass", origin: Any = "transform", **fields: Any
) -> Candidate:
    return Candidate(task_id=task.id, code=code, origin=origin, **fields)


def make_evaluation(candidate: Candidate, status: Status = Status.PASSED, **fields: Any) -> Evaluation:
    """PASSED is SAME with three times, unless the fields say otherwise."""
    if status is Status.PASSED:
        fields = {"verdict": Verdict.SAME, "times_us": (10.0, 11.0, 12.0)} | fields
    return Evaluation(
        candidate_id=candidate.id, task_id=candidate.task_id, status=status, seed=7, environment=ENVIRONMENT, **fields
    )


def make_win(candidate: Candidate, value: float, *, eager: float | None = None, **fields: Any) -> Evaluation:
    """FAST by `value` against compile and by `eager` (the same, if not given) against eager, each within 1%."""
    eager = value if eager is None else eager
    return make_evaluation(
        candidate,
        speedup=Speedup(value=value, lo=value * 0.99, hi=value * 1.01, vs="compile"),
        speedup_eager=Interval(value=eager, lo=eager * 0.99, hi=eager * 1.01),
        **{"verdict": Verdict.FAST} | fields,
    )


def within(value: float, share: float) -> Interval:
    """A factor whose logarithm is known to plus or minus `share`."""
    return Interval(value=value, lo=value * math.exp(-share), hi=value * math.exp(share))
