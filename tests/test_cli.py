"""The command line as a user meets it: real processes, real judging of tiny tasks, and the mistakes of a first day."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from records import make_task

from cuda_l1 import search, tasks
from cuda_l1.archive import Archive
from cuda_l1.cli import main
from cuda_l1.config import OptimizeConfig
from cuda_l1.types import jsonable

WASTEFUL = '''"""Twenty-five milliseconds of work that nobody looks at, and one activation computed twice."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(width))

    def forward(self, x):
        unused = x
        for _ in range(20):
            unused = torch.special.i0e(unused)
        return torch.tanh(x) * self.scale + torch.tanh(x)


def get_inputs():
    return [torch.randn(120, 256)]


def get_init_inputs():
    return [256]
'''
FAST = WASTEFUL.replace("class Model(", "class ModelNew(").replace("range(20)", "range(1)")
WRONG = FAST.replace("* self.scale + torch.tanh(x)", "* self.scale")
CONSTANT = WASTEFUL.replace("torch.tanh(x) * self.scale + torch.tanh(x)", "x * 0")
HOW = ("--baselines", "eager", "--device", "cpu")
QUICK, GLANCE = (("--effort", effort, *HOW) for effort in ("quick", "glance"))
"""The first where a win is asked for, else the second."""
SEARCH = ("--transforms", "dead_operations,rewrites")


class Place:
    """A folder with a task and candidates, and the command run in it with an archive of its own."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capture = folder, capture
        for name, text in (("task.py", WASTEFUL), ("fast.py", FAST), ("wrong.py", WRONG), ("constant.py", CONSTANT)):
            (folder / name).write_text(text)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "cuda_l1.cli", *arguments],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def finish(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """In a process of its own."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=300)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """In this process, which has imported torch already."""
        self.capture.readouterr()
        with pytest.raises(SystemExit) as end:
            main(arguments)
        out, err = self.capture.readouterr()
        assert isinstance(end.value.code, int)
        return subprocess.CompletedProcess(arguments, end.value.code, out, err)

    @property
    def archive(self) -> Path:
        return self.folder / "data" / "cuda-l1" / "archive.sqlite"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Place:
    for name in os.environ:
        if name.startswith(("CUDA_L1_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return Place(tmp_path, capfd)


def test_verify_follows_the_contract(place: Place) -> None:
    done = place.run("verify", "task.py", "fast.py", "--json", "--claim", "1.01x", *QUICK)
    data = json.loads(done.stdout)
    assert done.returncode == data["exit_code"] == 0, done.stdout
    assert (data["schema"], data["status"], data["verdict"], data["claim"]) == (1, "PASSED", "FAST", 1.01)
    assert data["task"] == {"precision": "default", "mode": "eval", "degenerate": False}
    assert data["speedup"]["vs"] == "eager"
    assert data["speedup"]["lo"] <= data["speedup"]["value"] <= data["speedup"]["hi"]
    assert data["times_us"]["n"] > 6
    assert data["baselines_us"].keys() == {"eager"}
    assert data["environment"]["sandbox"]
    assert data["seconds"]["total"] > 0


def test_verify_says_no_with_exit_1(place: Place) -> None:
    done = place.run("verify", "task.py", "wrong.py", *GLANCE)
    assert done.returncode == 1
    assert "WRONG_OUTPUT" in done.stdout
    assert "finding     error: output 0" in done.stdout
    assert "judging wrong.py on cpu, effort glance, against eager\n" in done.stderr
    missed = place.run("verify", "task.py", "fast.py", "--claim", "5000x", *GLANCE)
    assert missed.returncode == 1
    assert "claim       5000x: missed" in missed.stdout


def test_same_seed_repeats_a_verdict(place: Place) -> None:
    runs = [place.run("verify", "task.py", "wrong.py", "--json", "--seed", "5", *GLANCE) for _ in range(2)]
    first, second = (json.loads(done.stdout) for done in runs)
    assert first["seed"] == second["seed"] == 5
    assert first["findings"] == second["findings"]


def test_threshold_on_a_degenerate_task_cannot_be_judged(place: Place) -> None:
    (place.folder / "zero.py").write_text(
        CONSTANT.replace("class Model(", "class ModelNew(").replace("x * 0", "torch.zeros(120, 256)")
    )
    done = place.run("verify", "constant.py", "zero.py", "--json", "--min-speedup", "1.1", *GLANCE)
    data = json.loads(done.stdout)
    assert done.returncode == 3
    assert data["task"]["degenerate"] is True
    assert data["verdict"] != "FAST"


def test_an_unknown_technique_is_said_before_a_judge_starts(place: Place) -> None:
    for command in (("optimize", "task.py"), ("eval", "--tasks", "task.py")):
        done = place.run(*command, *GLANCE, "--transforms", "sdpaa")
        assert done.returncode == 2, done.stderr
        assert "did you mean sdpa?" in done.stderr
        assert "starting the judge" not in done.stderr
        assert not (place.folder / "runs").exists()


NOWHERE = "http://127.0.0.1:9/v1"
MISTAKES = {
    "no such file": (("verify", "nothing.py", "fast.py"), 2, "nothing.py"),
    "no such class": (("optimize", "task.py:Modle", "--inputs", "get_inputs"), 2, "Model"),
    "a class without inputs": (("optimize", "lonely.py:Net"), 2, "--inputs"),
    "no such candidate": (("verify", "task.py", "nothing"), 2, "expected a .py file that defines ModelNew"),
    "candidate without a name": (("verify", "task.py", ""), 2, "no candidate '': expected a .py file"),
    "candidate in another encoding": (("verify", "task.py", "latin.py"), 2, "byte 4 is not UTF-8 text: save it as"),
    "run folder without a win": (("verify", "task.py", "swept"), 2, "folder swept has no best.py"),
    "run folder of another task": (("verify", "constant.py", "run"), 2, "run run is for another task than constant"),
    "unknown candidate id": (("verify", "task.py", "0123456789abcdef"), 2, "no candidate 0123456789abcdef"),
    "candidate without ModelNew": (("verify", "task.py", "task.py", *GLANCE), 1, "no class ModelNew"),
    "no GPU": (("verify", "task.py", "fast.py", "--device", "cuda:99"), 3, "CUDA device"),
    "unknown device": (("verify", "task.py", "fast.py", "--device", "gpu"), 2, "expected cpu, cuda or cuda:N"),
    "unknown device to examine": (("doctor", "--device", "gpu"), 2, "expected cpu, cuda or cuda:N"),
    "unknown baseline": (("bench", "task.py", "--baselines", "eagre"), 2, "eager"),
    "claim that is no factor": (("verify", "task.py", "fast.py", "--claim", "fast"), 2, "for instance 6.3x"),
    "budget that does not read": (("optimize", "task.py", "--budget", "2 apples"), 2, "expected a number and one of"),
    "unknown option": (("verify", "task.py", "fast.py", "--efort", "quick"), 2, "--effort"),
    "--set without a value": (("optimize", "task.py", "--set", "N"), 2, "expected NAME=VALUE"),
    "--set of an unknown constant": (("optimize", "task.py", "--set", "N=3"), 2, "N"),
    "nothing to optimise": (("optimize",), 2, "name a TARGET"),
    "unknown technique": (("optimize", "task.py", *GLANCE, "--transforms", "sdpaa"), 2, "did you mean sdpa?"),
    "resume of no run": (("optimize", "--resume", "."), 2, "no run folder"),
    "resume of a sweep": (("optimize", "--resume", "swept"), 2, "go on with cuda-l1 eval --resume swept"),
    "report of no run": (("report", "."), 2, "expected one such as runs/latest"),
    "resume with another setting": (("optimize", "--resume", ".", "--effort", "quick"), 2, "leave out --effort"),
    "level that does not exist": (("optimize", "kernelbench:9/1", "--kernelbench", "."), 2, "9"),
    "source with a syntax error": (("verify", "broken.py", "fast.py", *GLANCE), 2, "line 2"),
    "source that imports what is not there": (("verify", "imports.py", "fast.py", *GLANCE), 2, "no_such_module"),
    "get_inputs that raises": (("verify", "raises.py", "fast.py", *GLANCE), 2, "get_inputs"),
    "output that is no tensor": (("verify", "number.py", "fast.py", *GLANCE), 2, "float"),
    "dry run without a model": (("optimize", "task.py", "--dry-run"), 2, "add --model NAME"),
    "prompts that are not there": (("optimize", "task.py", *GLANCE, "--model", "m", "--dry-run", "--prompt-dir", "no"),
                                   2, "prompt folder no does not exist"),
    "report of an unknown run": (("report", "nothing"), 2, "no run nothing"),
    "report into an unknown format": (("report", "nothing", "-o", "x.pdf"), 2, ".md or .json"),
    "model without a server": (("optimize", "task.py", "--model", "m", "--base-url", NOWHERE), 4, ":9/"),
    "server without a model": (("optimize", "task.py", "--base-url", NOWHERE), 2, "without --model NAME"),
    "model without a key": (("optimize", "task.py", "--model", "gpt-5.5"), 4, "OPENAI_API_KEY"),
    "report of a name that is too long": (("report", "r" * 300), 2, "no run rrr"),
    "report of a name that is no text": (("report", "r\udcff"), 2, "is no text that an archive can hold"),
    "candidate of a name that is too long": (("verify", "task.py", "r" * 300), 2, "expected a .py file that defines"),
    "report into no folder": (("report", "nothing", "-o", "no/x.md"), 2, "there is no folder no"),
    "runs in a file": (("optimize", "task.py", *GLANCE, *SEARCH, "--out", "task.py"), 2, "name another with --out"),
    "unknown setting in the file": (("--config-is-bad",), 2, "did you mean effort"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(place: Place, name: str) -> None:
    arguments, code, words = MISTAKES[name]
    (place.folder / "broken.py").write_text("import torch\nclass Model(:\n")
    (place.folder / "lonely.py").write_text(
        "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x): return x\n"
    )
    (place.folder / "imports.py").write_text(
        WASTEFUL.replace("import torch\n", "import torch\nimport no_such_module\n")
    )
    (place.folder / "raises.py").write_text(WASTEFUL.replace("torch.randn(120, 256)", "torch.randn(120, width)"))
    (place.folder / "number.py").write_text(
        WASTEFUL.replace("return torch.tanh(x) * self.scale + torch.tanh(x)", "return 1.0")
    )
    (place.folder / "run").mkdir()
    (place.folder / "run" / "config.json").write_text(json.dumps({"task": {"source": WASTEFUL}}))
    for folder in (place.folder / "run", place.folder):  # the second is the folder of no name
        (folder / "best.py").write_text(FAST)
    (place.folder / "latin.py").write_bytes("# gr\xfc\xdfe\n".encode("latin-1") + FAST.encode())
    (place.folder / "swept").mkdir()
    (place.folder / "swept" / "config.json").write_text('{"sweep_id": "swept"}')
    if arguments == ("--config-is-bad",):
        (place.folder / "cuda-l1.toml").write_text('efort = "quick"\n')
        arguments = ("verify", "task.py", "fast.py")
    done = place.run(*arguments)
    assert done.returncode == code, done.stderr
    assert words in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--budget", "5dollars"), "setting budget (command line): budget '5dollars': expected a number"),
        (("--rounds", "-1"), "setting rounds (command line): Input should be greater than or equal to 0"),
    ],
)
def test_a_mistake_on_resuming_is_no_bug_of_ours(place: Place, given: tuple[str, str], words: str) -> None:
    record = {"run_id": "run", "task": jsonable(make_task()), "config": jsonable(OptimizeConfig(device="cpu"))}
    (place.folder / "run").mkdir()
    (place.folder / "run" / "config.json").write_text(json.dumps(record))
    done = place.run("optimize", "--resume", "run", *given, "--json")
    data = json.loads(done.stdout)
    assert (done.returncode, data["exit_code"], data["error"]["type"]) == (2, 2, "ConfigError")
    assert words in data["error"]["message"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"config": []}, "config.json: config is a list, expected dict"),
        ({"config": {"archive": 3}}, "config.json: archive is a int, expected str | None"),
        ({"run_id": ["run"]}, "config.json: run_id is a list, expected str"),
        ({"run_id": "../../x"}, "run_id '../../x' names no folder"),
        ({"task": 3}, "config.json: task does not read: Input should be a valid dictionary"),
        ({"task": {"id": "a", "name": "b"}}, "config.json: task.source does not read: Field required"),
    ],
)
def test_a_record_that_is_none_of_a_run_is_no_bug_of_ours(place: Place, changed: dict[str, Any], words: str) -> None:
    record = {"run_id": "run", "task": jsonable(make_task()), "config": jsonable(OptimizeConfig(device="cpu"))}
    (place.folder / "run").mkdir()
    (place.folder / "run" / "config.json").write_text(json.dumps(record | changed))
    done = place.run("optimize", "--resume", "run")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr


def test_events_that_are_none_are_told_by_their_line(place: Place) -> None:
    config = OptimizeConfig(device="cpu", out=str(place.folder), archive=str(place.archive))
    record = {"run_id": "run", "task": jsonable(make_task()), "config": jsonable(config)}
    (place.folder / "run").mkdir()
    (place.folder / "run" / "config.json").write_text(json.dumps(record))
    (place.folder / "run" / "events.jsonl").write_text('{"a": 1}\n')
    done = place.run("optimize", "--resume", "run")
    assert done.returncode == 2
    assert "events.jsonl, line 1: expected an event and its time, found a" in done.stderr


@pytest.mark.parametrize("group", [(), ("archive",), ("model",), ("train",)])
def test_a_group_alone_shows_its_commands_whole(place: Place, group: tuple[str, ...]) -> None:
    done = place.run(*group)
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: ")
    assert "..." not in done.stderr.partition("Commands:")[2]


@pytest.mark.parametrize("command", ["verify", "bench"])
def test_code_that_nothing_here_can_build_is_no_verdict(
    place: Place, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    build = "from torch.utils.cpp_extension import load_inline\nload_inline('k', cpp_sources='int f();')\n"
    (place.folder / "kernel.py").write_text(build + FAST)
    monkeypatch.setenv("PATH", str(place.folder))
    monkeypatch.delenv("CXX", raising=False)
    done = place.run(command, "task.py", "kernel.py", *GLANCE)
    assert done.returncode == 3
    assert done.stderr == "error: candidate kernel.py is cpp: c++ not found: see cuda-l1 doctor\n"


def test_json_is_one_object_on_failure_too(place: Place) -> None:
    done = place.run("verify", "nothing.py", "fast.py", "--json")
    data = json.loads(done.stdout)
    assert done.returncode == data["exit_code"] == 2
    assert data["error"]["type"] == "TaskError"
    assert "nothing.py" in data["error"]["message"]


def test_optimize_finds_verifies_and_writes_a_faster_module(place: Place) -> None:
    with open(place.folder / "task.py", "a") as file:
        file.write('print("a word of the user\'s own module")\n')
    done = place.finish("optimize", "task.py", "--json", *QUICK, "--transforms", "dead_operations")
    assert "a word of the user's own module" in done.stderr, "stdout holds data alone"
    data = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert data["outcome"] == "win"
    folder = place.folder / data["folder"]
    assert {"config.json", "events.jsonl", "report.md", "result.json", "best.py"} <= {p.name for p in folder.iterdir()}
    assert (folder.parent / "latest").resolve() == folder.resolve()
    best = (folder / "best.py").read_text()
    assert "cuda_l1" not in best
    again = place.run("verify", "task.py", str(folder), *QUICK)
    assert again.returncode == 0, again.stdout
    events = [json.loads(line)["event"] for line in (folder / "events.jsonl").read_text().splitlines()]
    assert events[0] == "launch"
    assert events[-1] == "done"
    report = place.run("report", str(folder))
    assert "vs eager" in report.stdout
    listed = place.run("archive", "ls", "--json")
    assert [run["id"] for run in json.loads(listed.stdout)["runs"]] == [data["run_id"]]
    with place.start("archive", "show", data["best"]["candidate_id"]) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(timeout=60) == 0, "a reader that leaves early is no error"


def test_nothing_faster_says_so_and_exits_1(place: Place) -> None:
    done = place.run("optimize", "constant.py", *GLANCE, *SEARCH)
    assert done.returncode == 1
    assert "degenerate" in done.stderr
    assert not list(place.folder.glob("runs/*/best.py"))


def test_the_end_says_what_became_of_code_that_failed(place: Place) -> None:
    alone = (*GLANCE, "--transforms", "none")
    untried = place.run("optimize", "task.py", *alone)
    assert (untried.returncode, "nothing was tried; a model may find more" in untried.stderr) == (1, True)
    reply = {"task_id": tasks.load("task.py").id, "reply": f"```python\n{FAST.replace('tanh(x)', 'tanh(y)')}```"}
    (place.folder / "replies.jsonl").write_text(json.dumps(reply) + "\n")
    asked = ("--model", "replies:replies.jsonl", "--rounds", "1", "--samples", "1", "--repairs", "0")
    done = place.run("optimize", "task.py", *alone, *asked)
    assert done.returncode == 1
    table = done.stderr.partition("vs best baseline")[2]
    assert "CRASHED" in table


def test_dry_run_prints_the_prompt_and_asks_nobody(place: Place) -> None:
    asked = ("optimize", "task.py", "--model", "gpt-5.4-mini", "--dry-run", "--context-tokens", "9000", *GLANCE)
    data = json.loads(place.run(*asked, "--json").stdout)
    assert data["exit_code"] == 0
    assert "torch.special.i0e" in data["messages"][-1]["content"]
    assert data["all"]["usd"] > data["round"]["usd"] > 0
    assert not (place.folder / "runs").exists()


def wait_for(condition: object, process: subprocess.Popen[str], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)


def events(place: Place) -> list[dict[str, object]]:
    return [
        json.loads(line)
        for path in place.folder.glob("runs/[0-9]*/events.jsonl")
        for line in path.read_text().splitlines()
    ]


def test_kill_9_then_resume_judges_nothing_twice(place: Place) -> None:
    process = place.start("optimize", "task.py", *QUICK, *SEARCH)
    wait_for(lambda: any(e["event"] == "candidate" for e in events(place)), process)
    process.kill()
    process.communicate()
    (folder,) = place.folder.glob("runs/[0-9]*")
    before = {e["candidate_id"] for e in events(place) if e["event"] == "candidate"}
    done = place.run("optimize", "--resume", str(folder), "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    with Archive(place.archive) as archive:
        counts = Counter(each.candidate_id for each in archive.evaluations(data["run_id"]))
    assert before <= set(counts)
    told = [e["candidate_id"] for e in events(place) if e["event"] == "confirmation"]
    assert data["best"]["candidate_id"] in told, "a win is judged once more before it is declared"
    assert counts == Counter({*counts}) + Counter(told)
    reused = {e["candidate_id"] for e in events(place) if e["event"] == "candidate" and e["reused"]}
    assert before <= reused


def test_ctrl_c_keeps_what_was_found(place: Place) -> None:
    process = place.start("optimize", "task.py", "--json", *GLANCE, *SEARCH)
    wait_for(lambda: any(e["event"] == "candidate" for e in events(place)), process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    data = json.loads(out)
    assert data["ended"] == "interrupted"
    assert data["candidates"]


def test_bench_lists_baselines_and_candidates(place: Place) -> None:
    done = place.run("bench", "task.py", "fast.py", "--json", *QUICK)
    data = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert [row["name"] for row in data["rows"]] == ["fast.py", "eager"]
    assert data["rows"][0]["verdict"] == "FAST"


def test_bench_says_why_code_does_not_compile(place: Place) -> None:
    printed = f"c++ {'-I/opt ' * 100}\n/opt/main.cpp:3:5: error: 'y' was not declared"
    (place.folder / "broken.py").write_text(f"raise RuntimeError({printed!r})\n")
    done = place.run("bench", "task.py", "broken.py", *GLANCE)
    assert done.returncode == 0, done.stderr
    assert "BUILD_FAILED  build: main.cpp:3:5: error: 'y' was not declared" in done.stdout


def test_archive_of_the_settings_file_is_everyones(place: Place) -> None:
    (place.folder / "cuda-l1.toml").write_text('version = 1\narchive = "kept.sqlite"\n')
    assert place.run("archive", "ls").returncode == 0
    assert (place.folder / "kept.sqlite").is_file()
    assert not place.archive.exists()


def test_our_own_bug_says_so_and_keeps_its_traceback(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(place.folder / "cache"))
    (place.folder / "latest").mkdir()
    monkeypatch.setattr(search, "saved", lambda folder: folder[0])
    done = place.run("report", "latest", "--json")
    data = json.loads(done.stdout)
    assert (done.returncode, data["exit_code"], data["error"]["type"]) == (2, 2, "InternalError")
    assert "This is a bug of cuda-l1" in data["error"]["message"]
    assert "Traceback" in (place.folder / "cache" / "cuda-l1" / "crash.log").read_text()


def test_a_bug_keeps_its_exit_code_where_its_traceback_cannot_be_written(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(place.folder / "task.py"))
    (place.folder / "latest").mkdir()
    monkeypatch.setattr(search, "saved", lambda folder: folder[0])
    done = place.run("report", "latest")
    assert done.returncode == 2
    assert "This is a bug of cuda-l1" in done.stderr
    assert "cannot be written: Not a directory" in done.stderr
