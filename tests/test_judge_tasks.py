"""Tasks under the judge: degenerate ones, and those that are the user's error."""

from __future__ import annotations

import pytest
import torch
from linear import LINEAR, rewrite, task

from cuda_l1 import verdict
from cuda_l1.correctness import preparation
from cuda_l1.errors import CannotJudgeError, TaskError
from cuda_l1.judge import JudgeConfig, Session, judge
from cuda_l1.types import Status, Verdict

CONSTANT = LINEAR.replace("return torch.relu(self.fc(x))", "return torch.clamp(torch.relu(self.fc(x)), max=0.0)")


def test_constant_output_is_degenerate_and_no_win() -> None:
    candidate = rewrite("return torch.clamp(torch.relu(self.fc(x)), max=0.0)", "return torch.zeros_like(x)", CONSTANT)
    (evaluation,) = judge(task(CONSTANT), [candidate], JudgeConfig(effort="quick", baselines=()))
    assert evaluation.status is Status.PASSED
    assert evaluation.degenerate
    assert evaluation.verdict is not Verdict.FAST
    assert "degenerate_task" in [note.check for note in evaluation.notes]


PRODUCTS = LINEAR.replace("return torch.relu(self.fc(x))", "return x.abs().repeat(1, 32).cumprod(1)")


@pytest.mark.slow
def test_a_network_whose_norms_let_nothing_through_is_told_of_train_mode() -> None:
    body = "self.fc = nn.Sequential(*[each for _ in range(24) for each in (nn.Linear(n, n), nn.BatchNorm1d(n))])"
    source = LINEAR.replace("self.fc = nn.Linear(n, n)", body)
    with Session(task(source), JudgeConfig(effort="glance", baselines=())) as session:
        assert "--mode train" in session.reference.notes[-1].detail
    with Session(task(source, mode="train"), JudgeConfig(effort="glance", baselines=())) as session:
        assert not session.degenerate


def test_an_output_most_of_which_is_too_small_to_be_checked_is_degenerate() -> None:
    config = JudgeConfig(effort="glance", baselines=())
    (evaluation,) = judge(task(PRODUCTS), [rewrite(source=PRODUCTS)], config)
    assert evaluation.status is Status.PASSED
    assert evaluation.degenerate
    (note,) = [note for note in evaluation.notes if note.check == "degenerate_task"]
    assert "too small beside the rest" in note.detail
    triangle = LINEAR.replace("return torch.relu(self.fc(x))", "return self.fc(x).diag_embed()")
    (evaluation,) = judge(task(triangle), [rewrite(source=triangle)], config)
    assert evaluation.status is Status.PASSED
    assert not evaluation.degenerate, "zeros of an output's structure are no reason"


def test_nobody_wins_where_a_state_cannot_be_given_otherwise_and_that_is_said_to_be_why() -> None:
    """What a candidate makes of it once is right for ever, and no longer timing would tell."""
    extra = "    def get_extra_state(self):\n        return {'kept': torch.ones(1)}\n"
    extra += "    def set_extra_state(self, state):\n        pass\n"
    loop, end = "        for _ in range(40):\n            self.fc(x)\n", "        return torch.relu"
    slow = LINEAR.replace("    def forward", extra + "    def forward").replace(end, loop + end)
    [evaluation] = judge(task(slow), [rewrite(loop, "", slow)], JudgeConfig(effort="glance", baselines=()))
    assert (evaluation.status, evaluation.verdict) == (Status.PASSED, Verdict.AMBIGUOUS), evaluation.findings
    assert evaluation.speedup is not None
    assert evaluation.speedup.lo > 2
    assert "extra_state" in {note.check for note in evaluation.notes}
    assert not any(line.startswith("next ") for line in verdict.lines(task(slow), evaluation, None, None))


CENTERS = LINEAR.replace(
    "return torch.relu(self.fc(x))",
    "return self.fc.weight[(x.square().sum(1, keepdim=True) + 2e5 - x @ self.fc.weight.t()).argmin(1)]",
)


def test_a_few_that_are_chosen_otherwise_make_no_task_degenerate() -> None:
    """One row of a few hundred is a twentieth of an output in the norm, and float32 may not say which is nearest."""
    for seed in (2, 4, 9):  # the first draw of each has such a row
        with Session(task(CENTERS), JudgeConfig(effort="glance", baselines=(), seed=seed)) as session:
            assert not session.degenerate, session.reference.notes


def test_zeros_by_chance_make_no_task_degenerate() -> None:
    few = LINEAR.replace("return torch.relu(self.fc(x))", "return torch.relu(x[0, :8] - 0.5)")
    for seed in (18, 29, 40, 51):  # most of eight numbers are zero on the first two inputs of each
        with Session(task(few), JudgeConfig(effort="glance", baselines=(), seed=seed)) as session:
            session.baselines({})
            assert not session.degenerate


def test_rounding_noise_is_degenerate() -> None:
    source = LINEAR.replace(
        "return torch.relu(self.fc(x))", "y = self.fc(x)\n        return y.cos() ** 2 + y.sin() ** 2 - 1"
    )
    candidate = rewrite("y.cos() ** 2 + y.sin() ** 2 - 1", "torch.zeros_like(y)", source)
    (evaluation,) = judge(task(source), [candidate], JudgeConfig(effort="quick", baselines=()))
    assert evaluation.degenerate
    assert evaluation.verdict is not Verdict.FAST
    assert any("rounding noise" in note.detail for note in evaluation.notes)


def test_one_of_several_outputs_that_is_rounding_noise_is_named() -> None:
    two = LINEAR.replace("return torch.relu(self.fc(x))", "return x, x.cos() ** 2 + x.sin() ** 2 - 1")
    with Session(task(two), JudgeConfig(effort="glance", baselines=())) as session:
        assert any("output 1 is rounding noise" in note.detail for note in session.reference.notes)


def test_inputs_that_are_the_same_each_time_are_said_to_be_why() -> None:
    seeded = LINEAR.replace("    return [torch.randn(32", "    torch.manual_seed(0)\n    return [torch.randn(32")
    with Session(task(seeded), JudgeConfig(effort="glance", baselines=())) as session:
        assert session.degenerate
        assert any("the same values each time" in note.detail for note in session.reference.notes)


TASKS = {
    "source does not import": (
        LINEAR.replace("import torch\n", "import torch\nimport no_such_module\n"),
        "no_such_module",
    ),
    "get_inputs raises": (
        LINEAR.replace("return [torch.randn(32, 64)]", "return [torch.randn(32, bad)]"),
        "get_inputs() raised: NameError",
    ),
    "forward raises": (LINEAR.replace("randn(32, 64)", "randn(32, 65)"), "Model.forward raised"),
    "output is no tensor": (
        LINEAR.replace("return torch.relu(self.fc(x))", "return 1.5"),
        "forward returned no tensor",
    ),
    "a number hangs on values": (
        LINEAR.replace("torch.relu(self.fc(x))", "torch.relu(self.fc(x)), x.max().item()"),
        "numbers that do it may return as tensors",
    ),
    "no Model": (LINEAR.replace("class Model(", "class Other("), "no class Model"),
    "source exits": (LINEAR + "\nraise SystemExit('no GPU')\n", "SystemExit: no GPU (line"),
    "source ends the process": (LINEAR + "\nimport os; os._exit(0)\n", "own code ended the process that ran it"),
    "forward crashes": (LINEAR.replace("return torch.relu", "__import__('ctypes').string_at(0)"), "crashes on its own"),
    "source crashes": (LINEAR + "\nimport os; os.abort()\n", "crashes on its own inputs, or before"),
    "forward ends the process": (LINEAR.replace("return torch.relu", "__import__('os')._exit(5)"), "with code 5"),
    "inputs exit": (LINEAR.replace("return [torch.randn", "raise SystemExit(3); return [torch.randn"), "SystemExit: 3"),
    "inputs are no list": (
        LINEAR.replace("return [torch.randn(32, 64)]", "return torch.randn(32, 64)"),
        "a list was expected",
    ),
    "inputs are other numbers each time": (
        LINEAR.replace("[torch.randn(32, 64)]", "[torch.randn(32, 64), torch.rand(()).item()]"),
        "as a tensor, a number too",
    ),
    "inputs are sparse": (
        LINEAR.replace("[torch.randn(32, 64)]", "[torch.eye(64).to_sparse()]"),
        "give indices and values, and make it in forward",
    ),
    "arguments are missing": (LINEAR.replace("return [64]", "return []"), "gives the constructor's arguments"),
    "output hangs on values": (LINEAR.replace("torch.relu(self.fc(x))", "x[x > 0]"), "returns hangs on values"),
    "nothing is returned": (LINEAR.replace("return torch.relu(self.fc(x))", "x.relu_()"), "have it return as one what"),
    "gradients are asked for": (
        LINEAR.replace("torch.relu(self.fc(x))", "torch.autograd.grad(self.fc(x).sum(), x)"),
        "calls run without gradients",
    ),
    "reference is random": (LINEAR.replace("torch.relu(self.fc(x))", "torch.rand_like(x)"), "it is random"),
    "reference draws what it chooses": (
        LINEAR.replace("torch.relu(self.fc(x))", "torch.multinomial(self.fc(x).softmax(-1), 1)"),
        "have it take what it draws as an input",
    ),
    "reference keeps a state": (
        LINEAR.replace(
            "        return torch.relu(self.fc(x))",
            "        self.hidden = torch.tanh(self.fc(x + getattr(self, 'hidden', torch.zeros_like(x))))\n"
            "        return self.hidden",
        ),
        "it keeps a state",
    ),
    "reference drifts call by call": (
        LINEAR.replace(
            "        self.fc =", "        self.register_buffer('steps', torch.zeros(()))\n        self.fc ="
        ).replace(
            "        return torch.relu(self.fc(x))",
            "        self.steps += 1\n        return torch.relu(self.fc(x)) * (1 - self.steps / 20000)",
        ),
        "it keeps a state",
    ),
    "reference draws its first state": (
        LINEAR.replace("        self.fc =", "        self.hidden = torch.randn(32, n)\n        self.fc =").replace(
            "        return torch.relu(self.fc(x))",
            "        self.hidden = torch.tanh(self.fc(x + self.hidden))\n        return self.hidden",
        ),
        "it keeps a state",
    ),
    "reference keeps its last input": (
        LINEAR.replace(
            "        return torch.relu(self.fc(x))",
            "        last, self.last = getattr(self, 'last', x), x.clone()\n"
            "        return torch.relu(self.fc(x)) + last",
        ),
        "otherwise after one on other inputs (input set 1)",
    ),
    "reference reads the row that it wrote": (
        LINEAR.replace(
            "        self.fc =", "        self.register_buffer('rows', torch.zeros(9, n))\n        self.fc ="
        )
        .replace(
            "        return torch.relu(self.fc(x))",
            "        self.rows[at] = x[0]\n        return torch.relu(self.fc(x)) + self.rows.sum(0)",
        )
        .replace("forward(self, x)", "forward(self, x, at)")
        .replace("return [torch.randn(32, 64)]", "return [torch.randn(32, 64), torch.zeros(1, dtype=torch.long)]"),
        "otherwise after one on other inputs",
    ),
    "reference is random and keeps a state": (
        LINEAR.replace(
            "        return torch.relu(self.fc(x))",
            "        self.hidden = torch.rand_like(x) + getattr(self, 'hidden', 0)\n        return self.hidden",
        ),
        "it is random",
    ),
}


def test_a_scale_that_lets_nothing_through_is_named() -> None:
    small = LINEAR.replace(
        "        self.fc =", "        self.gamma = nn.Parameter(torch.full((n,), 1e-5))\n        self.fc ="
    )
    small = small.replace("torch.relu(self.fc(x))", "1 + torch.relu(self.fc(x)) * self.gamma.mean()")
    with Session(task(small), JudgeConfig(effort="glance", baselines=())) as session:
        (note,) = (each.detail for each in session.reference.notes if each.check == "degenerate_task")
    assert "(next to nothing as it is made: gamma; have __init__ draw larger ones)" in note


@pytest.mark.parametrize("name", TASKS)
def test_bad_task_is_the_users_error(name: str) -> None:
    source, words = TASKS[name]
    with pytest.raises(TaskError, match=words.replace("(", r"\(").replace(")", r"\)")):
        judge(task(source), [], JudgeConfig(effort="quick", baselines=()))


def test_what_the_judge_fails_at_by_itself_is_not_called_the_tasks_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        torch.zeros(2) + torch.zeros(3)

    monkeypatch.setattr(preparation, "_prepare", fails)
    with pytest.raises(CannotJudgeError, match="the judge itself failed while it prepared") as raised:
        judge(task(), [], JudgeConfig(device="cpu", effort="glance", baselines=()))
    assert "reference" not in str(raised.value)


ODD = {
    "no maximum of 16 bits without a sign": (
        "return x * (1 - m.float()) + i.to(torch.int32).float()",
        "randint(9, (32, 64)).to(torch.uint16), torch.zeros(32, 64, dtype=torch.int64)",
    ),
    "no arithmetic in 8 bits, and no float64": (
        "return (x @ i.float()).round() + m",
        "randn(64, 64).to(torch.float8_e4m3fn), torch.zeros(64)",
    ),
    "no elements": ("return self.fc(x) + i.sum() + m", "zeros(0, 8), torch.zeros(64)"),
}


@pytest.mark.parametrize("name", ODD)
def test_inputs_of_odd_types_can_be_judged(name: str) -> None:
    forward, inputs = ODD[name]
    source = LINEAR.replace("forward(self, x)", "forward(self, x, i, m)")
    source = source.replace("return torch.relu(self.fc(x))", forward)
    source = source.replace("return [torch.randn(32, 64)]", f"return [torch.randn(32, 64), torch.{inputs}]")
    (evaluation,) = judge(task(source), [rewrite(source=source)], JudgeConfig(effort="glance", baselines=()))
    assert evaluation.status is Status.PASSED, evaluation.findings


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "uint16", "uint32", "uint64"])
def test_wrong_outputs_of_odd_types_are_wrong(dtype: str) -> None:
    source = LINEAR.replace("return torch.relu(self.fc(x))", f"return (9 * self.fc(x).abs()).long().to(torch.{dtype})")
    wrong = rewrite("9 *", "11 *", source=source)
    (evaluation,) = judge(task(source), [wrong], JudgeConfig(effort="glance", baselines=()))
    assert (evaluation.status, evaluation.findings[0].check) == (Status.WRONG_OUTPUT, "error")


def test_missing_device_cannot_be_judged_on() -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has a CUDA device")
    with pytest.raises(CannotJudgeError, match="no CUDA device"):
        judge(task(), [], JudgeConfig(device="cuda"))
