"""Workers are forks of one process: fresh each time, counted on to die, and none outlives its judge."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from records import make_task

from cuda_l1.errors import CannotJudgeError
from cuda_l1.judge import JudgeConfig, Session
from cuda_l1.judge_config import CACHE
from cuda_l1.processes import compiler
from cuda_l1.processes.nursery import Child, Nursery, NurseryError, environment, within
from cuda_l1.processes.process import WorkerProcess, sweep
from cuda_l1.sandbox import kin
from cuda_l1.types import Candidate, Status

ENVIRONMENT = {"PATH": os.environ["PATH"], "OMP_NUM_THREADS": "2"}


@pytest.fixture
def nursery() -> Iterator[Nursery]:
    nursery = Nursery(ENVIRONMENT)
    yield nursery
    nursery.close()


def bear(nursery: Nursery) -> tuple[Child, socket.socket]:
    ours, theirs = socket.socketpair()
    with tempfile.TemporaryFile() as log, theirs:
        try:
            return nursery.bear("/", ENVIRONMENT, [theirs.fileno(), log.fileno()]), ours
        except BaseException:
            ours.close()
            raise


def worker() -> WorkerProcess:
    return WorkerProcess(device="cpu", precision="default", mode="eval", threads=1, walls="none")


def test_a_worker_leads_its_own_session_and_ends_with_its_socket(nursery: Nursery) -> None:
    first, sock = bear(nursery)
    second, other = bear(nursery)
    assert os.getsid(first.pid) == first.pid
    assert first.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        first.wait(0.01)
    sock.close()
    assert first.wait(10) == 0
    os.kill(second.pid, signal.SIGKILL)
    assert (second.wait(10), second.poll()) == (-signal.SIGKILL, -signal.SIGKILL)
    assert not Path(f"/proc/{second.pid}").exists()
    other.close()


def test_a_worker_has_one_thread_and_what_was_handed_to_it(nursery: Nursery) -> None:
    first, sock = bear(nursery)
    second, other = bear(nursery)
    for child in (first, second):
        assert len(os.listdir(f"/proc/{child.pid}/task")) == 1
        held = {int(name): os.readlink(f"/proc/{child.pid}/fd/{name}") for name in os.listdir(f"/proc/{child.pid}/fd")}
        assert held.pop(0) == os.devnull
        assert held.pop(1) == held.pop(2), "its log"
        [wire] = held.values()
        assert wire.startswith("socket:"), "and its own wire: not the nursery's, nor another worker's"
    theirs = {os.readlink(f"/proc/{child.pid}/fd/{fd}") for child in (first, second) for fd in (0, 1, 2)}
    assert len(theirs) == 3, "a log each"
    for child, end in ((first, sock), (second, other)):
        end.close()
        child.wait(10)


def test_a_fork_of_the_judge_does_not_end_its_nursery(nursery: Nursery) -> None:
    pid = os.fork()
    if not pid:
        nursery.close()
        os._exit(0)
    os.waitpid(pid, 0)
    child, sock = bear(nursery)
    sock.close()
    assert child.wait(10) == 0


def test_an_answer_that_nobody_waited_for_is_no_other_questions_answer(nursery: Nursery) -> None:
    def press_ctrl_c(*_: object) -> None:
        raise KeyboardInterrupt

    child, sock = bear(nursery)
    os.kill(child.pid, signal.SIGKILL)
    os.kill(nursery._process.pid, signal.SIGSTOP)
    before = signal.signal(signal.SIGALRM, press_ctrl_c)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    with pytest.raises(KeyboardInterrupt):
        bear(nursery)
    signal.signal(signal.SIGALRM, before)
    os.kill(nursery._process.pid, signal.SIGCONT)
    assert child.wait(10) == -signal.SIGKILL
    sock.close()


def test_a_fork_that_fails_costs_no_other_worker(nursery: Nursery) -> None:
    first, its = bear(nursery)  # after which it loads more, with files open that a second worker has to wait for
    child, sock = bear(nursery)
    pid = nursery._process.pid
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    room = len(os.listdir(f"/proc/{pid}/fd")) + 2  # for what is sent, and not for what a fork takes
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (room, before[1]))
    with pytest.raises(NurseryError, match="no worker could be forked"):
        bear(nursery)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
    assert child.poll() is None
    second, other = bear(nursery)
    for each, end in ((first, its), (child, sock), (second, other)):
        end.close()
        assert each.wait(10) == 0


def test_with_the_nursery_its_workers_end_and_the_next_one_has_another(nursery: Nursery) -> None:
    child, sock = bear(nursery)
    os.kill(nursery._process.pid, signal.SIGKILL)
    assert child.wait(10) == -signal.SIGKILL
    assert not nursery.lives
    with pytest.raises(NurseryError, match="is gone"):
        bear(nursery)
    sock.close()

    with worker() as before:
        before.settle()
        os.kill(int(Path(f"/proc/{before.process.pid}/stat").read_text().split()[3]), signal.SIGKILL)
        before.process.wait(10)
    with worker() as after:
        assert after.settle()["ok"]


def test_a_session_whose_processes_died_with_it_blames_no_candidate() -> None:
    task = make_task()
    candidate = Candidate(task_id=task.id, code=task.source.replace("class Model(", "class ModelNew("), origin="human")
    config = JudgeConfig(effort="glance", baselines=())
    with Session(task, config) as session:
        session.reference.process.nursery._process.kill()
        session.reference.process.process.wait(10)
        with pytest.raises(CannotJudgeError, match="was killed"):
            session.evaluate(candidate)
    with Session(task, config) as session:
        assert session.evaluate(candidate).status is Status.PASSED


def test_a_reference_that_died_while_it_was_asked_about_a_candidate_blames_nobody() -> None:
    task = make_task()
    wrong = task.source.replace("class Model(", "class ModelNew(").replace("return ", "return 1.0003 * ")
    with Session(task, JudgeConfig(effort="glance", baselines=())) as session:
        os.kill(session.reference.process.process.pid, signal.SIGKILL)
        session.reference.process.process.wait(10)
        with pytest.raises(CannotJudgeError, match="the reference's process gave no answer"):
            session.evaluate(Candidate(task_id=task.id, code=wrong, origin="human"))


_TWO_LOADS = """
import os
import torch._inductor.cpu_vec_isa as isa
from cuda_l1.processes import compiler
for tried in (isa.VecISA.check_build, None):
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == 0
        continue
    isa.VecISA.check_build = tried
    compiler.load("cpu")
    print(isa.pick_vec_isa(), flush=True)
    os._exit(0)
"""


@pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")
@pytest.mark.slow
def test_what_torch_tried_once_on_this_machine_no_other_process_tries_again() -> None:
    """torch keeps a trial build, but loads it in every process, in an interpreter of its own, one process at a time."""
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(CACHE / "compiled" / "inductor")}
    done = subprocess.run([sys.executable, "-c", _TWO_LOADS], env=environment, stdout=-1, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first == second != "INVALID_VEC_ISA"


@pytest.mark.slow
def test_a_compiler_that_spoils_cuda_for_forks_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a worker loads it for itself, which takes ten seconds and works."""
    spoilt = tmp_path / "python"
    spoilt.write_text(
        f"#!{sys.executable}\nimport sys\nfrom cuda_l1.processes import compiler, nursery\n"
        "compiler.spoils_cuda = lambda: True\nsys.argv = ['', sys.argv[-1]]\nnursery.main()\n"
    )
    spoilt.chmod(0o700)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", str(spoilt))
        nursery = Nursery(ENVIRONMENT | compiler.variables("cuda:0", tmp_path))
    child, sock = bear(nursery)
    told = Path(f"/proc/{nursery._process.pid}/environ").read_bytes()
    assert compiler.DEVICE.encode() not in told
    sock.close()
    assert child.wait(10) == 0
    nursery.close()


def test_what_it_printed_is_told_where_it_cannot_start() -> None:
    broken = Nursery({"PYTHONHOME": "/nowhere"} | ENVIRONMENT)
    with pytest.raises(NurseryError, match="No module named"):
        bear(broken)
    broken.close()


def test_what_dead_judges_left_is_swept_whoever_has_their_numbers_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In another container a number names nobody, or somebody else."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with worker() as living:
        nobody = living.scratch.rename(living.scratch.with_name("cuda-l1-worker-4194305-lives"))
        dead = tmp_path / f"cuda-l1-worker-{os.getpid()}-dead"
        dead.mkdir()
        pipe = tmp_path / "cuda-l1-worker-1-pipe"
        os.mkfifo(pipe)  # to open one waits for a writer
        sweep()
        pipe.unlink()
        assert (nobody / "tmp").is_dir()
        assert not dead.exists()
        nobody.rename(living.scratch)
    assert not list(tmp_path.iterdir())


def test_a_killed_judge_leaves_no_process() -> None:
    code = (
        "from cuda_l1.processes.process import WorkerProcess\n"
        "w = WorkerProcess(device='cpu', precision='default', mode='eval', threads=1, walls='none')\n"
        "w.settle(); w.stop(); print(w.process.pid, flush=True); input()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as judge:
        assert judge.stdout is not None
        pid = int(judge.stdout.readline())
        parent = int(Path(f"/proc/{pid}/stat").read_text().split()[3])
        judge.kill()
    deadline = time.monotonic() + 10
    while not all(map(kin.is_over, (pid, parent))):
        assert time.monotonic() < deadline, "a worker or its nursery outlived the judge"
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.parametrize("signals", [[signal.SIGKILL], [signal.SIGINT] * 2], ids=["killed", "interrupted"])
def test_a_judge_that_ends_leaves_nothing_that_a_candidate_started(tmp_path: Path, signals: list[int]) -> None:
    """The kernel's signal on a parent's end is for a worker alone: its children do not inherit it. And a second Ctrl-C
    comes while the first one's work is done."""
    code = (
        "import os, time\nif os.fork() == 0:\n    os.fork()\n"
        "    open(f'{os.environ[\"TMPDIR\"]}/{os.getpid()}.child', 'w').close()\ntime.sleep(60)"
    )
    judge = (
        f"from cuda_l1.judge import JudgeConfig, judge\nfrom cuda_l1.types import Candidate\n"
        f"from records import make_task\nmade = Candidate(task_id=make_task().id, code={code!r}, origin='human')\n"
        "judge(make_task(), [made], JudgeConfig(device='cpu', effort='glance', baselines=()))"
    )
    folders = {"TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", judge], env={**os.environ, **folders}) as process:
        deadline = time.monotonic() + 120
        while len(born := [int(path.stem) for path in tmp_path.glob("*/tmp/*.child")]) < 2:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        for each in signals:
            process.send_signal(each)
            time.sleep(0.002)
    deadline = time.monotonic() + 30
    while not all(map(kin.is_over, born)):
        assert time.monotonic() < deadline, "what a candidate started outlived the judge"
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("seen", "device", "told"),
    [(None, "cuda:0", "0"), (None, "cuda:3", "3"), ("4,6", "cuda:1", "6"), ("GPU-a,GPU-b", "cuda:0", "GPU-a"),
     ("4", "cuda:1", "4"), (None, "cpu", ""), ("4,6", "cpu", "")],
)  # fmt: skip
def test_a_worker_sees_the_one_gpu_that_it_is_judged_on(
    monkeypatch: pytest.MonkeyPatch, seen: str | None, device: str, told: str
) -> None:
    """What others compute is on no clock."""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if seen is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", seen)
    assert environment(device, None)["CUDA_VISIBLE_DEVICES"] == told
    assert within(device) == ("cpu" if device == "cpu" else "cuda:0")
