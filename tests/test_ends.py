"""How a command ends where its surroundings end it, or take its streams away: real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from records import make_evaluation, make_task

from cuda_l1 import claims, journal
from cuda_l1.cli import main, stops
from cuda_l1.errors import UsageError
from cuda_l1.judge import JudgeConfig, pool
from cuda_l1.sandbox import kin
from cuda_l1.types import Status

SLOW = """import os, time
if os.fork() == 0:
    open(f"{os.environ['TMPDIR']}/{os.getpid()}.child", "w").close()
time.sleep(60)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "task.py").write_text(make_task().source)
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "no_class.py").write_text("import torch\n")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def verify(candidate: str, *more: str) -> list[str]:
    given = ["verify", "task.py", candidate, "--device", "cpu", "--effort", "glance", "--baselines", "none", *more]
    return [sys.executable, "-m", "cuda_l1.cli", *given]


def test_no_line_of_a_tasks_error_begins_like_one_of_ours(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = "boo\r\nPASSED  FAST   task, candidate\nspeedup     9.52x"
    (place / "task.py").write_text(make_task().source.replace("return torch.relu(x)", f"raise ValueError({said!r})"))
    with pytest.raises(SystemExit) as end:
        main(verify("no_class.py", "-q")[3:])
    out, err = capsys.readouterr()
    assert (end.value.code, out) == (2, "")
    assert "PASSED  FAST" in err
    assert [line[:6] for line in err.splitlines() if not line.startswith("  ")] == ["error:"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_who_is_told_to_stop_ends_as_by_ctrl_c(
    place: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setenv("TMPDIR", str(place))
    with subprocess.Popen(verify("slow.py", "--json"), stdout=-1, stderr=-1, text=True) as process:
        try:
            deadline = time.monotonic() + 120
            while not (born := list(place.glob("cuda-l1-worker-*/tmp/*.child"))):
                assert process.poll() is None, process.communicate()
                assert time.monotonic() < deadline
                time.sleep(0.05)
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == json.loads(out)["exit_code"] == 128 + number, err
    assert err.endswith("error: interrupted\n")
    assert kin.is_over(int(born[0].stem))
    assert not list(place.glob("cuda-l1-worker-*"))


def test_a_hangup_that_is_ignored_stays_so_and_afterwards_all_is_as_it_was() -> None:
    before = [signal.signal(signal.SIGHUP, signal.SIG_IGN), signal.getsignal(signal.SIGTERM)]
    try:
        with stops.heard():
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before[0])
    assert signal.getsignal(signal.SIGTERM) == before[1]


STOPPED = """import os, sys
from cuda_l1.cli import stops
with stops.heard():
    try:
        exec("os.kill(os.getpid(), int(sys.argv[1])); [0 for _ in range(10**7)]")
    except KeyboardInterrupt:
        code = stops.exit_code()
sys.exit(code)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_exit_code_of_a_stop_holds_wherever_it_came(place: Path, number: signal.Signals) -> None:
    (place / "stopped.py").write_text(STOPPED)
    done = subprocess.run([sys.executable, "-m", "stopped", str(int(number))], cwd=place, timeout=60, check=False,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))  # fmt: skip
    assert done.returncode == 128 + number


@pytest.mark.slow
@pytest.mark.parametrize(
    ("streams", "code", "is_shown"),
    [
        (">/dev/full", 2, False), ("--json <&- >&- 2>&-", 1, False), ("2>&-", 1, True), ("2>/dev/full", 1, True),
        ("2> >(true)", 1, True),
    ],
)  # fmt: skip
def test_the_code_says_the_outcome_whatever_becomes_of_the_streams(
    place: Path, streams: str, code: int, is_shown: bool
) -> None:
    command = f"{' '.join(verify('no_class.py'))} {streams}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert_ended(done, code)
    assert ("BUILD_FAILED" in done.stdout) is is_shown


def assert_ended(done: subprocess.CompletedProcess[str], code: int) -> None:
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    if code == 2:
        why = "stdout cannot be written (No space left on device)"
        assert done.stderr.endswith(f"error: {why}: lead it elsewhere and ask again\n")


@pytest.mark.parametrize(("lead", "code"), [("--json >/dev/full", 2), (">&-", 0)])
def test_so_it_does_of_a_report(place: Path, lead: str, code: int) -> None:
    """All commands write text alike, and JSON; this one needs no judge for it."""
    fields = {"level_id": 1, "task_id": 1, "ref_code": make_task().source, "custom_code": "import torch\n"}
    (place / "own.json").write_text(json.dumps(fields | {"score_default": 2.0, "score_cudnn": None}))
    [claim] = claims.load("cuda-l1:own.json")
    assert claim.candidate is not None
    with claims.opened(place / "judged", claims.listing([claim], "cuda-l1:own.json", JudgeConfig())) as results:
        results.add(claim.row, [make_evaluation(claim.candidate, Status.BUILD_FAILED)])
    command = f"{sys.executable} -m cuda_l1.cli report judged {lead}"
    assert_ended(subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60), code)


def test_an_error_without_a_place_to_be_told_keeps_its_code(place: Path) -> None:
    command = f"{' '.join(verify('missing.py', '--json'))} >/dev/full 2>/dev/full"
    assert subprocess.run(["bash", "-c", command], timeout=120).returncode == 2


def test_a_machine_that_has_no_more_to_give_is_no_bug_of_ours(place: Path) -> None:
    command = f"ulimit -f 1; {' '.join(verify('no_class.py', '--json'))}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    told = json.loads(done.stdout)
    assert (done.returncode, told["exit_code"], told["error"]["type"]) == (3, 3, "CannotJudgeError")
    assert "File too large" in told["error"]["message"]
    assert "ulimit -f" in done.stderr
    assert "bug" not in done.stderr


@pytest.mark.slow
def test_an_encoding_of_few_letters_and_a_umask_that_hides_files_from_their_owner_stop_no_verdict(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    (place / "same.py").write_text(make_task().source.replace("Model(", "ModelNew("))
    done = subprocess.run(verify("same.py"), capture_output=True, text=True, umask=0o777, timeout=120)
    assert done.returncode in (0, 1), done.stderr
    assert "PASSED" in done.stdout
    assert "?s" in done.stdout


@pytest.mark.parametrize("told", ["--quiet", "--json"])
def test_what_ended_a_search_is_said_also_where_little_is(
    place: Path, capsys: pytest.CaptureFixture[str], told: str
) -> None:
    (place / "none.jsonl").write_text("")
    given = ["optimize", "task.py", "--device", "cpu", "--baselines", "none", "--transforms", "none"]
    with pytest.raises(SystemExit) as end:
        main([*given, "--model", "replies:none.jsonl", told])
    assert end.value.code == 4
    assert "error: replies:none.jsonl holds no further reply for this task\n" in capsys.readouterr().err


@pytest.mark.parametrize("asked", ["--help", "eval --help", "--version"])
@pytest.mark.parametrize(("lead", "code"), [(">/dev/full", 2), ("> >(true)", 0), (">&-", 0)])
def test_help_that_cannot_be_written_is_no_bug_of_ours(place: Path, asked: str, lead: str, code: int) -> None:
    command = f"sleep 0.3; exec {sys.executable} -m cuda_l1.cli {asked}"
    done = subprocess.run(["bash", "-c", f"({command}) {lead}"], stderr=-1, text=True, timeout=60)
    why = "error: stdout cannot be written (No space left on device): lead it elsewhere and ask again\n"
    assert (done.returncode, done.stderr) == (code, why if code else "")


WRITES = """import sys
from pathlib import Path
from cuda_l1 import errors, journal
path = Path(sys.argv[1])
for write in (lambda: journal.replace(path / "text", "x" * 4096), lambda: journal.tell(path / "lines", "y" * 4096)):
    try:
        write()
    except errors.UsageError as error:
        print(error)
"""


def test_a_full_disk_is_told_and_leaves_what_was_there(place: Path) -> None:
    for name in ("text", "lines"):
        (place / name).write_text('{"event": "old"}\n')
    command = f'ulimit -f 1; exec {sys.executable} -c "$0" {place}'  # a kilobyte a file
    done = subprocess.run(["bash", "-c", command, WRITES], capture_output=True, text=True, timeout=60)
    told = "cannot be written (File too large): make room for it, or name another place"
    assert done.stdout.splitlines() == [f"{place / name} {told}" for name in ("text", "lines")], done.stderr
    assert (place / "text").read_text() == '{"event": "old"}\n'
    assert journal.lines(place / "lines") == [{"event": "old"}]
    assert sorted(each.name for each in place.iterdir() if each.name.startswith(".")) == []


def test_what_stands_where_a_file_or_a_link_should_is_told(place: Path) -> None:
    (place / "latest").mkdir()
    for write in (journal.replace, journal.link):
        with pytest.raises(UsageError, match=r"latest cannot be written \(Is a directory\)"):
            write(place / "latest", "run")
    assert not list(place.glob(".latest*"))


ORPHAN = """
import multiprocessing, os, sys, time
from pathlib import Path
from cuda_l1.judge import pool


def late(folder, parent):
    (folder / f"{os.getpid()}.born").touch()
    while os.getppid() == parent:
        time.sleep(0.01)
    pool._begin(None, 1, None)
    (folder / "lives").touch()


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    multiprocessing.get_context("spawn").Process(target=late, args=(folder, os.getpid())).start()
    while not list(folder.glob("*.born")):
        time.sleep(0.01)
    os._exit(0)
"""


def test_a_worker_whose_command_is_killed_while_it_starts_does_not_stay(place: Path) -> None:
    (place / "orphan.py").write_text(ORPHAN)
    subprocess.run([sys.executable, "orphan.py", str(place)], check=True, timeout=120)
    (pid,) = (int(path.stem) for path in place.glob("*.born"))
    deadline = time.monotonic() + 60
    while not kin.is_over(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert not (place / "lives").exists()


NAPS = """
import time
from cuda_l1.judge import pool

if __name__ == "__main__":
    try:
        for number, _ in pool.each(time.sleep, [0, 60], 2):
            print(number, flush=True)
    except KeyboardInterrupt:
        print("stopped")
"""


def test_ctrl_c_in_a_terminal_makes_no_worker_say_anything(place: Path) -> None:
    """It reaches them too, those that wait for a job as those that are at one."""
    (place / "naps.py").write_text(NAPS)
    command = [sys.executable, "naps.py"]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "0\n"
            for worker in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
                os.kill(int(worker), signal.SIGINT)
            time.sleep(0.3)  # the parent, which ends them, hears of it later
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=60) == ("stopped\n", "")
        finally:
            process.kill()


def test_a_pool_that_is_closed_leaves_nothing_that_python_would_wake_at_its_end() -> None:
    made = pool.Pool(1)
    before = set(threading.enumerate())
    assert pool.outcome(made.submit(os.getpid)) != os.getpid()
    assert set(threading.enumerate()) > before
    made.close()
    assert set(threading.enumerate()) == before
