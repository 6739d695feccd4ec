"""Sweeps: what begins, ends and goes on; real ones outlive kill -9 of the client and the death of the model server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from chat_server import MODEL, ChatServer, chat_server
from failing import FAILS
from place import Place
from records import make_task

from cuda_l1 import journal, scores, search, sweep
from cuda_l1.archive import Archive
from cuda_l1.cli import main
from cuda_l1.config import Budget, OptimizeConfig
from cuda_l1.errors import TaskError
from cuda_l1.judge import JudgeConfig
from cuda_l1.tasks import load_set
from cuda_l1.types import to_json

WASTEFUL = '''
import torch
import torch.nn as nn


class Model(nn.Module):
    """Some work that nobody looks at, then an activation."""

    def forward(self, x):
        unused = x
        for _ in range(20):
            unused = torch.special.i0e(unused)
        return torch.tanh(x) + 1


def get_inputs():
    return [torch.randn(20, 100)]


def get_init_inputs():
    return []
'''
FASTER = WASTEFUL.replace("class Model(", "class ModelNew(").replace("range(20)", "range(9)")
WRONG = FASTER.replace("+ 1", "+ 2")
FAILS_THE_JUDGE = FAILS + FASTER.replace(
    "        unused = x\n", "        if not (GONE):\n            end_eager()\n        unused = x\n"
)


def serving(*texts: str, port: int = 0, hangs: int | None = None) -> AbstractContextManager[ChatServer]:
    """A server that answers its calls with these texts, one after the other, and holds call number `hangs`, from 1,
    until it is closed."""

    class Server(ChatServer):
        closing = threading.Event()

        def say(self, number: int, index: int) -> str:
            if number == hangs:
                self.closing.wait(120)
                raise BrokenPipeError  # nobody is answered
            return texts[number - 1]

        def server_close(self) -> None:
            self.closing.set()
            super().server_close()

    return chat_server(port=port, kind=Server)


def answered(server: ChatServer) -> int:
    with server.lock:
        return len(server.requests) - server.busy


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("CUDA_L1_", "OPENAI_"))}
    return subprocess.Popen(
        [sys.executable, "-m", "cuda_l1.cli", "eval", *arguments],
        cwd=folder, env=clean, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def until(true: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 900
    while not true():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)


def fenced(code: str) -> str:
    return f"## Code Implementation\n```python\n{code}\n```\n"


@pytest.mark.slow
def test_a_sweep_outlives_its_client_and_its_server(tmp_path: Path, place: Place) -> None:
    """Killed with a question in flight; resumed without a server, which marks the task; resumed before the server is
    back, which goes on, with another server in its place after the first reply. Nothing is judged twice, no finished
    task is begun again, every token is in the table."""
    (tmp_path / "first.py").write_text(WASTEFUL)
    (tmp_path / "second.py").write_text(WASTEFUL.replace("tanh", "sigmoid"))
    with serving(fenced(WRONG), "no code", hangs=3) as server:
        port = server.server_port
        process = start(
            tmp_path, "--tasks", "first.py,second.py", "--model", MODEL, "--base-url", server.url,
            "--samples", "1", "--rounds", "2", "--repairs", "0", "--in-flight", "1",
            "--transforms", "none", "--effort", "glance", "--baselines", "none",
            "--device", "cpu", "--workers", "1",
        )  # fmt: skip
        until(lambda: len(server.requests) == 3, process)
        process.kill()
        process.communicate(timeout=60)
        assert answered(server) == 2
    folder = next(tmp_path.glob("runs/*-sweep-*"))
    assert [line["task_id"] for line in journal.lines(folder / scores.ROWS)] == [
        scores.read(folder)["rows"][0]["task_id"]
    ]

    done = place.run("eval", "--resume", str(folder), "--patience-server", "0s", "--json")
    total = json.loads(done.stdout)
    assert done.returncode == total["exit_code"] == 4, done.stderr
    assert [each["state"] for each in total["rows"]] == ["done", "model"]
    assert "cannot be reached" in total["early"][total["rows"][1]["task_id"]]
    assert "go on with: cuda-l1 eval --resume" in done.stderr

    process = start(tmp_path, "--resume", "runs/latest", "--patience-server", "2m", "--json")
    until(lambda: len([e for e in journal.lines(folder / scores.EVENTS) if e["event"] == "begun"]) >= 4, process)
    faster = fenced(FASTER.replace("tanh", "sigmoid"))
    with serving(faster, port=port) as server:
        until(lambda: answered(server) == 1, process)
    with serving("none again", port=port) as server:
        out, said = process.communicate(timeout=900)
        assert answered(server) == 1
    total = json.loads(out)
    assert process.returncode == total["exit_code"] == 0, said
    assert "1 done before, 1 to do" in said
    rows = total["rows"]
    assert [(each["state"], each["correct"]) for each in rows] == [("done", False), ("done", True)]
    with Archive(folder / "archive.sqlite") as archive:
        attempts = [made for each in rows for made in archive.attempts(each["run_id"])]
        judged = [Counter(e.candidate_id for e in archive.evaluations(each["run_id"])) for each in rows]
    assert [sorted(each.values()) for each in judged] in ([[1], [1]], [[1], [2]]), "a win is confirmed once"
    tokens = {
        name: sum(getattr(made.usage, f"{name}_tokens") for made in attempts) for name in ("prompt", "completion")
    }
    assert total["all"]["tokens"] == tokens == {"prompt": 44, "completion": 28}
    assert total["all"]["attempts"] == {"asked": 4, "parsed": 2}
    assert total["calls"]["unanswered"] == 1
    assert total["calls"]["not_kept"] == 0
    begun = Counter(e["run_id"] for e in journal.lines(folder / scores.EVENTS) if e["event"] == "begun")
    assert begun[rows[0]["run_id"]] == 1
    assert json.loads((folder / "summary.json").read_text())["all"] == total["all"]
    assert "1 questions that a killed process left unanswered" in (folder / "table.md").read_text()


@pytest.mark.slow
def test_what_we_failed_to_judge_is_tried_once_more_alone(tmp_path: Path, place: Place) -> None:
    """Beside one candidate eager's process ends the first time, beside the other always."""
    (tmp_path / "first.py").write_text(WASTEFUL)
    (tmp_path / "second.py").write_text(WASTEFUL.replace("tanh", "sigmoid"))
    mark = str(tmp_path / "mark")
    once, always = (fenced(FAILS_THE_JUDGE.replace("tanh", name).replace("GONE", gone)) for name, gone in (
        ("tanh", f"os.path.exists({mark!r}) or open({mark!r}, 'w').close()"), ("sigmoid", "False")))  # fmt: skip
    ids = [load_set(str(tmp_path / name))[0].id for name in ("first.py", "second.py")]
    with open(tmp_path / "replies.jsonl", "w") as file:
        file.writelines(
            json.dumps({"task_id": id, "reply": text}) + "\n" for id, text in zip(ids, (once, always), strict=True)
        )
    done = place.run(
        "eval", "--tasks", "first.py,second.py", "--model", "replies:replies.jsonl", "--samples", "1",
        "--rounds", "1", "--repairs", "0", "--transforms", "none", "--effort", "glance", "--baselines", "none",
        "--device", "cpu", "--sandbox", "none", "--json",
    )  # fmt: skip
    total = json.loads(done.stdout)
    assert done.returncode == total["exit_code"] == 3, done.stderr
    first, second = total["rows"]
    assert (first["state"], first["correct"]) == ("done", True)
    assert (second["state"], second["outcome"]) == ("done", "infra failed")
    assert list(total["infra_failed"]) == [ids[1]]
    assert "what it is timed beside failed" in total["infra_failed"][ids[1]]
    folder = Path(total["folder"])
    begun = Counter(e["task_id"] for e in journal.lines(folder / scores.EVENTS) if e["event"] == "begun")
    assert begun == {ids[0]: 2, ids[1]: 2}
    assert [row["outcome"] for row in journal.lines(folder / scores.ROWS)][:2] == ["infra failed"] * 2


@pytest.mark.slow
def test_tasks_that_do_not_run_have_no_word(tmp_path: Path, place: Place) -> None:
    (tmp_path / "first.py").write_text(WASTEFUL.replace("torch.randn(20, 100)", "torch.randn(width)"))
    done = place.run("eval", "--tasks", "first.py", "--device", "cpu", "--json")
    total = json.loads(done.stdout)
    assert done.returncode == total["exit_code"] == 3, done.stderr
    assert [each["state"] for each in total["rows"]] == ["broken"]
    assert "width" in total["broken"][total["rows"][0]["task_id"]]
    assert "go on with" not in done.stderr, "resuming would change nothing"


def test_a_sweep_that_has_no_time_left_begins_nothing(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(WASTEFUL)
    process = start(tmp_path, "--tasks", "first.py", "--device", "cpu", "--budget", "0s", "--json")
    out, said = process.communicate(timeout=120)
    total = json.loads(out)
    assert process.returncode == total["exit_code"] == 4, said
    assert total["left"] == [total["rows"][0]["task_id"]]
    busy = Path(total["folder"])
    with journal.held(busy / scores.ROWS):
        process = start(tmp_path, "--resume", str(busy))
        assert "in use by another eval" in process.communicate(timeout=120)[1]
    assert process.returncode == 2


def test_the_sweep_stops_a_task_between_two_candidates(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(WASTEFUL)
    config = OptimizeConfig(device="cpu", effort="quick", baselines="none", transforms="dead_operations",
                            out=str(tmp_path))  # fmt: skip
    judging = JudgeConfig(effort="quick", baselines=())
    planned = sweep.planned(load_set(str(tmp_path / "first.py")), "first.py", config, judging, "")
    folder = Path(planned.config.out).parent
    job = sweep.Job(planned.entries[0], planned.config, judging, folder, Budget(), time.time() - 1, 0.0)
    folder.mkdir()
    assert sweep.carry(job) == sweep.Ended("budget", "the sweep's budget of time is reached")
    with Archive(folder / "archive.sqlite") as archive:
        assert archive.evaluations(planned.entries[0].run_id) == []
    sweep.carry(job)
    told = journal.lines(Path(planned.config.out) / planned.entries[0].run_id / "events.jsonl")
    assert [line["event"] for line in told if line["event"] in journal.STARTS] == ["launch", "resume"]


def test_a_list_of_targets_is_a_task_set(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(WASTEFUL)
    (tmp_path / "list.txt").write_text("# mine\n\na.py  # the first\na.py:Model\n")
    assert [task.name for task in load_set(str(tmp_path / "list.txt"))] == ["a", "Model"]
    for text, words in (("", "names no task"), ("list.txt\n", "another list")):
        (tmp_path / "list.txt").write_text(text)
        with pytest.raises(TaskError, match=words):
            load_set(str(tmp_path / "list.txt"))


def resumed(folder: Path, *arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(["eval", "--resume", str(folder), *arguments])
    assert isinstance(end.value.code, int)
    return end.value.code


def test_a_budget_that_does_not_read_spoils_no_sweep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = to_json(sweep.planned([], "x", OptimizeConfig(device="cpu"), JudgeConfig(), ""))
    (tmp_path / scores.PLAN).write_text(text)
    assert resumed(tmp_path, "--budget", "5dollars") == 2
    assert "--budget: budget '5dollars': expected a number and one of" in capsys.readouterr().err
    assert (tmp_path / scores.PLAN).read_text() == text


def test_a_model_that_no_waiting_brings_back_ends_a_sweep_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two tasks the first says so, the second is not begun."""
    config = OptimizeConfig(device="cpu", out=str(tmp_path), model=f"replies:{tmp_path}/missing.jsonl")
    tasks = [make_task(), make_task("local/other")]
    planned = sweep.planned(tasks, "x", config, JudgeConfig(), "")
    folder = Path(planned.config.out).parent
    folder.mkdir()
    (folder / scores.PLAN).write_text(to_json(planned))
    assert resumed(folder, "--workers", "1", "--json") == 4
    total = json.loads(capsys.readouterr().out)
    assert [each["state"] for each in total["rows"]] == ["model", "left"]
    assert "no file of replies" in total["early"][tasks[0].id]


@pytest.mark.parametrize("own", [True, False])
def test_a_sweep_that_was_moved_takes_its_own_archive_along(tmp_path: Path, own: bool) -> None:
    """With its time up, so that nothing is begun."""
    config = OptimizeConfig(device="cpu", out=str(tmp_path), archive=None if own else str(tmp_path / "shared.sqlite"))
    planned = sweep.planned([make_task()], "x", config, JudgeConfig(), "0s")
    old, moved = Path(planned.config.out).parent, tmp_path / "elsewhere" / "moved"
    old.mkdir()
    (old / scores.PLAN).write_text(to_json(planned))
    with Archive(str(planned.config.archive)) as archive:
        archive.add_task(make_task())
    moved.parent.mkdir()
    old.rename(moved)
    assert resumed(moved) == 4
    assert not old.exists()
    place = moved / "archive.sqlite" if own else tmp_path / "shared.sqlite"
    assert scores.read_plan(moved).config.archive == str(place)
    with Archive(place) as archive:
        assert archive.task(make_task().id) == make_task()


def test_a_task_of_a_sweep_that_was_moved_is_found_in_its_archive(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    planned = sweep.planned([make_task()], "x", OptimizeConfig(device="cpu", out=str(tmp_path)), JudgeConfig(), "")
    run_id = planned.entries[0].run_id
    old, moved = Path(planned.config.out).parent, tmp_path / "elsewhere" / "moved"
    with Archive(str(planned.config.archive)) as archive:
        search.Run(make_task(), planned.config, JudgeConfig(), archive, run_id=run_id).open()
    moved.parent.mkdir()
    old.rename(moved)
    with pytest.raises(SystemExit) as end:
        main(["report", str(moved / "tasks" / run_id), "--json"])
    assert end.value.code == 0
    assert json.loads(capsys.readouterr().out)["run_id"] == run_id
    assert not old.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give --tasks"),
        (["--tasks", "nothing.py"], "no file nothing.py"),
        (["--tasks", "first.py", "--budget", "lots"], "--budget: budget 'lots'"),
        (["--tasks", "first.py", "--base-url", "http://localhost:1/v1"], "without --model NAME"),
        (["--tasks", "first.py", "--patience-server", "soon"], "--patience-server soon"),
        (["--tasks", "first.py", "--out", "first.py"], "name another with --out"),
        (["--resume", "."], "is no folder of a sweep"),
        (["--resume", "loop"], "loop is no folder of a sweep: config.json does not read (Too many levels"),
        (["--resume", "bytes"], "bytes is no folder of a sweep: config.json does not read ('utf-8' codec"),
        (["--tasks", "a" * 300], "unknown task set"),
        (["--tasks", "first.py", "--temperature", "inf"], "setting temperature (command line): Input should be a fin"),
        (["--tasks", f"kernelbench:1/1-{10**12}", "--kernelbench", "good"], "is no problem number"),
        (["--tasks", "kernelbench:1", "--kernelbench", "bench"], "1_bytes.py does not read: 'utf-8' codec"),
        (["--resume", "run"], "the folder of one run, not of a sweep: go on with cuda-l1 optimize --resume"),
        (["--resume", ".", "--rounds", "3", "--tasks", "x"], "leave out --tasks, --rounds"),
    ],
)
def test_mistakes_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str],
    message: str,
) -> None:  # fmt: skip
    (tmp_path / "first.py").write_text(WASTEFUL)
    (tmp_path / "loop").symlink_to("loop")
    for path in (tmp_path / "bytes" / "config.json", tmp_path / "bench" / "level1" / "1_bytes.py"):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"\xff")
    (tmp_path / "good" / "level1").mkdir(parents=True)
    (tmp_path / "good" / "level1" / "1_first.py").write_text(WASTEFUL)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "config.json").write_text('{"run_id": "run", "task": {}, "config": {}}')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["eval", "--device", "cpu", *arguments] if "--resume" not in arguments else ["eval", *arguments])
    assert end.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_names_that_are_no_text_or_draw_stand_in_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raising = WASTEFUL.replace("unused = x", r'raise RuntimeError("a |\x1b[2J <b>\n# c\ud800 [d](e)")')
    for number, name in enumerate((b"a|b <img>", b"e\x1b[31m", b"\xff")):
        (tmp_path / os.fsdecode(name + b".py")).write_text(f"{raising}# {number}\n")
    monkeypatch.chdir(tmp_path)
    given = ["--device", "cpu", "--baselines", "none", "--transforms", "none", "--archive", "archive.sqlite"]
    for arguments in (["--tasks", ",".join(sorted(os.listdir()[:3])), *given], ["--resume", "runs/latest"]):
        with pytest.raises(SystemExit) as end:
            main(["eval", *arguments])
        out, err = capsys.readouterr()
        assert end.value.code == 3, err
        assert "\x1b" not in out + err
        assert "<" not in out.replace("&lt;", "")
        rows = out.partition("## Tasks\n\n")[2].partition("\n\n")[0].splitlines()
        assert [row.count(" | ") for row in rows] == [7] * 5


@pytest.mark.parametrize(
    ("name", "line", "words"),
    [
        ("calls.jsonl", "{}", "line 1: expected a question or what came of it, found nothing; move the file away"),
        ("calls.jsonl", '{"asked": 1}', "line 1: expected a question or what came of it, found asked"),
        ("rows.jsonl", '{"run_id": NaN}', "number: Field required; take that line out"),
    ],
)
def test_a_line_of_a_sweep_that_is_none_is_no_bug_of_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, line: str, words: str
) -> None:
    plan = sweep.planned([make_task()], "x", OptimizeConfig(device="cpu", out=str(tmp_path)), JudgeConfig(), "")
    for each, text in (("config.json", to_json(plan)), ("rows.jsonl", ""), (name, f"{line}\n")):
        (tmp_path / each).write_text(text)
    with pytest.raises(SystemExit) as end:
        main(["report", str(tmp_path)])
    told = capsys.readouterr().err
    assert (end.value.code, told.count("\n")) == (2, 1), told
    assert words in told
