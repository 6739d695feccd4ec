"""The command line as a user meets it: real processes, real judging of tiny tasks."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import time
from collections import Counter

import pytest
from place import CONSTANT, FAST, GLANCE, QUICK, SEARCH, WASTEFUL, Place

from cuda_l1 import search, tasks
from cuda_l1.archive import Archive
from cuda_l1.cli import cli
from cuda_l1.cli.optimize import named_again
from cuda_l1.config import AblateConfig, BenchConfig, MutantsConfig, OptimizeConfig, VerifyConfig


def test_verify_follows_the_contract(place: Place) -> None:
    done = place.run_for_a_win("verify", "task.py", "fast.py", "--json", "--claim", "1.01x", *GLANCE)
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
    assert "judging wrong.py on cpu, effort glance, against eager\n  asked the module what it gives, in " in done.stderr
    missed = place.run("verify", "task.py", "fast.py", "--claim", "5000x", *GLANCE)
    code, word = (3, "uncertain, for crowded") if "note        crowded" in missed.stdout else (1, "missed")
    assert missed.returncode == code
    assert f"claim       5000x: {word}" in missed.stdout


def test_a_finding_names_the_candidates_own_file(place: Place) -> None:
    """Though it is called as a library is, which its code imports."""
    (place.folder / "torch.py").write_text(FAST.replace("unused = x\n", "unused = self.none\n"))
    (place.folder / "candidate.py").write_text("another of the user's files")
    done = place.run("verify", "task.py", "torch.py", "--json", *GLANCE)
    [finding] = json.loads(done.stdout)["findings"]
    assert "(line 12 in forward, torch.py;" in finding["detail"]
    assert str(place.folder) not in finding["detail"]


@pytest.mark.slow
def test_verify_judges_at_sizes_that_are_held_out_too(place: Place) -> None:
    sized = "ROWS = 15\n" + WASTEFUL.replace("randn(15, 256)", "randn(ROWS, 256)")
    (place.folder / "sized.py").write_text(sized)
    (place.folder / "odd.py").write_text(
        FAST.replace("unused = x\n", "unused = x[: len(x) // 3 * 3].reshape(x.shape)\n")
    )
    held = ("--held-out", "ROWS=18", "--held-out", "ROWS=16")
    done = place.run("verify", "sized.py", "odd.py", *held, "--json", *GLANCE)
    data = json.loads(done.stdout)
    assert data["status"] == "PASSED"
    assert [(at["sizes"], at["status"]) for at in data["held_out"]] == [("ROWS=18", "PASSED"), ("ROWS=16", "CRASHED")]
    assert data["held_out"][0]["speedup_eager"]["value"] > 1
    assert len({data["task_id"], *(at["task_id"] for at in data["held_out"])}) == 3
    assert done.returncode == data["exit_code"] == 1
    shown = place.run("verify", "sized.py", "odd.py", "--held-out", "ROWS=6", "--held-out", "ROWS=-3", *GLANCE)
    assert shown.returncode == 3
    assert "\nheld out    ROWS=6: PASSED  " in shown.stdout
    assert "\nheld out    ROWS=-3: not judged: " in shown.stdout


@pytest.mark.slow
def test_ctrl_c_at_a_later_size_keeps_what_was_judged(place: Place) -> None:
    (place.folder / "sized.py").write_text("ROWS = 15\n" + WASTEFUL.replace("randn(15, 256)", "randn(ROWS, 256)"))
    held = [word for sizes in ("ROWS=-3", "ROWS=16", "ROWS=17") for word in ("--held-out", sizes)]
    process = place.start("verify", "sized.py", "wrong.py", *held, "--json", *GLANCE)
    assert process.stderr is not None
    assert "at ROWS=16\n" in iter(process.stderr.readline, "")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    data = json.loads(out)
    assert process.returncode == data["exit_code"] == 130, err
    assert err.endswith("error: interrupted\n")
    assert data["status"] == "WRONG_OUTPUT"
    first, *others = data["held_out"]
    assert "negative" in first["error"]
    assert others == [{"sizes": f"ROWS={rows}", "status": None, "error": "interrupted"} for rows in (16, 17)]


def test_same_seed_repeats_a_verdict(place: Place) -> None:
    runs = [place.run("verify", "task.py", "wrong.py", "--json", "--seed", "5", *GLANCE) for _ in range(2)]
    first, second = (json.loads(done.stdout) for done in runs)
    assert first["seed"] == second["seed"] == 5
    assert first["findings"] == second["findings"]


@pytest.mark.slow
def test_threshold_on_a_degenerate_task_cannot_be_judged(place: Place) -> None:
    (place.folder / "zero.py").write_text(
        CONSTANT.replace("class Model(", "class ModelNew(").replace("x * 0", "torch.zeros(15, 256)")
    )
    done = place.run("verify", "constant.py", "zero.py", "--json", "--min-speedup", "1.1", *GLANCE)
    data = json.loads(done.stdout)
    assert done.returncode == 3
    assert data["task"]["degenerate"] is True
    assert data["verdict"] != "FAST"


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


def test_optimize_finds_verifies_and_writes_a_faster_module(place: Place) -> None:
    done = place.run_for_a_win("optimize", "task.py", "--json", *QUICK, "--transforms", "dead_operations")
    data = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert data["outcome"] == "win"
    folder = place.folder / data["folder"]
    assert {"config.json", "events.jsonl", "report.md", "result.json", "best.py"} <= {p.name for p in folder.iterdir()}
    assert (folder.parent / "latest").resolve() == folder.resolve()
    best = (folder / "best.py").read_text()
    assert "cuda_l1" not in best
    again = place.run_for_a_win("verify", "task.py", str(folder), *QUICK)
    assert again.returncode == 0, again.stdout
    events = [json.loads(line)["event"] for line in (folder / "events.jsonl").read_text().splitlines()]
    assert events[0] == "launch"
    assert events[-1] == "done"
    report = place.run("report", str(folder))
    assert "vs eager" in report.stdout
    listed = place.run("archive", "ls", "--json")
    assert json.loads(listed.stdout)["exit_code"] == 0
    assert data["run_id"] in {run["id"] for run in json.loads(listed.stdout)["runs"]}
    with place.start("archive", "show", data["best"]["candidate_id"]) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(timeout=60) == 0, "a reader that leaves early is no error"


def test_the_command_that_comes_next_names_the_same_task(place: Place) -> None:
    """Without what `--inputs` and the like said it would not load, or be another task."""
    flags = {"inputs": "x=randn(15, 256)", "init": "256", "sizes": ("A=1", "B=(2, 3)"), "kernelbench": None,
             "precision": "fp32", "mode": None, "device": "cpu", "rounds": 3}  # fmt: skip
    words = named_again("my task.py:Net", flags)
    assert shlex.split(words) == [
        "my task.py:Net", "--inputs", "x=randn(15, 256)", "--init", "256", "--set", "A=1", "--set", "B=(2, 3)",
        "--precision", "fp32", "--device", "cpu",
    ]  # fmt: skip
    assert named_again(None, dict.fromkeys(flags)) == "TARGET"
    (place.folder / "task.py").write_text(WASTEFUL.partition("def get_inputs")[0])
    words = named_again("task.py:Model", flags | {"sizes": ()})
    done = place.run("verify", *shlex.split(words), "wrong.py", "--effort", "glance", "--baselines", "none")
    assert done.returncode == 1, done.stderr


@pytest.mark.slow
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
    place.let_work_longer()
    process = place.start("optimize", "task.py", *GLANCE, *SEARCH)
    wait_for(lambda: any(e["event"] == "candidate" for e in events(place)), process)
    process.kill()
    process.communicate()
    (folder,) = place.folder.glob("runs/[0-9]*")
    with Archive(place.archive) as archive:  # a crowded machine's word is asked for again
        before = {each.candidate_id for each in archive.evaluations(folder.name) if each.is_lasting}
    done = place.run_for_a_win("optimize", "--resume", str(folder), "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    with Archive(place.archive) as archive:
        counts = Counter(each.candidate_id for each in archive.evaluations(data["run_id"]))
    assert before <= set(counts)
    told = [e["candidate_id"] for e in events(place) if e["event"] == "confirmation"]
    assert data["best"]["candidate_id"] in told, "a win is judged once more before it is declared"
    assert {each: counts[each] for each in before} == {each: 1 + told.count(each) for each in before}
    reused = {e["candidate_id"] for e in events(place) if e["event"] == "candidate" and e["reused"]}
    assert before <= reused


def test_ctrl_c_keeps_what_was_found(place: Place) -> None:
    place.let_work_longer()
    with open(place.folder / "task.py", "a") as file:
        file.write('print("a word of the user\'s own module")\n')
    process = place.start("optimize", "task.py", "--json", *GLANCE, *SEARCH)
    wait_for(lambda: any(e["event"] == "candidate" for e in events(place)), process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "a word of the user's own module" in err, "stdout holds data alone"
    data = json.loads(out)
    assert data["ended"] == "interrupted"
    assert data["candidates"]


@pytest.mark.slow
def test_bench_lists_baselines_and_candidates(place: Place) -> None:
    done = place.run("bench", "task.py", "fast.py", "--json", *GLANCE)
    data = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert [row["name"] for row in data["rows"]] == ["fast.py", "eager"]
    assert data["rows"][0]["verdict"] == "FAST"
    assert data["rows"][1]["median_us"] > data["rows"][0]["median_us"]
    assert data["rows"][1]["verdict"] is data["rows"][1]["speedup_eager"] is None, "it is what the others are held to"


def test_bench_says_why_nobody_wins(place: Place) -> None:
    (place.folder / "zero.py").write_text(CONSTANT.replace("class Model(", "class ModelNew("))
    done = place.run("bench", "constant.py", "zero.py", *GLANCE)
    assert done.returncode == 0, done.stderr
    assert re.search(r"zero.py .*AMBIGUOUS +(degenerate_task|crowded): ", done.stdout)
    assert "yardstick" in done.stdout


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_the_help_of_a_command_tells_its_own_defaults(name: str) -> None:
    """A default that stands in a help is the one of the command's config."""
    kinds = {"optimize": OptimizeConfig, "eval": OptimizeConfig, "verify": VerifyConfig, "bench": BenchConfig,
             "mutants": MutantsConfig, "ablate": AblateConfig}  # fmt: skip
    for option in cli.commands[name].params:
        field = kinds[name].model_fields.get(str(option.name)) if name in kinds else None
        told = (getattr(option, "help", None) or "").partition("Default: ")[2]
        if field is not None and told and field.default not in (None, ""):
            assert told.split(", ")[0] == str(field.default), option.name


def test_what_is_said_of_the_output_may_stand_before_the_command(place: Place) -> None:
    Archive(place.archive).close()
    assert json.loads(place.run("--json", "-q", "archive", "ls").stdout)["runs"] == []
    assert json.loads(place.run("archive", "--json", "ls").stdout)["runs"] == []
    assert place.run("-q").stderr.startswith("Usage: ")
    other = place.run("--device", "cpu", "doctor")
    assert (other.returncode, "The options of a command stand after its name. See" in other.stderr) == (2, True)


@pytest.mark.slow
def test_bench_says_why_code_does_not_compile(place: Place) -> None:
    printed = f"c++ {'-I/opt ' * 100}\n/opt/main.cpp:3:5: error: 'y' was not declared"
    (place.folder / "broken.py").write_text(f"raise RuntimeError({printed!r})\n")
    done = place.run("bench", "task.py", "broken.py", *GLANCE)
    assert done.returncode == 0, done.stderr
    assert "BUILD_FAILED  build: main.cpp:3:5: error: 'y' was not declared" in done.stdout


def test_archive_of_the_settings_file_is_everyones(place: Place) -> None:
    (place.folder / "cuda-l1.toml").write_text('version = 1\narchive = "kept.sqlite"\n')
    assert f"no archive {place.folder / 'kept.sqlite'}" in place.run("archive", "ls").stderr
    Archive(place.folder / "kept.sqlite").close()
    assert place.run("archive", "ls").returncode == 0
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


def test_a_failure_that_nobody_foresaw_says_how_to_go_on(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def failed(*_: object) -> str:
        raise RuntimeError("CUDA error: the launch timed out and was terminated")

    monkeypatch.setattr(search.loop, "seed", failed)
    done = place.run("optimize", "task.py", *GLANCE)
    (folder,) = place.folder.glob("runs/[0-9]*")
    assert done.returncode == 2
    assert f"go on with: cuda-l1 optimize --resume runs/{folder.name}" in done.stderr
    assert "CUDA error" in done.stderr


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
