"""The archive keeps what it is given, through twins, kills, crowds and upgrades, and refuses what it cannot read."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa
from records import make_candidate, make_evaluation, make_task, make_win

from cuda_l1.archive import Archive
from cuda_l1.cli import main
from cuda_l1.errors import UsageError
from cuda_l1.types import Attempt, Finding, Status, Usage, Verdict

WRITER = """
import sys
from records import make_candidate, make_evaluation, make_task
from cuda_l1.archive import Archive
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
task = make_task()
with Archive(path) as archive:
    for i in range(count):
        candidate = make_candidate(task, code=f"{name} {i}")
        archive.add_candidate(candidate, task)
        archive.add_evaluation(make_evaluation(candidate), config_digest="c", run_id=name)
        print(i, flush=True)
"""


def start_writer(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    folders = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    command = [sys.executable, "-c", WRITER, str(path), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def read_all(path: Path, task_id: str) -> None:
    with Archive(path) as archive:
        archive.task(task_id)
        archive.ranked(task_id)
        archive.candidate("x")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "archive.sqlite"


@pytest.fixture
def archive(path):
    with Archive(path) as archive:
        yield archive


def rows(path: Path, table: str) -> int:
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    finally:
        connection.close()


def test_everything_comes_back_as_it_was_after_reopening(path):
    task = make_task(tags=("relu",), level=1)
    candidate = make_candidate(task, code="ψ \x00 'quoted'", author="someone", exemplar_ids=("a", "b"))
    finding = Finding(check="output", detail="off by 3")
    evaluation = make_evaluation(candidate, Status.WRONG_OUTPUT, findings=(finding,), max_error=float("inf"))
    usage = Usage(prompt_tokens=3, completion_tokens=4, cost=0.5)
    attempt = Attempt(task_id=task.id, prompt="[]", reply="no", policy="m", parse_error="no code", usage=usage)
    with Archive(path) as archive:
        archive.add_candidate(candidate, task)
        archive.start_run("run", task.id, '{"rounds": 1}')
        archive.add_evaluation(evaluation, config_digest="c", run_id="run")
        archive.add_attempt(attempt, "run")
    with Archive(path) as archive:
        assert archive.task(task.id) == task
        assert archive.candidate(candidate.id) == candidate
        assert archive.evaluation(candidate.id, "c") == evaluation
        assert archive.evaluations("run") == [evaluation]
        assert archive.attempts("run") == [attempt]
        run = archive.run("run")
        assert run is not None
        assert run == archive.runs()[0]
        assert (run.task_id, run.source_digest, run.config_json) == (task.id, task.source_digest, '{"rounds": 1}')
        assert run.started <= run.last


def test_what_is_not_there_is_none_or_empty(archive):
    assert archive.task("x") is None
    assert archive.candidate("x") is None
    assert archive.evaluation("x", "c") is None
    assert archive.run("x") is None
    assert archive.runs() == archive.ranked("x") == archive.attempts("x") == archive.evaluations("x") == []


def test_twins_are_kept_once_with_their_first_author(archive, path):
    task = make_task()
    first = make_candidate(task, author="first")
    archive.add_task(task)
    archive.add_candidate(first, task)
    archive.add_candidate(make_candidate(task, author="second"), task)
    assert rows(path, "tasks") == rows(path, "candidates") == 1
    assert archive.candidate(first.id) == first


def test_one_id_may_have_several_versions_of_its_task(archive):
    small, large = make_task(source="N = 1"), make_task(source="N = 2")
    archive.add_task(small)
    archive.add_task(large)
    archive.add_task(small)
    assert archive.task(small.id) == large
    assert archive.task(small.id, small.source_digest) == small
    archive.start_run("on small", small.id, "{}", source_digest=small.source_digest)
    assert archive.run("on small").source_digest == small.source_digest


def test_the_latest_evaluation_counts_and_earlier_ones_stay(archive):
    task = make_task()
    candidate = make_candidate(task)
    archive.add_candidate(candidate, task)
    first, second = make_win(candidate, 2.0), make_win(candidate, 1.5)
    for evaluation in (first, second):
        archive.add_evaluation(evaluation, config_digest="c", run_id="run")
    archive.add_evaluation(make_win(candidate, 9.0), config_digest="other", run_id="run")
    assert archive.evaluation(candidate.id, "c") == second
    assert [e.evaluation for e in archive.ranked(task.id, "c")] == [second]
    assert archive.evaluations("run")[:2] == [first, second]


def test_our_own_failure_is_no_word_on_a_candidate(archive):
    task = make_task()
    judged, unlucky = make_candidate(task, code="judged"), make_candidate(task, code="unlucky")
    good = make_win(judged, 2.0)
    archive.add_candidate(judged, task)
    archive.add_candidate(unlucky, task)
    archive.add_evaluation(good, config_digest="c", run_id="run")
    for candidate in (judged, unlucky):
        failure = make_evaluation(candidate, Status.INFRA_FAILED)
        archive.add_evaluation(failure, config_digest="c", run_id="run")
    assert archive.evaluation(judged.id, "c") == good
    assert archive.evaluation(unlucky.id, "c") is None
    assert [e.evaluation for e in archive.ranked(task.id)] == [good]
    assert len(archive.evaluations("run")) == 3


def test_ranked_puts_wins_by_score_then_degenerate_then_failures(archive):
    task = make_task()
    made = {name: make_candidate(task, code=name) for name in ("crashed", "slow", "hollow", "fast", "fastest")}
    evaluations = {
        "crashed": make_evaluation(made["crashed"], Status.CRASHED),
        "slow": make_win(made["slow"], 0.5).model_copy(update={"verdict": Verdict.SLOW}),
        "hollow": make_win(made["hollow"], 99.0).model_copy(update={"verdict": Verdict.SAME, "degenerate": True}),
        "fast": make_win(made["fast"], 2.0, eager=3.0),
        "fastest": make_win(made["fastest"], 1.9, eager=4.0),
    }
    for name, candidate in made.items():
        archive.add_candidate(candidate, task)
        archive.add_evaluation(evaluations[name], config_digest="c", run_id="run")
    assert [e.candidate.code for e in archive.ranked(task.id)] == ["fastest", "fast", "slow", "hollow", "crashed"]
    assert archive.ranked("another task") == []


def test_an_evaluation_needs_its_candidate_and_a_run_needs_its_task(archive):
    task = make_task()
    with pytest.raises(ValueError, match="not in the archive: add it first"):
        archive.add_evaluation(make_evaluation(make_candidate(task)), config_digest="c", run_id="run")
    with pytest.raises(ValueError, match="not in the archive: add it first"):
        archive.start_run("run", task.id, "{}")
    with pytest.raises(ValueError, match="the task given is other"):
        archive.add_candidate(make_candidate(task), make_task(id="other"))


def test_a_run_may_be_started_again_on_its_own_task_only(archive):
    archive.add_task(make_task())
    archive.add_task(make_task(id="other"))
    archive.start_run("run", "local/relu", "{}")
    archive.start_run("run", "local/relu", '{"resumed": true}')
    assert [run.config_json for run in archive.runs()] == ["{}"]
    with pytest.raises(UsageError, match="run is about local/relu, not other"):
        archive.start_run("run", "other", "{}")


def test_kill_9_loses_at_most_the_row_being_written(path):
    for kill in range(3):
        name = f"writer{kill}"
        writer = start_writer(path, name, 100_000)
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(20)][-1]
        writer.send_signal(signal.SIGKILL)
        acknowledged = max([acknowledged, *map(int, writer.stdout.read().split())])
        writer.communicate()
        with Archive(path) as archive:
            kept = archive.evaluations(name)
            assert acknowledged + 1 <= len(kept) <= acknowledged + 2
            assert all(archive.candidate(evaluation.candidate_id) is not None for evaluation in kept)
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_processes_create_and_write_one_file_at_once(path):
    writers = [start_writer(path, f"writer{i}", 50) for i in range(4)]
    for writer in writers:
        _, errors = writer.communicate()
        assert writer.returncode == 0, errors
    with Archive(path) as archive:
        assert [len(archive.evaluations(f"writer{i}")) for i in range(4)] == [50] * 4
        assert len(archive.ranked("local/relu", "c")) == 200


def test_threads_share_one_archive(archive):
    task = make_task()

    def write(name: str) -> None:
        for i in range(25):
            candidate = make_candidate(task, code=f"{name} {i}")
            archive.add_candidate(candidate, task)
            archive.add_evaluation(make_evaluation(candidate), config_digest="c", run_id=name)

    threads = [threading.Thread(target=write, args=(f"thread{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(archive.evaluations(f"thread{i}")) for i in range(4)] == [25] * 4


def test_the_file_is_in_wal_mode_with_tables_as_declared(archive, path):
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from cuda_l1.migrations import schema

    with archive._engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 30_000
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 1
        context = MigrationContext.configure(connection, opts={"version_table": schema.VERSION_TABLE})
        assert compare_metadata(context, schema.metadata) == []


def test_the_known_revisions_are_those_of_the_steps_on_disk():
    from alembic.script import ScriptDirectory

    from cuda_l1.migrations import schema

    steps = ScriptDirectory(str(Path(schema.__file__).parent)).walk_revisions()
    assert tuple(step.revision for step in steps) == schema.REVISIONS[::-1]


def test_attempts_that_an_older_version_kept_are_read(path):
    task = make_task()
    attempts = [
        Attempt(task_id=task.id, prompt='ψ "reward": null', reply=f"{i}", policy="m", parse_error="no code")
        for i in range(2)
    ]
    with Archive(path) as archive:
        for attempt in attempts:
            archive.add_attempt(attempt, "run")
    connection = sqlite3.connect(path)
    connection.create_function("old", 1, lambda text: json.dumps(json.loads(text) | {"reward": None}, sort_keys=True))
    connection.execute("UPDATE attempts SET record = old(record)")
    connection.execute("UPDATE cuda_l1_version SET version_num = '0002'")
    connection.commit()
    connection.close()
    with Archive(path) as archive:
        assert archive.attempts("run") == attempts


def test_half_of_a_surrogate_pair_that_an_older_version_kept_is_read(archive):
    task = make_task()
    candidate = make_candidate(task)
    archive.add_candidate(candidate, task)
    for number, said in enumerate(["boo \udc80\ud800 x, \\ud800", "\U0001f600"]):
        failed = make_evaluation(candidate, Status.CRASHED, findings=(Finding(check="forward", detail=said),))
        archive.add_evaluation(failed, config_digest=str(number), run_id="run")
    details = [each.findings[0].detail for each in archive.evaluations("run")]
    assert details == ["boo \ufffd\ufffd x, \\ud800", "\U0001f600"]


def test_a_newer_schema_is_refused(path):
    Archive(path).close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE cuda_l1_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    with pytest.raises(UsageError, match=r"schema 9999, this cuda-l1 knows up to .* Upgrade cuda-l1"):
        Archive(path)


def test_a_record_with_a_field_of_a_newer_version_is_refused(archive, path):
    task = make_task()
    archive.add_task(task)
    connection = sqlite3.connect(path)
    record = json.loads(connection.execute("SELECT record FROM tasks").fetchone()[0]) | {"colour": "red"}
    connection.execute("UPDATE tasks SET record = ?", (json.dumps(record),))
    connection.commit()
    connection.close()
    with pytest.raises(UsageError, match=r"Task in .* does not read: colour: .* newer cuda-l1"):
        archive.task(task.id)


def test_a_file_that_is_no_database_is_refused(path):
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(UsageError, match=r"cannot be used: file is not a database.* Name another file") as caught:
        Archive(path)
    assert caught.value.exit_code == 2
    assert str(path) in str(caught.value)


def test_a_file_whose_middle_is_damaged_is_refused_when_read(path):
    task = make_task()
    with Archive(path) as archive:
        for i in range(200):
            archive.add_candidate(make_candidate(task, code=f"{i}" * 200), task)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    path.write_bytes(data)
    with pytest.raises(UsageError, match="malformed"):
        read_all(path, task.id)


def test_a_database_of_somebody_else_is_left_alone(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.commit()
    connection.close()
    with pytest.raises(UsageError, match=r"other tables \(bookmarks\)"):
        Archive(path)


def test_a_place_that_cannot_hold_an_archive_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot make the folder"):
        Archive(tmp_path / "file" / "archive.sqlite")
    with pytest.raises(UsageError, match="unable to open database file"):
        Archive(tmp_path)
    with pytest.raises(UsageError, match="found a nonsense:// URL; an archive is a file or a postgresql:// URL"):
        Archive("nonsense://somewhere")
    with pytest.raises(UsageError, match="does not parse"):
        Archive("postgresql://host:port:secret/name")


def test_folders_are_made_and_strange_characters_in_the_path_are_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path / "new" / "50% off ? #1" / "archive.sqlite", Path("~nobody-here/archive.sqlite")):
        with Archive(path) as archive:
            archive.add_task(make_task())
        assert rows(path, "tasks") == 1


POSTGRES = pytest.mark.skipif(
    "CUDA_L1_TEST_POSTGRES" not in os.environ, reason="CUDA_L1_TEST_POSTGRES names no empty database"
)


@POSTGRES
def test_a_connection_that_was_cut_off_while_it_was_idle_is_made_anew():
    place, task = os.environ["CUDA_L1_TEST_POSTGRES"], make_task(id="local/cut")
    with Archive(place) as archive:
        archive.add_task(task)
        engine = sa.create_engine(place)
        with engine.connect() as other:  # as a restart of the server does, or a proxy after some minutes
            cut = sa.text("select count(pg_terminate_backend(pid)) from pg_stat_activity where pid <> pg_backend_pid()")
            assert other.execute(cut).scalar()
        engine.dispose()
        assert archive.task(task.id) == task


@POSTGRES
def test_postgres_keeps_the_same_records():
    task = make_task()
    candidate = make_candidate(task)
    win = make_win(candidate, 2.0)
    with Archive(os.environ["CUDA_L1_TEST_POSTGRES"]) as archive:
        archive.add_candidate(candidate, task)
        archive.add_candidate(candidate, task)
        archive.start_run("run", task.id, "{}")
        archive.add_evaluation(win, config_digest="c", run_id="run")
        assert [exemplar.evaluation for exemplar in archive.ranked(task.id, "c")] == [win]
        assert archive.task(task.id) == task
        assert archive.run("run").last >= archive.run("run").started
    with Archive(os.environ["CUDA_L1_TEST_POSTGRES"]) as archive:
        assert archive.candidate(candidate.id) == candidate


def test_a_terminal_shows_all_of_a_code_and_a_file_gets_it_as_it_is(path, monkeypatch, capsys):
    candidate = make_candidate(make_task(), code="import os\nos.abort()  # \x1b[1A\x1b[2Kimport math\n")
    with Archive(path) as archive:
        archive.add_candidate(candidate, make_task())

    def shown():
        with pytest.raises(SystemExit):
            main(["archive", "show", candidate.id, "--archive", str(path)])
        return capsys.readouterr().out

    assert shown() == candidate.code + "\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert shown() == candidate.code.replace("\x1b", "") + "\n"


def test_the_best_of_a_task_say_which_judge_measured_them(path, capsys):
    candidate = make_candidate(make_task())
    with Archive(path) as archive:
        archive.add_candidate(candidate, make_task())
        archive.add_evaluation(make_win(candidate, 9.0), config_digest="of an earlier judge", run_id="r")
    with pytest.raises(SystemExit):
        main(["archive", "best", candidate.task_id, "--archive", str(path)])
    assert capsys.readouterr().out.splitlines()[1].endswith("cpu, judge 1")
