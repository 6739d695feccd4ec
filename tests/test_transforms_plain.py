"""Plain candidates: the technique's own lines, and of the task's text what they need, without the forward as it was."""

import ast

import pytest
from test_transforms import FITS, check, made, task_of

from cuda_l1.transforms import Proposal, propose
from cuda_l1.types import Task

pytestmark = pytest.mark.usefixtures("slim_builds")
PLAIN = ("linear_mean_commute", "conv_bn_folding", "inplace_epilogues", "fused_pointwise")


@pytest.mark.parametrize(
    ("technique", "forward", "inputs", "init"), [next(fit for fit in FITS if fit[0] == name) for name in PLAIN]
)
def test_a_plain_candidate_computes_the_same_without_the_forward_as_it_was_written(
    technique: str, forward: str, inputs: str, init: str
) -> None:
    task = task_of(forward, inputs, init)
    (proposal,), _ = propose(task, "cpu", [technique], plain=True)
    guarded = made(task, technique).candidate.code
    assert "_as_written" in guarded
    assert "_as_written" not in proposal.candidate.code
    assert "self.training" not in proposal.candidate.code
    assert len(proposal.candidate.code) < len(guarded)
    assert ("functional as F" in proposal.candidate.code) == ("F." in proposal.candidate.code)
    check(task, proposal)


USES = """
from __future__ import annotations
import math
import warnings
import torch
from torch import nn, Tensor
from torch.nn import functional
WIDTH = 8
ROWS = WIDTH // 2
NAMED = 1.5
torch.manual_seed(0)
def scaled(x):
    return x * math.sqrt(ROWS)
class Model(nn.Module):
    factor = 3.0
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(WIDTH, WIDTH)
        self.steps = [self.first]
    def first(self, x):
        return functional.relu(x)
    def second(self, x):
        return functional.relu(scaled(x) * self.factor)
    def train(self, mode=True):
        return super().train(mode)
    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.second(self.l(self.steps[0](self.steps[0](x)))))
def get_inputs():
    return [torch.randn(ROWS, WIDTH) * NAMED]
def get_init_inputs():
    return []
"""


def forward_of(proposal: Proposal) -> list[str]:
    """The statements of a candidate's forward."""
    tree = ast.parse(proposal.candidate.code)
    forward = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "forward")
    return [ast.unparse(statement) for statement in forward.body]


@pytest.mark.parametrize(
    ("technique", "written", "rewritten"),
    [
        (
            "library_functions",
            [
                "a, b = x0.chunk(2, dim=-1)", "gate = F.celu(a, 0.67)", "b = b * torch.tanh(F.softplus(b))",
                "b += gate", "y = F.max_pool1d(b, 2, stride=1)", "return y",
            ],
            [
                "a, b = x0.chunk(2, dim=-1)", "gate = F.celu(a, alpha=0.67)", "b = F.mish(b)",
                "b = b + gate", "y = F.max_pool1d(b, 2, stride=1)", "return y",
            ],
        ),
        (  # the first `t` is needed again after the task has given its name to another value
            "common_subexpressions",
            ["t = torch.relu(x0)", "u = t + 1", "t = torch.exp(u)", "v = torch.relu(x0) * 2", "return t + u + v"],
            ["t = torch.relu(x0)", "u = t + 1", "exp = torch.exp(u)", "v = t * 2", "return exp + u + v"],
        ),
        (  # a name that means something else is not taken
            "inplace_epilogues",
            ["max = torch.tanh(x0)", "max = max * 2.0", "F = max + 1.0", "return F"],
            ["x0 = torch.tanh(x0)", "x0 = x0.mul_(2.0)", "x0 = x0.add_(1.0)", "return x0"],
        ),
        (
            "library_functions",
            [
                "parts = []", "for part in x0.chunk(2, dim=0):", "    part = part * torch.sigmoid(part)",
                "    parts.append(part)", "y = torch.cat(parts)", "return y",
            ],
            None,
        ),
    ],
)  # fmt: skip
def test_what_a_technique_leaves_alone_stays_as_it_was_written(
    technique: str, written: list[str], rewritten: list[str] | None
) -> None:
    task = task_of("\n".join(written), "[torch.randn(4, 6, 8)]")
    proposals, declined = propose(task, "cpu", [technique], plain=True)
    assert proposals, declined
    assert rewritten is None or forward_of(proposals[0]) == rewritten
    check(task, proposals[0])
    check(task, made(task, technique))


def test_what_is_made_before_all_statements_takes_no_name_that_a_statement_gives() -> None:
    forward = "t = torch.relu(x0)\ny = t * 2\nt = self.weight.abs()\nreturn y + t"
    init = "self.weight = nn.Parameter(torch.randn(8))"
    task = task_of(forward, "[torch.randn(4, 8)]", init)
    proposal = made(task, "prepared_weights")
    check(task, proposal)
    assert "t = torch.relu(x0)" in forward_of(proposal)


def test_a_plain_candidate_keeps_what_is_used_and_what_acts() -> None:
    task = Task(id="local/uses", name="uses", source=USES)
    (proposal,), _ = propose(task, "cpu", ["inplace_epilogues"], plain=True)
    code = proposal.candidate.code
    check(task, proposal)
    gone = ("math", "ROWS", "NAMED", "scaled", "second", "factor", "_as_written")
    kept = (
        "annotations",
        "warnings",
        "WIDTH = 8",
        "manual_seed",
        "def first",
        "functional.relu",
        "def train",
        "Tensor",
    )
    assert [word for word in gone if word in code] == []
    assert [word for word in kept if word not in code] == []
