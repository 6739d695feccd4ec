"""The judge on real processes: every status and what it checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import specimens
from linear import HEAD, LINEAR, forward, rewrite, task

from cuda_l1.correctness.reference import Reference
from cuda_l1.errors import UsageError
from cuda_l1.judge import JudgeConfig, Session, judge, trial
from cuda_l1.judge.trial import Trial
from cuda_l1.sandbox import kin
from cuda_l1.timing import race
from cuda_l1.types import Candidate, Evaluation, Status, Task


def only_finding(evaluation: Evaluation) -> tuple[str, str]:
    assert len(evaluation.findings) == 1
    return evaluation.findings[0].check, evaluation.findings[0].detail


@pytest.mark.slow
def test_code_that_says_torch_compile_begins_with_it_loaded(session: Session) -> None:
    """Loading it, and finding out which vector instructions there are, took most of such a candidate's build."""
    body = "import sys\nloaded = 'torch._inductor.compile_fx' in sys.modules\nreturn torch.relu(self.fc(x)) * loaded"
    assert session.evaluate(forward(body)).status is Status.WRONG_OUTPUT
    assert session.evaluate(forward(f"# not by torch.compile\n{body}")).status is Status.PASSED


def test_a_session_says_that_it_judges_within_its_with_alone() -> None:
    session = Session(task(), JudgeConfig(effort="glance", baselines=()))

    def refuses() -> None:
        for ask in (lambda: session.evaluate(rewrite()), session.baselines, session.facts, lambda: session.degenerate,
                    lambda: session.best_baseline):  # fmt: skip
            with pytest.raises(UsageError, match="judges within its with alone"):
                ask()

    refuses()
    with session:
        assert session.evaluate(rewrite("torch.relu", "torch.tanh")).status is Status.WRONG_OUTPUT, "as if never asked"
    refuses()


def test_a_session_tells_who_enters_which_stage(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, str]] = []
    monkeypatch.setattr(session, "on_stage", lambda name, stage: told.append((name, stage)))
    wrong = forward("return torch.zeros_like(x)").model_copy(update={"author": "zeros.py"})
    assert session.evaluate(wrong).status is Status.WRONG_OUTPUT
    assert list(dict.fromkeys(told)) == [("zeros.py", "build"), ("zeros.py", "verify")]


def test_a_start_that_does_not_race_is_stopped_while_another_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would spin in eager's turns, and not in those of the one that races."""
    seen: list[list[bool]] = []

    def half(self: race.Race, *asked: Any, half: Callable[..., None] = race.Race._half) -> None:
        half(self, *asked)
        states = [kin.run_state(each.process.process.pid) for each in trial.contenders]
        seen.append([state == "T" for state in states])

    def check(self: Trial, reference: Reference, *, trusted: bool, check: Callable[..., None] = Trial.check) -> None:
        nonlocal trial
        trial = self
        check(self, reference, trusted=trusted)
        assert all(kin.run_state(each.process.process.pid) != "T" for each in self.contenders)

    trial = Trial()
    monkeypatch.setattr(race.Race, "_half", half)
    monkeypatch.setattr(Trial, "check", check)
    with Session(task(), JudgeConfig(effort="glance", starts=3, baselines=())) as session:
        evaluation = session.evaluate(forward("return torch.relu(self.fc(x))"))
        assert evaluation.status is Status.PASSED, evaluation.findings
    assert len(seen) > 3 * 2 * 12
    assert all(map(all, seen)), "between turns the one that races is stopped too"


SLOW_TO_BUILD = rewrite().code + (
    "from torch.utils.cpp_extension import load_inline\n"
    "text = '#include <ATen/ATen.h>\\nvoid f(at::Tensor x) { x.index({at::indexing::Slice()}); }'\n"
    "load_inline('slow', text, functions=['f'])\n"
)
"""No slim header has slices."""
BAD = {
    "syntax error": (
        rewrite("def forward(self, x):", "def forward(self x):"),
        Status.BUILD_FAILED,
        "build",
        "SyntaxError: invalid syntax (line 8)",
    ),
    "another encoding": (
        rewrite("import torch\n", "# coding: latin-1\nimport torch\n"),
        Status.BUILD_FAILED,
        "build",
        "the file names an encoding other than UTF-8",
    ),
    "long": (
        rewrite("import torch\n", "import torch\n" + "#" * (1 << 18) + "\n"),
        Status.BUILD_FAILED,
        "build",
        "and at most 262,144 are read: leave out what no call needs",
    ),
    "import error": (
        rewrite("import torch\n", "import torch\nimport no_such_module\n"),
        Status.BUILD_FAILED,
        "build",
        "no_such_module",
    ),
    "no ModelNew": (
        Candidate(task_id="local/test", code=LINEAR, origin="human"),
        Status.BUILD_FAILED,
        "build",
        "no class ModelNew that is a torch.nn.Module; it has Model",
    ),
    "constructor raises": (
        rewrite("super().__init__()", "raise ValueError('boom')"),
        Status.BUILD_FAILED,
        "build",
        "boom",
    ),
    "forward raises": (forward("raise RuntimeError('bang')"), Status.CRASHED, "forward", "bang"),
    "no text": (forward("raise RuntimeError('boo\\ud800 \\x1b[2J')"), Status.CRASHED, "forward", "boo\ufffd [2J"),
    "segfault": (forward("import ctypes\nctypes.string_at(0)"), Status.CRASHED, "process", "SIGSEGV"),
    "exit": (forward("import os\nos._exit(0)"), Status.CRASHED, "process", "exited with code 0"),
    "hang": (forward("while True: pass"), Status.TIMED_OUT, "time_limit", "within 5 s (when built or first called)"),
    "slow build": (
        Candidate(task_id="local/test", code=SLOW_TO_BUILD, origin="human"),
        Status.TIMED_OUT,
        "time_limit",
        "; an inline extension was built over torch's own headers, which takes a minute or more: main.cpp:3:",
    ),
    "zeros": (forward("return torch.zeros_like(self.fc(x))"), Status.WRONG_OUTPUT, "error", "in the norm"),
    "half the batch": (
        forward("y = torch.relu(self.fc(x))\ny[16:] = 0\nreturn y"),
        Status.WRONG_OUTPUT,
        "error",
        "expected",
    ),
    "far values under loose flags": (
        forward("flags = ['-O3', '-ffast-math']\nreturn torch.relu(self.fc(x)).clamp(max=50.0)"),
        Status.WRONG_OUTPUT,
        "error",
        "; line 9: the compiler may change results: `ffast-math`, and such values show it: build without that",
    ),
    "one wrong element": (
        forward("y = torch.relu(self.fc(x))\ny[7, 7] += 1\nreturn y"),
        Status.WRONG_OUTPUT,
        "error",
        "element 455",
    ),
    "nan": (forward("return self.fc(x) * float('nan')"), Status.WRONG_OUTPUT, "error", "nan"),
    "bfloat16 inside": (
        forward(
            "w, b = self.fc.weight.bfloat16(), self.fc.bias.bfloat16()\n"
            "return torch.relu(nn.functional.linear(x.bfloat16(), w, b)).float()"
        ),
        Status.REJECTED,
        "precision",
        "norm",
    ),
    "wrong shape": (forward("return torch.relu(self.fc(x))[:1]"), Status.WRONG_OUTPUT, "output_shape", "(1, 64)"),
    "wrong dtype": (forward("return torch.relu(self.fc(x)).double()"), Status.WRONG_OUTPUT, "output_dtype", "float64"),
    "two outputs": (
        forward("y = torch.relu(self.fc(x))\nreturn y, y"),
        Status.WRONG_OUTPUT,
        "output_structure",
        "container of 2",
    ),
    "under names": (
        forward("y = torch.relu(self.fc(x))\nreturn {'y': y, 'more': [y, None], 1: None}"),
        Status.WRONG_OUTPUT,
        "output_structure",
        "a dict of 'more' (a container of 2 (a tensor, None)), 'y' (a tensor), 1 (None); expected a tensor",
    ),
    "a number": (
        forward("return torch.relu(self.fc(x)).sum().item()"),
        Status.WRONG_OUTPUT,
        "output_structure",
        "forward returned the float ",
    ),
    "a number later on": (
        forward(
            "self.n = getattr(self, 'n', 0) + 1\ny = torch.relu(self.fc(x))\nreturn y if self.n <= 1 else [y, 1.0]"
        ),
        Status.WRONG_OUTPUT,
        "output_structure",
        "forward returned a container of 2 (a tensor, the float 1.0); expected a tensor",
    ),
    "an object": (
        forward("return {torch.relu(self.fc(x))}"),
        Status.WRONG_OUTPUT,
        "output_structure",
        "forward returned a set; tensors, numbers, or lists, tuples, dicts and dataclasses of them, are expected",
    ),
    "tensor subclass": (
        forward("class Lazy(torch.Tensor): pass\nreturn torch.relu(self.fc(x)).as_subclass(Lazy)"),
        Status.REJECTED,
        "output_plain",
        "Lazy",
    ),
    "inputs changed after use": (
        forward("y = torch.relu(self.fc(x))\nx.zero_()\nreturn y"),
        Status.REJECTED,
        "inputs_modified",
        "in place",
    ),
    "buffer reused": (
        forward("y = torch.relu(self.fc(x))\nif not hasattr(self, 'b'): self.b = y.clone()\nreturn self.b.copy_(y)"),
        Status.REJECTED,
        "output_overwritten",
        "clone",
    ),
    "last answer replayed": (
        forward("if not hasattr(self, 'b'): self.b = torch.relu(self.fc(x))\nreturn self.b.clone()"),
        Status.REJECTED,
        "replayed_output",
        "is the answer to input set 1",
    ),
    "weights frozen at the first call": (
        forward(
            "if not hasattr(self, 'w'): self.w = [p.clone() for p in (self.fc.weight, self.fc.bias)]\n"
            "return torch.relu(nn.functional.linear(x, *self.w))"
        ),
        Status.REJECTED,
        "stale_weights",
        "other weights",
    ),
    "right when verified, wrong when timed": (
        forward("self.n = getattr(self, 'n', 0) + 1\ny = torch.relu(self.fc(x))\nreturn y if self.n <= 80 else y * 0"),
        Status.REJECTED,
        "timed_output",
        "wrong when timed",
    ),
    "wrong later where weights are others": (
        forward(
            "self.n = getattr(self, 'n', 0) + 1\nif self.n == 1: self.w = self.fc.weight.clone()\n"
            "y = torch.relu(self.fc(x))\nreturn y if self.n <= 80 or torch.equal(self.w, self.fc.weight) else y * 0"
        ),
        Status.REJECTED,
        "timed_output",
        "weights loaded in place",
    ),
    "output left to a thread": (
        forward(
            "import threading, time\ny = torch.empty(32, 64)\n"
            "def late(): time.sleep(0.05); y.copy_(torch.relu(self.fc(x)))\n"
            "threading.Thread(target=late).start()\nreturn y"
        ),
        Status.WRONG_OUTPUT,
        "error",
        "",
    ),
}


@pytest.fixture(scope="module")
def hasty() -> Iterator[Session]:
    """The same judge for who takes all the time that there is."""
    with Session(task(), JudgeConfig(effort="quick", baselines=(), build_timeout_s=5, run_timeout_s=3)) as session:
        yield session


@pytest.mark.parametrize("name", BAD)
def test_bad_candidate(request: pytest.FixtureRequest, name: str) -> None:
    candidate, status, check, words = BAD[name]
    judge = "hasty" if status is Status.TIMED_OUT else "session"
    session: Session = request.getfixturevalue(judge)
    evaluation = session.evaluate(candidate)
    found, detail = only_finding(evaluation)
    assert (evaluation.status, found) == (status, check), detail
    assert words in detail
    assert not evaluation.times_us
    assert evaluation.verdict is None


def test_calls_that_each_end_in_time_have_no_end_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who slept through all of the calls that he is asked for would hold the judge for a hundred times one's limit."""
    monkeypatch.setattr(trial, "_ALL_CALLS", 0.5)
    with Session(task(), JudgeConfig(effort="quick", baselines=(), run_timeout_s=3)) as session:
        slow = session.evaluate(forward("import time\ntime.sleep(0.4)\nreturn torch.relu(self.fc(x))"))
        fine = session.evaluate(forward("return torch.relu(self.fc(x))"))
    assert slow.status is Status.TIMED_OUT
    check, detail = only_finding(slow)
    assert check == "time_limit"
    assert "each call ended in time, but all of them took 1.5 s more" in detail
    assert fine.status is Status.PASSED


def test_loads_that_each_end_in_time_have_no_end_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor have those who sleep as they are given weights, a hundred times."""
    monkeypatch.setattr(trial, "_ALL_CALLS", 0.5)
    line = "        return torch.relu(self.fc(x))\n"
    sleeps = "        import time\n        time.sleep(0.4)\n        return super().load_state_dict(*given, **how)\n"
    slept = rewrite(line, f"{line}\n    def load_state_dict(self, *given, **how):\n{sleeps}")
    with Session(task(), JudgeConfig(effort="quick", baselines=(), run_timeout_s=3)) as session:
        slow = session.evaluate(slept)
    assert (slow.status, only_finding(slow)[0]) == (Status.TIMED_OUT, "time_limit")


def test_all_calls_of_a_second_start_have_an_end_too(monkeypatch: pytest.MonkeyPatch) -> None:
    limited: list[int] = []
    monkeypatch.setattr(Trial, "limit", lambda trial, reference: limited.append(len(trial.contenders)))
    monkeypatch.setattr(Trial, "is_close", lambda trial, device, kinds: True)
    with Session(task(), JudgeConfig(effort="quick", baselines=())) as session:
        assert session.evaluate(forward("return torch.relu(self.fc(x))")).status is Status.PASSED
    assert limited == [1, 1]


@pytest.mark.parametrize("head", ["# -*- coding: utf8 -*-\n", "\ufeff"])
def test_code_that_says_that_it_is_utf8_is_run_as_it_is_read(session: Session, head: str) -> None:
    """What reads the file again, as Triton does, sees the text that runs."""
    again = "import inspect\nassert '\u00e9' in inspect.getsource(type(self)), 'another text'\n"
    code = forward(again + "return torch.relu(self.fc(x))").code
    evaluation = session.evaluate(Candidate(task_id="local/test", code=head + code, origin="human"))
    assert evaluation.status is Status.PASSED, evaluation.findings


def notes_by_seed(evaluation: Evaluation) -> list[str]:
    return [note.detail for note in evaluation.notes if note.check == "weights_by_seed"]


def test_state_dict_with_other_names_falls_back_to_the_seed(session: Session) -> None:
    evaluation = session.evaluate(rewrite("self.fc", "self.other"))
    assert evaluation.status is Status.PASSED
    (detail,) = notes_by_seed(evaluation)
    assert detail.startswith("state_dict lacks fc.weight (float32 of [")
    assert "other." not in detail


def test_what_stands_beside_the_references_state_is_the_candidates_own_matter(session: Session) -> None:
    built, called = "self.fc = nn.Linear(n, n)\n", "torch.relu(self.fc(x))"
    table = built + "        self.register_buffer('table', self.fc.weight.detach() * 1)\n"
    evaluation = session.evaluate(rewrite(built, table))
    assert evaluation.status is Status.PASSED
    assert not notes_by_seed(evaluation)
    folded = LINEAR.replace(built, table).replace(
        called, "torch.relu(nn.functional.linear(x, self.table, self.fc.bias))"
    )
    evaluation = session.evaluate(rewrite(source=folded))
    assert evaluation.status in (Status.REJECTED, Status.WRONG_OUTPUT), "made of weights once, it does not follow them"
    detail = only_finding(evaluation)[1]
    assert "other weights loaded in place" in detail
    assert "must be made anew" in detail
    assert "signs" in detail


@pytest.mark.parametrize(("name", "follows_loaded_alone"), [("fold_by_hook", True), ("transpose_by_version", False)])
def test_what_follows_weights_that_are_loaded_and_no_step_is_said(name: str, follows_loaded_alone: bool) -> None:
    cached = specimens.read(specimens.HERE / "honest" / f"cached_{name}.py")
    config = JudgeConfig(effort="glance", baselines=())
    (evaluation,) = judge(specimens.task(cached.task), [cached.candidate], config)
    assert evaluation.status is Status.PASSED
    assert ("weights_by_load" in {note.check for note in evaluation.notes}) is follows_loaded_alone


def test_why_an_extension_was_built_slowly_is_said(session: Session) -> None:
    asked = 'try:\n    load("none", ["no_such_file.cpp"])\nexcept Exception:\n    pass\n'
    evaluation = session.evaluate(rewrite("class ", f"from torch.utils.cpp_extension import load\n{asked}class "))
    assert evaluation.status is Status.PASSED
    (why,) = [note.detail for note in evaluation.notes if note.check == "slow_build"]
    assert why.startswith("an inline extension was built over torch's own headers")
    assert "files given to `load`" in why


def test_same_seed_gives_the_same_errors() -> None:
    config = JudgeConfig(effort="quick", baselines=(), seed=7)
    candidate = forward("return self.fc(x).clamp_min(0)")
    first, second = (judge(task(), [candidate], config)[0] for _ in range(2))
    assert first.seed == second.seed == 7
    assert (first.max_error, first.reference_error) == (second.max_error, second.reference_error)


TUPLES = HEAD + (
    "class Model(nn.Module):\n"
    "    def __init__(self, sizes, kind):\n"
    "        super().__init__()\n"
    "        self.sizes, self.kind = sizes, kind\n"
    "    def forward(self, x, scale, index):\n"
    "        assert self.sizes == (3, [4]) and self.kind is torch.float32\n"
    "        y = x.T * scale\n"
    "        return {'y': y, 'rest': [y.argmax(0), (y[index],)]}\n\n"
    "def get_inputs():\n    return [torch.randn(48, 32).T, 2.5, torch.randint(0, 32, (5,))]\n\n"
    "def get_init_inputs():\n    return [(3, [4]), torch.float32]\n"
)


def test_nested_outputs_scalars_indices_and_strides() -> None:
    config = JudgeConfig(effort="quick", baselines=())
    good, bad = rewrite(source=TUPLES), rewrite("y.argmax(0)", "y.argmax(0).flip(0)", TUPLES)
    right, wrong = judge(task(TUPLES), [good, bad], config)
    assert right.status is Status.PASSED, right.findings
    assert wrong.status is Status.WRONG_OUTPUT


NORMED = HEAD + (
    "class Model(nn.Module):\n"
    "    def __init__(self, n):\n"
    "        super().__init__()\n"
    "        self.conv = nn.Conv2d(3, n, 3)\n"
    "    def forward(self, x):\n"
    "        x = nn.functional.hardswish(self.conv(x))\n"
    "        return x / (x.pow(2).mean(dim=(2, 3), keepdim=True).sqrt() + 0.001)\n\n"
    "def get_inputs():\n    return [torch.randn(8, 3, 16, 16)]\n\n"
    "def get_init_inputs():\n    return [16]\n"
)
CAST = "def forward(self, x):\n        return self.inner(x).{}().float()\n    def inner(self, x):"
COARSER = {
    "bf16 inputs": ("self.conv(x)", "self.conv(x.bfloat16().float())"),
    "bf16 weights": ("self.conv(x)", "nn.functional.conv2d(x, self.conv.weight.bfloat16().float(), self.conv.bias)"),
    "bf16 at the end": ("def forward(self, x):", CAST.format("bfloat16")),
    "fp16 at the end": ("def forward(self, x):", CAST.format("half")),
}
OTHER_FORMULAS = {
    "no epsilon": ("+ 0.001)", ")"),
    "half the epsilon": ("+ 0.001)", "+ 0.0005)"),
    "less bias": ("self.conv(x)", "self.conv(x) - 0.01 * self.conv.bias.view(-1, 1, 1)"),
    "another constant": ("hardswish(self.conv(x))", "hardswish(1.02 * self.conv(x))"),
}


def test_zeros_are_nobodys_answer_given_before() -> None:
    """Of large values the answer is zero; who returns zeros for others has not replayed it."""
    source = (
        f"{HEAD}class Model(nn.Module):\n    def forward(self, x):\n        return torch.exp(-x * x)\n\n"
        "def get_inputs():\n    return [torch.rand(64, 64) + 1]\n\ndef get_init_inputs():\n    return []\n"
    )
    code = source.replace("class Model(", "class ModelNew(").replace("torch.exp(-x * x)", "torch.zeros_like(x)")
    bell = Task(id="local/bell", name="bell", source=source)
    with Session(bell, JudgeConfig(effort="quick", baselines=())) as session:
        evaluation = session.evaluate(Candidate(task_id=bell.id, code=code, origin="human"))
    assert (evaluation.status, evaluation.findings[0].check) == (Status.WRONG_OUTPUT, "error")


def test_a_small_error_is_called_a_lower_precision_only_with_evidence() -> None:
    with Session(task(NORMED), JudgeConfig(effort="quick", baselines=(), seed=7)) as session:
        for name, (old, new) in COARSER.items():
            evaluation = session.evaluate(rewrite(old, new, NORMED))
            assert (evaluation.status, only_finding(evaluation)[0]) == (Status.REJECTED, "precision"), name
        for name, (old, new) in OTHER_FORMULAS.items():
            evaluation = session.evaluate(rewrite(old, new, NORMED))
            assert (evaluation.status, only_finding(evaluation)[0]) == (Status.WRONG_OUTPUT, "error"), name


@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16"])
def test_precisions_judge_both_sides_alike(precision: str) -> None:
    (evaluation,) = judge(task(precision=precision), [rewrite()], JudgeConfig(effort="quick", baselines=()))
    assert evaluation.status is Status.PASSED
    assert evaluation.reference_error is not None
    assert (evaluation.reference_error > 1e-4) == (precision != "fp32")
