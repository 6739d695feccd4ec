"""The judge on real processes: every status, what it checks, and that a candidate's harm stays with the candidate."""

from __future__ import annotations

import os
import signal
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cuda_l1.errors import CannotJudgeError, TaskError
from cuda_l1.judge import JudgeConfig, Session, judge, race, trial
from cuda_l1.judge.process import WorkerProcess
from cuda_l1.types import Candidate, Evaluation, Status, Task, Verdict

HEAD = "import torch\nimport torch.nn as nn\n\n"
LINEAR = HEAD + (
    "class Model(nn.Module):\n"
    "    def __init__(self, n):\n"
    "        super().__init__()\n"
    "        self.fc = nn.Linear(n, n)\n"
    "    def forward(self, x):\n"
    "        return torch.relu(self.fc(x))\n\n"
    "def get_inputs():\n    return [torch.randn(32, 64)]\n\n"
    "def get_init_inputs():\n    return [64]\n"
)


def task(source: str = LINEAR, **fields: object) -> Task:
    return Task(id="local/test", name="test", source=source, **fields)


def rewrite(old: str = "", new: str = "", source: str = LINEAR) -> Candidate:
    assert old in source
    code = source.replace("class Model(", "class ModelNew(")
    code = code.replace(old, new) if old else code
    return Candidate(task_id="local/test", code=code, origin="human")


def forward(body: str) -> Candidate:
    return rewrite(
        "        return torch.relu(self.fc(x))\n", "".join(f"        {line}\n" for line in body.splitlines())
    )


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    config = JudgeConfig(effort="quick", baselines=(), build_timeout_s=8, run_timeout_s=5)
    with Session(task(), config) as session:
        yield session


def only_finding(evaluation: Evaluation) -> tuple[str, str]:
    assert len(evaluation.findings) == 1
    return evaluation.findings[0].check, evaluation.findings[0].detail


def test_reference_as_candidate_passes(session: Session) -> None:
    evaluation = session.evaluate(rewrite())
    assert evaluation.status is Status.PASSED
    assert evaluation.verdict is not Verdict.FAST
    assert evaluation.speedup is not None
    assert evaluation.speedup.vs == "eager"
    assert evaluation.speedup.lo <= evaluation.speedup.value <= evaluation.speedup.hi
    assert evaluation.max_error == pytest.approx(evaluation.reference_error)
    assert evaluation.baselines_us.keys() == {"eager"}
    assert evaluation.environment.threads >= 1


def test_slower_candidate_is_slow(session: Session) -> None:
    evaluation = session.evaluate(forward("for _ in range(40):\n    y = torch.relu(self.fc(x))\nreturn y"))
    assert (evaluation.status, evaluation.verdict) == (Status.PASSED, Verdict.SLOW)
    assert evaluation.speedup is not None
    assert evaluation.speedup.hi < 0.5


def test_a_close_word_is_asked_of_a_second_start(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_CLOSE", {"cpu": 1e6})
    begin, begun = Session._start_again, []

    def counted(*given: Any) -> race.Start:
        begun.append(begin(*given))
        return begun[-1]

    monkeypatch.setattr(Session, "_start_again", counted)
    evaluation = session.evaluate(forward("for _ in range(40):\n    y = torch.relu(self.fc(x))\nreturn y"))
    assert (evaluation.status, evaluation.verdict) == (Status.PASSED, Verdict.SLOW)
    assert len(begun) == 1
    assert len(evaluation.times_us) > len(begun[0].calls_us) > 0


def test_every_word_on_a_candidate_is_beside_another_process_of_eager(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or an eager that is slow by luck of its memory would be so for every word on a win."""
    met: list[int] = []

    class Seen(race.Race):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            met.append(self.eager.side.process.process.pid)

    monkeypatch.setattr(race, "Race", Seen)
    for _ in range(2):
        assert session.evaluate(forward("y = self.fc(x)\nreturn torch.relu(y)")).status is Status.PASSED
    assert len(set(met)) == 2


def test_opponents_that_died_are_replaced_for_the_next_candidate() -> None:
    rival = rewrite().model_copy(update={"origin": "baseline", "author": "graph"})
    with Session(task(), JudgeConfig(effort="glance", baselines=())) as judging:
        opponents = judging._opponents
        opponents.oppose(rival, [])
        for candidate in (rewrite(), forward("y = self.fc(x)\nreturn torch.relu(y)")):
            evaluation = judging.evaluate(candidate)
            assert evaluation.status is Status.PASSED
            assert evaluation.baselines_us.keys() == {"eager", "graph"}
            for contender in (*opponents._eagers, *opponents._rivals):
                os.kill(contender.process.process.pid, signal.SIGKILL)
                contender.process.process.wait(10)


def test_a_reference_that_works_in_place_is_raced_as_it_is() -> None:
    source = task().source.replace("return torch.relu(self.fc(x))", "return x.mul_(2)")
    in_place = Task(id="local/in_place", name="in_place", source=source)
    code = source.replace("class Model(", "class ModelNew(")
    same = Candidate(task_id=in_place.id, code=code, origin="human", author="test")
    other = Candidate(task_id=in_place.id, code=code.replace("x.mul_(2)", "x.add_(x)"), origin="human", author="test")
    with Session(in_place, JudgeConfig(effort="glance", baselines=())) as judging:
        assert [judging.evaluate(each).status for each in (same, other)] == [Status.PASSED, Status.PASSED]


def test_a_process_that_runs_while_it_is_stopped_is_rejected(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a signal of its own making could: here somebody else wakes it as soon as it is stopped."""
    stop = WorkerProcess.stop

    def woken(process: WorkerProcess) -> None:
        stop(process)
        if b"spins" in Path(process.scratch, "candidate.py").read_bytes():
            os.killpg(process.process.pid, signal.SIGCONT)

    monkeypatch.setattr(WorkerProcess, "stop", woken)
    body = """
        import threading
        def run():
            spins = 0
            while True:
                spins += 1
        if not hasattr(self, "thread"):
            self.thread = threading.Thread(target=run, daemon=True)
            self.thread.start()
        return torch.relu(self.fc(x))"""
    evaluation = session.evaluate(forward(textwrap.dedent(body).strip()))
    assert evaluation.findings[0].check == "ran_while_stopped"


def test_code_that_says_torch_compile_begins_with_it_loaded(session: Session) -> None:
    """Loading it, and finding out which vector instructions there are, took most of such a candidate's build."""
    body = "import sys\nloaded = 'torch._inductor.compile_fx' in sys.modules\nreturn torch.relu(self.fc(x)) * loaded"
    assert session.evaluate(forward(body)).status is Status.WRONG_OUTPUT
    assert session.evaluate(forward(f"# not by torch.compile\n{body}")).status is Status.PASSED


def test_a_very_slow_candidate_is_called_seldom(session: Session) -> None:
    evaluation = session.evaluate(forward("import time\ntime.sleep(0.3)\nreturn torch.relu(self.fc(x))"))
    assert evaluation.verdict is Verdict.SLOW
    assert len(evaluation.times_us) < 100


def test_wasteful_reference_is_beaten() -> None:
    source = LINEAR.replace("return torch.relu(self.fc(x))", "return torch.relu([self.fc(x) for _ in range(60)][-1])")
    (evaluation,) = judge(task(source), [rewrite("[self.fc(x) for _ in range(60)][-1]", "self.fc(x)", source)],
                          JudgeConfig(effort="quick", baselines=()))  # fmt: skip
    assert evaluation.verdict is Verdict.FAST
    assert evaluation.is_win
    assert evaluation.speedup_eager is not None
    assert evaluation.speedup_eager.lo > 2


BAD = {
    "syntax error": (
        rewrite("def forward(self, x):", "def forward(self x):"),
        Status.BUILD_FAILED,
        "build",
        "SyntaxError",
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
        "ModelNew",
    ),
    "constructor raises": (
        rewrite("super().__init__()", "raise ValueError('boom')"),
        Status.BUILD_FAILED,
        "build",
        "boom",
    ),
    "forward raises": (forward("raise RuntimeError('bang')"), Status.CRASHED, "forward", "bang"),
    "segfault": (forward("import ctypes\nctypes.string_at(0)"), Status.CRASHED, "process", "SIGSEGV"),
    "exit": (forward("import os\nos._exit(0)"), Status.CRASHED, "process", "exited with code 0"),
    "hang": (forward("while True: pass"), Status.TIMED_OUT, "time_limit", "no answer within 8 s (stage build)"),
    "zeros": (forward("return torch.zeros_like(self.fc(x))"), Status.WRONG_OUTPUT, "error", "in the norm"),
    "half the batch": (
        forward("y = torch.relu(self.fc(x))\ny[16:] = 0\nreturn y"),
        Status.WRONG_OUTPUT,
        "error",
        "expected",
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
        forward("self.n = getattr(self, 'n', 0) + 1\ny = torch.relu(self.fc(x))\nreturn y if self.n <= 14 else y * 0"),
        Status.REJECTED,
        "timed_output",
        "wrong when timed",
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


@pytest.mark.parametrize("name", BAD)
def test_bad_candidate(session: Session, name: str) -> None:
    candidate, status, check, words = BAD[name]
    evaluation = session.evaluate(candidate)
    found, detail = only_finding(evaluation)
    assert (evaluation.status, found) == (status, check), detail
    assert words in detail
    assert not evaluation.times_us
    assert evaluation.verdict is None


def test_state_dict_with_other_names_falls_back_to_the_seed(session: Session) -> None:
    renamed = rewrite("self.fc", "self.other")
    evaluation = session.evaluate(renamed)
    assert evaluation.status is Status.PASSED
    assert [note.check for note in evaluation.notes if note.check == "weights_by_seed"]


SNOOP = """
import os, socket
found = []
for path in {paths!r}:
    try:
        open(path).read(1)
        found.append(path)
    except OSError:
        pass
try:
    open({outside!r}, "w")
    found.append("wrote outside")
except OSError:
    pass
try:
    socket.create_connection(("127.0.0.1", {port}), timeout=1)
    found.append("connected")
except OSError:
    pass
try:
    os.kill({pid}, 0)
    found.append("signalled")
except OSError:
    pass
if found:
    raise RuntimeError(f"reached {{found}}")
"""


def test_sandbox_hides_files_network_and_other_processes(session: Session, tmp_path: Path) -> None:
    if "landlock" not in session.evaluate(rewrite()).environment.sandbox:
        pytest.skip("this kernel has no Landlock")
    import socket

    secret = tmp_path / "secret"
    secret.write_text("x")
    with socket.create_server(("127.0.0.1", 0)) as server:
        text = SNOOP.format(
            paths=[str(secret), f"/proc/{os.getpid()}/mem", "/etc/shadow"],
            outside=str(tmp_path / "made"),
            port=server.getsockname()[1],
            pid=os.getpid(),
        )
        evaluation = session.evaluate(rewrite("import torch.nn as nn\n", f"import torch.nn as nn\n{text}"))
    assert evaluation.status is Status.PASSED, evaluation.findings
    assert not (tmp_path / "made").exists()


def test_candidate_without_sandbox_reaches_what_the_sandbox_hides(tmp_path: Path) -> None:
    """The check above can fail: the same code without the sandbox finds the file."""
    secret = tmp_path / "secret"
    secret.write_text("x")
    text = SNOOP.format(paths=[str(secret)], outside=str(tmp_path / "made"), port=9, pid=os.getpid())
    candidate = rewrite("import torch.nn as nn\n", f"import torch.nn as nn\n{text}")
    (evaluation,) = judge(task(), [candidate], JudgeConfig(effort="quick", baselines=(), sandbox="none"))
    assert evaluation.status is Status.BUILD_FAILED
    assert evaluation.environment.sandbox == "none"


def test_children_of_a_candidate_are_killed(session: Session) -> None:
    candidate = rewrite("import torch.nn as nn\n", "import torch.nn as nn\nimport subprocess\n"
                        "print('child', subprocess.Popen(['sleep', '600']).pid, flush=True)\n")  # fmt: skip
    evaluation = session.evaluate(candidate)
    pid = int(evaluation.log.split("child ")[1].split()[0])
    assert not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().split()[2]


def test_what_a_candidate_changes_globally_dies_with_it(session: Session) -> None:
    before = session.evaluate(rewrite())
    session.evaluate(
        rewrite(
            "import torch.nn as nn\n",
            "import torch.nn as nn\ntorch.set_num_threads(1)\ntorch.set_default_dtype(torch.float64)\n",
        )
    )
    after = session.evaluate(rewrite())
    assert after.status is before.status is Status.PASSED
    assert after.max_error == before.max_error


CONSTANT = LINEAR.replace("return torch.relu(self.fc(x))", "return torch.clamp(torch.relu(self.fc(x)), max=0.0)")


def test_constant_output_is_degenerate_and_no_win() -> None:
    candidate = rewrite("return torch.clamp(torch.relu(self.fc(x)), max=0.0)", "return torch.zeros_like(x)", CONSTANT)
    (evaluation,) = judge(task(CONSTANT), [candidate], JudgeConfig(effort="quick", baselines=()))
    assert evaluation.status is Status.PASSED
    assert evaluation.degenerate
    assert evaluation.verdict is not Verdict.FAST
    assert "degenerate_task" in [note.check for note in evaluation.notes]


def test_rounding_noise_is_degenerate() -> None:
    source = LINEAR.replace(
        "return torch.relu(self.fc(x))", "y = self.fc(x)\n        return y.cos() ** 2 + y.sin() ** 2 - 1"
    )
    candidate = rewrite("y.cos() ** 2 + y.sin() ** 2 - 1", "torch.zeros_like(y)", source)
    (evaluation,) = judge(task(source), [candidate], JudgeConfig(effort="quick", baselines=()))
    assert evaluation.degenerate
    assert evaluation.verdict is not Verdict.FAST
    assert any("rounding noise" in note.detail for note in evaluation.notes)


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
    "output is no tensor": (LINEAR.replace("return torch.relu(self.fc(x))", "return 1.5"), "forward returned a float"),
    "no Model": (LINEAR.replace("class Model(", "class Other("), "no class Model"),
    "inputs are no list": (
        LINEAR.replace("return [torch.randn(32, 64)]", "return torch.randn(32, 64)"),
        "a list was expected",
    ),
    "reference is random": (LINEAR.replace("torch.relu(self.fc(x))", "torch.rand_like(x)"), "it is random"),
    "reference keeps a state": (
        LINEAR.replace(
            "        return torch.relu(self.fc(x))",
            "        self.hidden = torch.tanh(self.fc(x + getattr(self, 'hidden', torch.zeros_like(x))))\n"
            "        return self.hidden",
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
    "reference is random and keeps a state": (
        LINEAR.replace(
            "        return torch.relu(self.fc(x))",
            "        self.hidden = torch.rand_like(x) + getattr(self, 'hidden', 0)\n        return self.hidden",
        ),
        "it is random",
    ),
}


@pytest.mark.parametrize("name", TASKS)
def test_bad_task_is_the_users_error(name: str) -> None:
    source, words = TASKS[name]
    with pytest.raises(TaskError, match=words.replace("(", r"\(").replace(")", r"\)")):
        judge(task(source), [], JudgeConfig(effort="quick", baselines=()))


def test_missing_device_cannot_be_judged_on() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a CUDA device")
    with pytest.raises(CannotJudgeError, match="no CUDA device"):
        judge(task(), [], JudgeConfig(device="cuda"))


CPP = (
    HEAD
    + '''
from torch.utils.cpp_extension import load_inline

extension = load_inline("scaled", cpp_sources="""
torch::Tensor run(torch::Tensor x, torch::Tensor w, torch::Tensor b) { return at::relu(at::linear(x, w, b)); }
""", functions=["run"])

class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
    def forward(self, x):
        return extension.run(x, self.fc.weight, self.fc.bias)
'''
)


@pytest.mark.slow
def test_inline_cpp_builds_inside_the_sandbox() -> None:
    import shutil

    if shutil.which("c++") is None:
        pytest.skip("no C++ compiler on this machine")
    candidate = Candidate(task_id="local/test", code=CPP, language="cpp", origin="human")
    broken = Candidate(
        task_id="local/test", code=CPP.replace("at::relu(", "at::no_such("), language="cpp", origin="human"
    )
    built, failed = judge(task(), [candidate, broken], JudgeConfig(effort="quick", baselines=()))
    assert built.status is Status.PASSED, built.findings
    assert failed.status is Status.BUILD_FAILED
    assert "no_such" in failed.findings[0].detail
