"""The mistakes of a first day at the command line: each ends with its exit code and a word on what to do."""

from __future__ import annotations

import json
from typing import Any

import pytest
from place import FAST, GLANCE, SEARCH, WASTEFUL, Place
from records import make_task

from cuda_l1.archive import Archive
from cuda_l1.config import OptimizeConfig
from cuda_l1.types import jsonable


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (("--transforms", "sdpaa"), "did you mean sdpa?"),
        (("--prompt-dir", "no"), "prompt folder no does not exist"),
        (("--out", "task.py"), "folder task.py cannot be made"),
        (("--out", "task.py/runs"), "folder task.py/runs cannot be made (task.py is no folder): name another with"),
    ],
)
def test_what_no_search_can_begin_with_is_said_before_a_judge_starts(
    place: Place, setting: tuple[str, str], words: str
) -> None:
    for command in (("optimize", "task.py"), ("eval", "--tasks", "task.py")):
        done = place.run(*command, *GLANCE, *setting)
        assert done.returncode == 2, done.stderr
        assert words in done.stderr
        assert "starting the judge" not in done.stderr
        assert not (place.folder / "runs").exists()


NOWHERE = "http://127.0.0.1:9/v1"
MISTAKES = {
    "no such file": (("verify", "nothing.py", "fast.py"), 2, "nothing.py"),
    "no such class": (("optimize", "task.py:Modle", "--inputs", "get_inputs"), 2, "Model"),
    "a class without inputs": (("optimize", "lonely.py:Net"), 2, "--inputs"),
    "no such candidate": (("verify", "task.py", "nothing"), 2, "expected a .py file that defines ModelNew"),
    "candidate that is mistyped": (("verify", "task.py", "fst.py"), 2, "or an id; did you mean fast.py"),
    "candidate without a name": (("verify", "task.py", ""), 2, "no candidate '': expected a .py file"),
    "no file of a function": (("verify", "task.py", "nothing.py:f"), 2, "no file nothing.py, of which nothing.py:f"),
    "no such function": (("verify", "task.py", "fast.py:mine"), 2, "fast.py has no class or function mine"),
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
    "unknown command": (("show",), 2, "See cuda-l1 --help"),
    "a candidate too many": (("verify", "task.py", "fast.py", "fast.py"), 2, "See cuda-l1 verify --help"),
    "--set without a value": (("optimize", "task.py", "--set", "N"), 2, "expected NAME=VALUE"),
    "--set of an unknown constant": (("optimize", "task.py", "--set", "N=3"), 2, "N"),
    "sizes without a value": (("verify", "task.py", "fast.py", "--held-out", "N"), 2, "expected NAME=VALUE"),
    "sizes of an unknown constant": (("verify", "task.py", "fast.py", "--held-out", "N=3"), 2, "N"),
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
    "output that is no tensor": (("verify", "number.py", "fast.py", *GLANCE), 2, "returned no tensor"),
    "dry run without a model": (("optimize", "task.py", "--dry-run"), 2, "add --model NAME"),
    "prompts that are not there": (("optimize", "task.py", *GLANCE, "--model", "m", "--dry-run", "--prompt-dir", "no"),
                                   2, "prompt folder no does not exist"),
    "report of an unknown run": (("report", "nothing"), 2, "no run nothing"),
    "archive that is not there": (("archive", "ls", "--archive", "mistyped.sqlite"), 2, "nothing was tried with it"),
    "archive that is mistyped": (("archive", "ls", "--archive", "data/cuda-l1/archiv.sqlite"), 2, "you mean /"),
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
    Archive(place.archive).close()
    (place.folder / "broken.py").write_text("import torch\nclass Model(:\n")
    (place.folder / "lonely.py").write_text(
        "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x): return x\n"
    )
    (place.folder / "imports.py").write_text(
        WASTEFUL.replace("import torch\n", "import torch\nimport no_such_module\n")
    )
    (place.folder / "raises.py").write_text(WASTEFUL.replace("torch.randn(15, 256)", "torch.randn(15, width)"))
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
    assert not (place.folder / "mistyped.sqlite").exists()


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


def test_json_is_one_object_on_failure_too(place: Place) -> None:
    done = place.run("verify", "nothing.py", "fast.py", "--json")
    data = json.loads(done.stdout)
    assert done.returncode == data["exit_code"] == 2
    assert data["error"]["type"] == "TaskError"
    assert "nothing.py" in data["error"]["message"]
