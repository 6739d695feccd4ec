"""A release of claims: its file read, its rows judged for real on a CPU through kill -9 and Ctrl-C, its numbers."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))


from cuda_l1 import claims
from cuda_l1.cli import main
from cuda_l1.errors import UsageError
from cuda_l1.judge import JudgeConfig
from cuda_l1.types import to_json

WASTEFUL = '''
import torch
import torch.nn as nn


class Model(nn.Module):
    """Milliseconds of work that nobody looks at, then an activation."""

    def forward(self, x):
        unused = x
        for _ in range(30):
            unused = torch.special.i0e(unused)
        return torch.tanh(x) + 1


def get_inputs():
    return [torch.randn(20, 100)]
'''
"""Without get_init_inputs, as other projects' may be."""
FAST = WASTEFUL.replace("class Model(", "class ModelNew(").replace("range(30)", "range(11)")
"""By less than what the judge judges again as a record."""
SLOW = FAST.replace("range(11)", "range(60)")
LONGER = WASTEFUL.replace("torch.randn(20, 100)", "torch.randn(50, 100)")
"""The task of the row at which a run is interrupted: there is time for it."""
WRONG = FAST.replace("+ 1", "+ 2")
CODES = {
    "1/1": (FAST, 1.02),
    "1/2": (SLOW, 4.0),
    "1/3": (WRONG, 9.0),
    "2/1": ("class ModelNew(:\n", 1.5),
    "2/2": ("None", 7.2),
    "2/3": (None, None),
}
GLANCE = ("--device", "cpu", "--effort", "glance", "--baselines", "none")


def release_line(row: str, code: str | None, score: float | None, **other: Any) -> str:
    level, number = row.split("/")
    task = LONGER if row == "1/3" else WASTEFUL
    fields = {"level_id": int(level), "task_id": int(number), "ref_code": task, "custom_code": code}
    return json.dumps(fields | {"score_default": score, "score_cudnn": None} | other)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("claims")
    (folder / "own.json").write_text("\n".join(release_line(row, *rest) for row, rest in CODES.items()) + "\n")
    return folder


def start(place: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "cuda_l1.cli", "verify", "--claims", "cuda-l1:own.json", *GLANCE, *arguments]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CUDA_L1_")}
    return subprocess.Popen(command, cwd=place, env=clean, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for_rows(path: Path, count: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 300
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)


class Run(NamedTuple):
    code: int
    out: str
    said: str


def finish(process: subprocess.Popen[str]) -> Run:
    """Its end, and that of all that it started: whoever is left would hold the pipes."""
    out, said = process.communicate(timeout=60)
    return Run(process.returncode, out, said)


def here(place: Path, *arguments: str) -> Run:
    """The same in this process, which has imported torch already; its workers are processes of their own."""
    out, said = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        for name in os.environ:
            if name.startswith("CUDA_L1_"):
                patch.delenv(name)
        patch.chdir(place)
        with pytest.raises(SystemExit) as end:
            main(["verify", "--claims", "cuda-l1:own.json", *GLANCE, *arguments])
    assert isinstance(end.value.code, int)
    return Run(end.value.code, out.getvalue(), said.getvalue())


@pytest.fixture(scope="module")
def runs(place: Path) -> Mapping[str, Run]:
    """The release judged in three sittings: killed after the first row, interrupted after the second, then to its end.
    In between, half a line is left as a crash would leave it."""
    results = place / "runs" / "claims-own" / "results.jsonl"
    done = {}
    for name, number, count in (("killed", signal.SIGKILL, 1), ("interrupted", signal.SIGINT, 2)):
        process = start(place)
        wait_for_rows(results, count, process)
        process.send_signal(number)
        done[name] = finish(process)
        with results.open("a") as file:
            file.write('{"row": "1/3", "key": "ab')
    return done | {"finished": here(place, "--json", "-o", "page.md")}


@pytest.mark.slow
def test_nothing_is_judged_twice_and_nothing_is_lost(place: Path, runs: Mapping[str, Run]) -> None:
    assert runs["killed"].code == -signal.SIGKILL
    lines = (place / "runs" / "claims-own" / "results.jsonl").read_text().splitlines()
    assert Counter(json.loads(line)["row"] for line in lines) == Counter(["1/1", "1/2", "1/3", "2/1"])
    rows = {row["row"]: row for row in json.loads(runs["finished"].out)["rows"]}
    assert {name: row["outcome"] for name, row in rows.items()} == {
        "1/1": "PASSED", "1/2": "PASSED", "1/3": "WRONG_OUTPUT", "2/1": "BUILD_FAILED", "2/2": "no code",
        "2/3": "no code",
    }  # fmt: skip
    assert rows["1/2"]["claim"] == "missed"
    assert rows["1/3"]["findings"][0]["check"] == "error"
    assert "line 1" in rows["2/1"]["findings"][0]["detail"]
    assert rows["2/2"]["reason"] == "custom_code is the text 'None'"


def test_an_interrupted_run_says_how_to_go_on(runs: Mapping[str, Run]) -> None:
    assert runs["interrupted"].code == 130
    assert "kept in runs/claims-own, run again to go on" in runs["interrupted"].said
    assert "1 judged before, 2 without code" in runs["interrupted"].said


def test_the_end_says_how_the_claims_stand(place: Path, runs: Mapping[str, Run]) -> None:
    finished = runs["finished"]
    data = json.loads(finished.out)
    assert finished.code == data["exit_code"] == 1
    assert data["claims"]["claimed"] == 5
    assert data["claims"]["failed"] == 2
    assert data["settings"]["mode"] == "eval"
    page = (place / "page.md").read_text()
    assert "Modules ran in eval mode" in page
    for row in data["rows"]:
        assert f"| {row['row']} |" in page
        assert row["seed"] is None or f"| {row['seed']} |" in page


def test_a_report_needs_only_the_folder(
    place: Path, runs: Mapping[str, Run], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    with pytest.raises(SystemExit) as end:
        main(["report", "runs/claims-own", "--json"])
    assert end.value.code == 0
    assert json.loads(capsys.readouterr().out) == json.loads(runs["finished"].out)


def test_the_printed_command_repeats_a_finding(place: Path, runs: Mapping[str, Run]) -> None:
    before = {row["row"]: row for row in json.loads(runs["finished"].out)["rows"]}["1/3"]
    page = (place / "page.md").read_text()
    command = page.partition("on the same inputs: `cuda-l1 verify --claims cuda-l1:own.json ")[2].partition("`")[0]
    arguments = command.replace("ROW", "1/3").replace("SEED", str(before["seed"])).split()
    again = here(place, *arguments, "--json")
    (row,) = json.loads(again.out)["rows"]
    assert (again.code, row["seed"], row["findings"]) == (1, before["seed"], before["findings"])


def test_a_spent_budget_leaves_rows(place: Path) -> None:
    done = here(place, "--time-budget", "0s", "--out", "none", "--only", "1/2-3,2/2")
    assert done.code == 3
    assert "2 rows left, run again to go on" in done.said
    assert "3 rows: 2 left, 1 no code." in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--claims", "own.json"], "expected cuda-l1:FILE"),
        (["--claims", "cuda-l1:missing.json"], "does not read"),
        (["--claims", "cuda-l1:own.json", "--only", "1/9-12"], "has no row 1/9-12"),
        (["--claims", "cuda-l1:own.json", "--only", "12"], "expected LEVEL/ID"),
        (["--claims", "cuda-l1:own.json", "--only", ""], "'' is no row; expected LEVEL/ID"),
        (["--claims", "cuda-l1:own.json", "--time-budget", "soon"], "for instance 9m"),
        (["--claims", "cuda-l1:own.json", "-o", "page.html"], "ends in .md or .json"),
        (["--claims", "cuda-l1:own.json", "-o", "no/page.md"], "there is no folder no"),
        (["--claims", "cuda-l1:own.json", "task.py"], "not with --claims"),
        (["--claims", "cuda-l1:own.json", "--claim", "2x"], "not with --claims"),
        (["task.py", "fast.py", "--only", "1/1"], "only with --claims"),
        (["task.py"], "TARGET and CANDIDATE"),
    ],
)
def test_mistakes_are_said(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(place)
    with pytest.raises(SystemExit) as end:
        main(["verify", *arguments])
    assert end.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2 is no JSON"),
        ("[1]", "line 2: expected an object, found a list"),
        ('{"level_id": 1}', "line 2: task_id must be int, found nothing"),
        (release_line("1/2", FAST, 1.0, task_id="2"), "line 2: task_id must be int, found str"),
        (release_line("1/2", FAST, 1.0, ref_code=None), "line 2: ref_code must be str, found null"),
        (release_line("1/2", FAST, 1.0, task_id=True), "line 2: task_id must be int, found bool"),
        (release_line("1/2", 'x = "\ud800"', 1.0), "line 2: custom_code must be text, found half of a surrogate"),
        (release_line("1/2", FAST, 0.0), "line 2: score_default must be a speedup above 0"),
        (release_line("1/2", FAST, 10**400), "line 2: score_default must be a speedup above 0"),
        (release_line("1/1", FAST, 1.0), "line 2: row 1/1 is there twice"),
        (release_line("1/2", FAST, 1.0, level_id=-1), "line 2: level_id must be 0 or more, found -1"),
        (f"1{'0' * 5000}", "line 2 is no JSON: Exceeds the limit"),
        ("[" * 200_000, "line 2 is no JSON: maximum recursion depth"),
    ],
)
def test_a_line_that_does_not_read_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(f"{release_line('1/1', FAST, 1.0)}\n{line}\n")
    with pytest.raises(UsageError, match=message):
        claims.load(f"cuda-l1:{path}")
    path.write_text("\n")
    with pytest.raises(UsageError, match="holds no claims"):
        claims.load(f"cuda-l1:{path}")
    path.write_bytes("\xfc".encode("latin-1"))
    with pytest.raises(UsageError, match=r"bad\.json: byte 0 is not UTF-8 text: save it as UTF-8"):
        claims.load(f"cuda-l1:{path}")
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(UsageError, match=r"pipe\.json is no regular file"):
        claims.load(f"cuda-l1:{tmp_path / 'pipe.json'}")


def test_a_line_of_json_may_hold_what_ends_a_line_of_text(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    code = f"# \x85\u2028\n{FAST}"
    path.write_text(
        release_line("1/1", code, 1.5).replace("\\u2028", "\u2028").replace("\\u0085", "\x85"), encoding="utf-8"
    )
    [claim] = claims.load(f"cuda-l1:{path}")
    assert claim.candidate is not None
    assert claim.candidate.code == code


def test_rows_are_chosen_by_level_and_number(place: Path) -> None:
    loaded = claims.load(f"cuda-l1:{place / 'own.json'}", mode="train")
    assert [claim.task.mode for claim in loaded] == ["train"] * 6
    for text, rows in (
        ("2/1,1/2-3", ["1/2", "1/3", "2/1"]),
        ("1/1,3", ["1/1", "1/3"]),
        ("2/1-100", ["2/1", "2/2", "2/3"]),
    ):
        assert [claim.row for claim in claims.select(loaded, text)] == rows


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the record: Invalid JSON: EOF"), ("[1]", "the record: Input should be"), ("{}", "name: Field required"),
        ("\xff", "'utf-8' codec can't decode"),
    ],
)  # fmt: skip
def test_a_listing_that_does_not_read_is_told_on_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, why: str
) -> None:
    (tmp_path / claims.LISTING).write_bytes(text.encode("latin-1"))
    with pytest.raises(SystemExit) as end:
        main(["report", str(tmp_path)])
    told = capsys.readouterr().err
    assert (end.value.code, told.count("\n")) == (2, 1), told
    assert f"release.json does not read: {why}" in told
    assert "verify --claims writes it anew" in told


def _listed(folder: Path) -> None:
    found = claims.listing(_release(folder), "cuda-l1:own.json", JudgeConfig())
    (folder / claims.LISTING).write_text(to_json(found))


def test_a_report_is_of_one_release(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _listed(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["report", "another", str(tmp_path)])
    assert end.value.code == 2
    assert f"{tmp_path} is the folder of verify --claims, which is reported alone" in capsys.readouterr().err


def test_a_report_is_written_where_letters_are_few(tmp_path: Path) -> None:
    _listed(tmp_path)
    few = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "cuda_l1.cli", "report", str(tmp_path), "-o", str(tmp_path / "page.md")]
    done = subprocess.run(command, env=few, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "| 1/1 | 1.00x | – |" in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_a_result_that_does_not_read_is_told_on_one_line(tmp_path: Path) -> None:
    loaded = _release(tmp_path)
    listing = claims.listing(loaded, "cuda-l1:own.json", JudgeConfig(device="cpu"))
    row = listing.rows[0]
    line = json.dumps({"row": row.row, "key": row.key, "evaluation": {"status": "?"}})
    (tmp_path / claims.RESULTS).write_text(f"{line}\n")
    (tmp_path / claims.LISTING).write_text(to_json(listing))
    with pytest.raises(
        UsageError, match=r"line 1 does not read: evaluation\.candidate_id: Field required; move"
    ) as told:
        claims.read(tmp_path)
    assert "\n" not in str(told.value)


def test_a_range_of_rows_may_be_as_long_as_it_likes(tmp_path: Path) -> None:
    assert [claim.row for claim in claims.select(_release(tmp_path), f"1/1-{10**18}")] == ["1/1"]


def _release(folder: Path) -> list[claims.Claim]:
    (folder / "own.json").write_text(release_line("1/1", FAST, 1.0) + "\n")
    return claims.load(f"cuda-l1:{folder / 'own.json'}")
