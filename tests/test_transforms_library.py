"""Formulas and loops that become calls of the library, and forwards that no rewrite may touch."""

import pytest
import torch
from test_transforms import check, made, task_of

from cuda_l1.transforms import Declined, propose
from cuda_l1.types import Task

X = "[torch.randn(4, 8)]"
WEIGHTS = "self.w = nn.Parameter(torch.randn(8))\nself.b = nn.Parameter(torch.randn(8))"
NORM = """mean = x0.mean(dim=-1, keepdim=True)
var = ((x0 - mean) ** 2).mean(dim=-1, keepdim=True)
return (x0 - mean) / torch.sqrt(var + 1e-5) * self.w + self.b"""
FORMULAS = {
    "0.5 * x0 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x0 + 0.044715 * torch.pow(x0, 3.0))))": "F.gelu(x0, approx",
    "x0 * 0.5 * (1.0 + torch.erf(x0 / math.sqrt(2.0)))": "F.gelu(x0)",
    "torch.sigmoid(x0) * x0": "F.silu(",
    "x0 * (1 / (1 + torch.exp(-x0)))": "F.silu(",
    "torch.multiply(torch.tanh(F.softplus(x0)), x0)": "F.mish(",
    "x0 * torch.clamp((x0 + 3) / 6, 0, 1)": "F.hardswish(",
    "torch.exp(x0) / torch.exp(x0).sum(0, keepdim=True)": "F.softmax(x0, dim=0)",
    "(x0 - x0.mean(1, keepdim=True)) / (x0.var(1, keepdim=True, unbiased=False) + 1e-3).sqrt()": "F.layer_norm(",
    "x0 * torch.rsqrt(x0.pow(2).mean(-1, keepdim=True) + 1e-5) * self.w": "F.rms_norm(x0, (8,), self.w",
}
LOOKALIKES = [
    "x0 * torch.sigmoid(x0 + 1)",
    "x0 * torch.clamp((x0 + 3) / 6, 0, 2)",
    "0.5 * x0 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x0 + 0.05 * x0 ** 3)))",
    "(x0 - x0.mean(1, keepdim=True)) / (x0.var(1, keepdim=True) + 1e-3).sqrt()",
    "(x0 - x0.mean(0, keepdim=True)) / (x0.var(0, keepdim=True, unbiased=False) + 1e-3).sqrt()",
    "torch.exp(x0 - x0.max(0, keepdim=True)[0]) / torch.exp(x0 - x0.max(0, keepdim=True)[0]).sum(1, keepdim=True)",
]


def reason(task: Task, technique: str) -> str:
    proposals, declined = propose(task, "cpu", [technique])
    assert not proposals
    return declined[0].reason


@pytest.mark.parametrize(("formula", "call"), FORMULAS.items())
def test_formula_becomes_a_call(formula: str, call: str) -> None:
    task = task_of(f"y = {formula}\nreturn y", X, WEIGHTS)
    if formula.count("torch.exp(x0)") > 1:
        task = task_of(f"e = torch.exp(x0)\nreturn {formula.replace('torch.exp(x0)', 'e')}", X)
    proposal = made(task, "library_functions")
    assert call in proposal.candidate.code
    check(task, proposal)


def test_norm_takes_its_scale_and_shift() -> None:
    task = task_of(NORM, X, WEIGHTS)
    proposal = made(task, "library_functions")
    assert "F.layer_norm(x0, (8,), self.w, self.b, 1e-05)" in proposal.candidate.code
    check(task, proposal)


@pytest.mark.parametrize("formula", LOOKALIKES)
def test_what_only_looks_like_a_formula_stays(formula: str) -> None:
    assert "no formula" in reason(task_of(f"return {formula}", X), "library_functions")


def test_formula_whose_parts_are_used_stays() -> None:
    assert "no formula" in reason(task_of("s = torch.sigmoid(x0)\nreturn x0 * s + s", X), "library_functions")


CHUNKED = "self.x = nn.Linear(8, 20)\nself.h = nn.Linear(5, 20, bias=False)"
CELL = """    i, f, n, o = (self.x(x) + self.h(h)).chunk(4, 1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(n)
    h = torch.sigmoid(o) * torch.tanh(c)
    out.append(h)
"""


def loop(steps: str, step: str, result: str, cell: str = CELL) -> str:
    start = "h = torch.zeros(3, 5)\nc = torch.zeros(3, 5)\nout = []\n"
    return f"{start}for t in {steps}:\n    x = {step}\n{cell}return {result}"


RNN = "    h = torch.tanh(self.l(torch.cat((x, h), dim=1)))\n    out.append(self.o(h))\n"
LOOPS = [
    (loop("range(6)", "x0[:, t]", "torch.stack(out, 1), h, c"), "[torch.randn(3, 6, 8)]", CHUNKED),
    (loop("range(6)", "x0[t]", "torch.stack(out, 1)"), "[torch.randn(6, 3, 8)]", CHUNKED),
    (
        loop("range(6)", "x0[t]", "torch.stack(out)", RNN),
        "[torch.randn(6, 3, 8)]",
        "self.l = nn.Linear(13, 5)\nself.o = nn.Linear(5, 2)",
    ),
    (
        loop("range(4)", "x0[t]", "h", "    h = F.relu(self.a(x) + self.b(h))\n"),
        "[torch.randn(4, 3, 8)]",
        "self.a = nn.Linear(8, 5)\nself.b = nn.Linear(5, 5)",
    ),
]


@pytest.mark.parametrize(("forward", "inputs", "init"), LOOPS)
def test_loop_of_cells_becomes_one_call(forward: str, inputs: str, init: str) -> None:
    task = task_of(forward, inputs, init)
    proposal = made(task, "library_recurrence")
    assert "torch.lstm(" in proposal.candidate.code or "torch.rnn_" in proposal.candidate.code
    check(task, proposal)


def test_two_layers_of_cells_become_two_calls_without_a_loop() -> None:
    second = "h = torch.zeros(3, 5)\nfor t in range(4):\n    h = torch.tanh(self.a(y[t]) + self.b(h))\nreturn h"
    first = loop("range(4)", "x0[t]", "PLACE", "    h = torch.tanh(self.a(x) + self.b(h))\n    out.append(h)\n")
    task = task_of(
        first.replace("return PLACE", "y = torch.stack(out)\n" + second),
        "[torch.randn(4, 3, 5)]",
        "self.a = nn.Linear(5, 5)\nself.b = nn.Linear(5, 5)",
    )
    proposal = made(task, "library_recurrence")
    assert proposal.candidate.code.count("torch.rnn_tanh(") == 2
    assert "torch.stack" not in proposal.candidate.code.partition("def forward")[2]
    check(task, proposal)


@pytest.mark.parametrize(
    ("steps", "step", "result"),
    [
        ("range(5)", "x0[t]", "h"),
        ("reversed(range(6))", "x0[t]", "h"),
        ("range(6)", "x0[0]", "h"),
    ],
)
def test_loop_over_other_steps_stays(steps: str, step: str, result: str) -> None:
    task = task_of(loop(steps, step, result), "[torch.randn(6, 3, 8)]", CHUNKED)
    assert "no loop of LSTM" in reason(task, "library_recurrence")


def test_loop_whose_memory_is_used_stays() -> None:
    task = task_of(loop("range(6)", "x0[t]", "sum(out) + c").replace("append(h)", "append(c * 2)"),
                   "[torch.randn(6, 3, 8)]", CHUNKED)  # fmt: skip
    assert "no loop of LSTM" in reason(task, "library_recurrence")


UNTOUCHABLE = {
    "y = x0 * 2\nv = y.view(-1)\nv.add_(1)\nreturn y * 1": "again after add_",
    "x0 += 1\nreturn x0 * 1": "changes x0, an input or a weight, in place",
    "y = x0 * 2\ny[0] = 0\nreturn y + 0": "assigns to a part",
    "self.n += 1\nreturn torch.relu(torch.relu(x0)) * self.n": "sets self.n",
    "self.last = torch.relu(x0)\nreturn self.last * 1": "sets self.last",
    "return x0.floor_() * 1 if False else (x0 * 1).floor_()": "floor_, which works in place",
    "return x0 * 1 if x0.sum() > 0 else x0": "cannot trace",
    "return x0 * int(x0.sum())": "takes a number out of a tensor (line ",
    "return x0 * float(x0[0, 0])": "takes a number out of a tensor (line ",
}


@pytest.mark.parametrize(("forward", "why"), UNTOUCHABLE.items())
def test_forward_that_does_more_than_give_a_value_is_declined(forward: str, why: str) -> None:
    proposals, declined = propose(task_of(forward, X, "self.n = 0"), "cpu")
    assert proposals == []
    assert all(isinstance(each, Declined) and why in each.reason for each in declined), declined[0]


def test_work_in_place_that_nobody_sees_is_rewritten_and_right() -> None:
    forward = "y = self.r(self.l(x0))\ny += x0\nreturn F.relu(y, inplace=True).mul_(1)"
    task = task_of(forward, X, "self.l = nn.Linear(8, 8)\nself.r = nn.LeakyReLU(0.2, inplace=True)")
    proposals, _ = propose(task, "cpu", ["rewrites", "dead_operations", "inplace_epilogues"])
    assert proposals
    for proposal in proposals:
        check(task, proposal)


@pytest.mark.parametrize("both", ["(x0 > 1) | (x0 < 0)", "(x0 < 1) & (x0 > 0)", "(x0 > 1).__or__(x0 < 0)"])
def test_what_joins_flags_is_not_taken_for_work_in_place(both: str) -> None:
    task = task_of(f"unused = {both}\nreturn torch.relu(torch.relu(x0).masked_fill({both}, 0) + ({both}))", X)
    for name in ("dead_operations", "common_subexpressions", "inplace_epilogues"):
        check(task, made(task, name))


@pytest.mark.parametrize("sign", ["|", "&", "^", "+", "**", "%", "//"])
def test_what_is_joined_in_place_is_seen_by_other_names(sign: str) -> None:
    flags = "x0 > 0" if sign in "|&^" else "(x0 * 2).abs() + 1"
    task = task_of(f"m = {flags}\nn = m.view(-1)\nm {sign}= x0 < 1\nreturn torch.relu(torch.relu(n * 2.0))", X)
    assert "has changed it in place" in reason(task, "rewrites")
    seen = task_of(f"m = {flags}\nm {sign}= x0 < 9\nreturn torch.relu(torch.relu(m * 2.0))", X)
    check(seen, made(seen, "rewrites"))


@pytest.mark.parametrize(
    "called",
    ["torch.linalg.vector_norm(x0, dim=1)", "torch.linalg.qr(x0).R", "torch.fft.rfft(x0, 16).abs()",
     "torch.special.expit(x0)", "F.logsigmoid(x0)"],
)  # fmt: skip
def test_functions_of_all_of_torch_can_be_written_out(called: str) -> None:
    task = task_of(f"return {called} * {called}", X)
    proposal = made(task, "common_subexpressions")
    assert proposal.candidate.code.count(called.partition("(")[0]) == 3
    check(task, proposal)


@pytest.mark.parametrize(
    ("new", "written"),
    [
        ("torch.zeros(4, 8)", "index_add_(0, at, y)"),
        ("torch.full((4, 8), -1e9)", "scatter_reduce_(0, at[:, None].expand(4, 8), y, 'amax')"),
        ("x0.new_zeros(4, 8)", "index_put_((at,), y, accumulate=True)"),
    ],
)
def test_what_is_written_to_places_of_something_new_is_written_there_again(new: str, written: str) -> None:
    forward = f"at = x0[:, 0].long() % 4\ny = torch.relu(torch.relu(x0))\nreturn {new}.{written} * 2"
    check(task_of(forward, X), made(task_of(forward, X), "rewrites"))
    proposal = made(task_of(forward, X), "inplace_epilogues")
    assert f".{written.partition('(')[0]}(" in proposal.candidate.code.partition("def forward")[2]
    check(task_of(forward, X), proposal)


def test_what_is_written_to_places_of_an_input_is_seen() -> None:
    task = task_of("return x0.index_add_(0, x0[:, 0].long() % 4, x0 * 1) * 2", X)
    assert "changes x0" in reason(task, "rewrites")


def test_constant_arguments_are_part_of_the_graph_and_guarded() -> None:
    source = task_of("return torch.relu(torch.relu(x0)) * scale", X).source
    source = source.replace("(self, x0)", "(self, x0, scale=2.0, unused=None)")
    task = Task(id="local/constant", name="constant", source=source)
    proposal = made(task, "dead_operations")
    check(task, proposal)
    names: dict[str, object] = {}
    exec(proposal.candidate.code, names)
    x = torch.randn(4, 8)
    torch.testing.assert_close(names["ModelNew"]().eval()(x, 3.0), torch.relu(x) * 3.0)  # type: ignore[operator]


def test_view_after_channels_last() -> None:
    task = task_of("return self.c(x0).view(2, -1).sum(1)", "[torch.randn(2, 3, 9, 9)]", "self.c = nn.Conv2d(3, 4, 3)")
    check(task, made(task, "channels_last"))


LINEAR = "self.l = nn.Linear(8, 5)"
OWN = "\nself.s = nn.Parameter(torch.randn(1))\nself.bias = nn.Parameter(torch.randn({shape}))"
UP = "self.c = nn.ConvTranspose2d(4, 6, 3, 2, bias=False)\nself.n = nn.BatchNorm2d(6)"
FOLDS = [
    ("return torch.relu((self.l(x0) * 2 - self.bias) / 3)", X, LINEAR + OWN.format(shape=5)),
    ("y = self.l(x0)\nreturn self.n(1 - (y + y))", X, LINEAR + "\nself.n = nn.BatchNorm1d(5)"),
    ("return self.l(x0) * 2, self.l(x1) * 3", "[torch.randn(4, 8), torch.randn(4, 8)]", LINEAR),
    ("return self.m(self.l(x0))", X, "self.l = nn.Linear(8, 50)\nself.m = nn.Linear(50, 3)"),
    (
        "return torch.tanh(self.n(self.c(x0) * self.s + self.bias))",
        "[torch.randn(2, 4, 7, 7)]",
        UP + OWN.format(shape="6, 1, 1"),
    ),
    (
        "return self.n(self.c(x0) * self.s) - 1",
        "[torch.randn(2, 4, 7, 7, 7)]",
        "self.c = nn.Conv3d(4, 6, 3, groups=2)\nself.n = nn.BatchNorm3d(6)" + OWN.format(shape=1),
    ),
]


@pytest.mark.parametrize(("forward", "inputs", "init"), FOLDS)
def test_scale_and_shift_of_channels_go_into_the_weights(forward: str, inputs: str, init: str) -> None:
    task = task_of(forward, inputs, init)
    check(task, made(task, "affine_folding"), 1e-4)


@pytest.mark.parametrize(
    ("forward", "init"),
    [
        ("return self.l(x0) * self.s", "self.l = nn.Linear(8, 4)\nself.s = nn.Parameter(torch.randn(4, 1))"),
        ("return 2 / self.l(x0)", "self.l = nn.Linear(8, 4)"),
        ("y = self.l(x0)\nreturn y * 2 + y", "self.l = nn.Linear(8, 4)"),
        ("return self.m(self.l(x0))", "self.l = nn.Linear(8, 2)\nself.m = nn.Linear(2, 8)"),
    ],
)
def test_scale_that_is_not_of_channels_stays(forward: str, init: str) -> None:
    assert "no scale, shift" in reason(task_of(forward, X, init), "affine_folding")


def test_reductions_of_one_element_are_dead() -> None:
    forward = (
        "y = x0.sum(1, keepdim=True)\ny = torch.max(y, 1, keepdim=True)[0]\nreturn torch.logsumexp(y, 1, keepdim=True)"
    )
    task = task_of(forward, X)
    proposal = made(task, "dead_operations")
    assert "logsumexp" not in proposal.candidate.code.partition("def forward")[2]
    check(task, proposal)


def test_on_cuda_a_float32_loop_is_not_handed_to_tf32() -> None:
    task = task_of(*LOOPS[0])
    for precision, proposes in (("default", False), ("tf32", True)):
        proposals, declined = propose(task.model_copy(update={"precision": precision}), "cuda", ["library_recurrence"])
        assert bool(proposals) is proposes
        assert proposes or "TF32" in declined[0].reason
