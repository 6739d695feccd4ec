"""A candidate's harm stays with the candidate, and an honest build works inside the same walls."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from linear import HEAD, rewrite, task

from cuda_l1.errors import CannotJudgeError
from cuda_l1.judge import JudgeConfig, Session, judge
from cuda_l1.processes.process import WorkerProcess
from cuda_l1.sandbox import kin, layers
from cuda_l1.types import Candidate, Status

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


LEAVES = """
import os, subprocess
child = subprocess.Popen(["sleep", "5"], process_group=0)
groups = os.getpgid(child.pid), os.getpgrp()
child.kill()
os.setpgid(0, 0)
if len({*groups, os.getpgrp()}) > 1:
    raise RuntimeError(f"left its group: {groups}, {os.getpgrp()}")
"""


def test_nobody_leaves_the_group_that_is_stopped_and_who_asks_for_it_goes_on(session: Session) -> None:
    evaluation = session.evaluate(rewrite("import torch.nn as nn\n", f"import torch.nn as nn\n{LEAVES}"))
    assert evaluation.status is Status.PASSED, evaluation.findings


SENDS = """
import ctypes, fcntl, os, signal
libc = ctypes.CDLL(None, use_errno=True)
refused = []
reading, _ = os.pipe()
try:
    fcntl.fcntl(reading, 10, signal.SIGCONT)  # F_SETSIG
except OSError:
    refused.append("a signal for a descriptor")
if libc.syscall(56, signal.SIGCONT, 0, 0, 0, 0) < 0:
    refused.append("a signal for a child's end")
if libc.syscall(435, 0, 0) < 0 and ctypes.get_errno() == 38:
    refused.append("flags in memory")
if len(refused) < 3:
    raise RuntimeError(f"refused: {refused}")
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of system calls are those of x86_64")
def test_no_signal_but_the_usual_ones_comes_of_a_candidates_doing(session: Session) -> None:
    evaluation = session.evaluate(rewrite("import torch.nn as nn\n", f"import torch.nn as nn\n{SENDS}"))
    assert evaluation.status is Status.PASSED, evaluation.findings


ASKS = """
import ctypes, gc, mmap, os, socket
libc = ctypes.CDLL(None, use_errno=True)
link = next(one for one in gc.get_objects() if type(one).__name__ == "Link")
found = []
try:
    socket.send_fds(link.sock, [b" "], [os.open("/dev/null", os.O_RDONLY)])
    found.append("descriptors on their way to the judge")
except PermissionError:
    pass
shares, merges = (libc.prctl(wish, 1, 0, 0, 0) for wish in (62, 67))  # PR_SCHED_CORE, PR_SET_MEMORY_MERGE
if (shares, merges, libc.prctl(68, 0, 0, 0, 0)) != (0, 0, 0):  # PR_GET_MEMORY_MERGE
    found.append("pages or cores of its own")
if open("/proc/self/oom_score_adj").read().strip() != "1000":
    found.append("memory before others")
if found:
    raise RuntimeError(f"has {found}")
"""


def test_nothing_of_the_users_or_the_cores_is_a_candidates_alone(session: Session) -> None:
    evaluation = session.evaluate(rewrite("import torch.nn as nn\n", f"import torch.nn as nn\n{ASKS}"))
    assert evaluation.status is Status.PASSED, evaluation.findings


def test_text_that_no_file_takes_does_not_build(session: Session) -> None:
    evaluation = session.evaluate(rewrite("import torch.nn as nn\n", "import torch.nn as nn\nHALF = '\ud800'\n"))
    assert (evaluation.status, evaluation.findings[0].check) == (Status.BUILD_FAILED, "build")


MAPS = """
import fcntl, os, struct, termios
refused = []
reading, writing = os.pipe()
os.write(writing, b"four")
told = fcntl.ioctl(reading, termios.FIONREAD, b"    ")
try:
    fcntl.ioctl(reading, 0xC01C4634, bytes(28))
except OSError as error:
    refused.append(error.errno)
if struct.unpack("i", told) != (4,) or refused != [1]:
    raise RuntimeError(f"told {told}, refused {refused}")
"""


def test_the_request_by_which_a_gpus_memory_of_another_process_is_mapped_is_refused_and_others_are_not(
    session: Session,
) -> None:
    """A pipe would answer ENOTTY to it, which is another error."""
    evaluation = session.evaluate(rewrite("import torch.nn as nn\n", f"import torch.nn as nn\n{MAPS}"))
    assert evaluation.status is Status.PASSED, evaluation.findings


def test_a_process_is_over_when_all_its_threads_are() -> None:
    text = (
        "import ctypes, platform, threading, time; threading.Thread(target=time.sleep, args=(60,)).start(); "
        "ctypes.CDLL(None).syscall({'x86_64': 60}.get(platform.machine(), 93), 0)"
    )
    with subprocess.Popen([sys.executable, "-c", text]) as process:
        until = time.monotonic() + 30
        while kin.run_state(process.pid) != "Z" and time.monotonic() < until:
            time.sleep(0.01)
        assert kin.run_state(process.pid) == "Z"
        assert not kin.is_over(process.pid)
        process.kill()
        while not kin.is_over(process.pid) and time.monotonic() < until:
            time.sleep(0.01)
        assert kin.is_over(process.pid)


def test_a_process_that_ends_while_all_are_counted_stops_no_worker() -> None:
    """Once a worker did not start for it, and an honest candidate was INFRA_FAILED."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert layers._threads(str(ended.pid)) == 0
    assert layers._processes() >= layers._threads(str(os.getpid())) >= 1


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


def test_nobody_is_judged_where_nothing_keeps_him_from_the_users_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "landlock_abi", lambda: 0)
    with pytest.raises(CannotJudgeError, match=r"takes Landlock .* --sandbox none runs candidates with your own"):
        Session(task(), JudgeConfig(effort="glance", baselines=())).__enter__()


@pytest.mark.parametrize(("abi", "held"), [(1, "files"), (3, "files"), (4, "files, TCP"), (6, "files, TCP, signals")])
def test_doctor_is_told_what_a_version_of_landlock_holds(abi: int, held: str) -> None:
    assert layers.landlock(abi) == ("landlock", True, f"ABI {abi}: {held}")
    assert not layers.landlock(0).holds


BLOCKED = """
import os, threading, time
seen, written = os.pipe()
if os.fork() == 0:
    os.mkfifo("never")
    def work():
        while True:
            os.write(written, b".")
            time.sleep(0.001)
    threading.Thread(target=work, daemon=True).start()
    os.posix_spawn("/bin/true", ["true"], {}, file_actions=[(os.POSIX_SPAWN_OPEN, 0, "never", os.O_RDONLY, 0)])
os.read(seen, 1)  # it is at work
print("child", os.getpid(), flush=True)
"""


def test_a_child_that_no_stop_reaches_ends_with_it(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its main thread waits for one of its own that waits for somebody to open a pipe; its other thread works on."""
    left: list[set[str]] = []

    def stop_alone(self: WorkerProcess, stop: Callable[[WorkerProcess], bool] = WorkerProcess.stop_alone) -> bool:
        WorkerProcess.stop(self)
        time.sleep(0.01)
        left.append({kin.run_state(pid) for pid in kin.members([self.process.pid])})
        assert stop(self)
        left.append({kin.run_state(pid) for pid in kin.members([self.process.pid])})
        return True

    monkeypatch.setattr(WorkerProcess, "stop_alone", stop_alone)
    evaluation = session.evaluate(rewrite("import torch.nn as nn\n", f"import torch.nn as nn\n{BLOCKED}"))
    assert evaluation.status is Status.PASSED, evaluation.findings
    assert "D" in set.union(*left[::2]), "a stop did not reach it"
    assert set.union(*left[1::2]) == {"T"}
