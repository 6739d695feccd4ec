"""Leases over processes: a device by its own name, and the cores of a race."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import subprocess
import sys
import tempfile
import threading
import time
from typing import IO

import pytest
import torch
from records import make_task

from cuda_l1 import judge_config
from cuda_l1.errors import CannotJudgeError
from cuda_l1.judge import pool
from cuda_l1.machine import cores, environment, lease, room


def test_races_at_once_get_different_cores():
    with cores.two_cores(range(8)) as one, cores.two_cores(range(8)) as two:
        assert len({*one, *two}) == 4
        assert max(one) - min(one) == 4
    with cores.two_cores(range(8)) as again:
        assert again == one


@pytest.mark.parametrize("few", [{3}, {3, 5}, {1, 2, 3}])
def test_few_cores_are_shared_when_all_are_taken(few):
    with cores.two_cores(few) as one, cores.two_cores(few) as two:
        assert one == two
        assert set(one) <= few


@pytest.mark.parametrize(
    ("count", "races"), [(16, 1), (16, 2), (32, 2), (64, 4), (12, 1), (4, 1), (2, 1), (8, 2), (16, 8), (1, 1)]
)
def test_nothing_else_runs_on_the_cores_of_a_race_where_there_are_enough(count, races):
    racing = cores.race_cores(range(count), races)
    assert 4 * len(racing) <= count
    with contextlib.ExitStack() as stack:
        pairs = [stack.enter_context(cores.two_cores(range(count))) for _ in range(races)]
    assert racing == {core for pair in pairs[: count // 8] for core in pair}, "of the races that begin first"


def test_a_process_is_back_on_its_cores_after_its_races():
    before = os.sched_getaffinity(0)
    with cores.off_races(1) as every:
        assert every == before
        assert os.sched_getaffinity(0) == before - cores.race_cores(before, 1)
    assert os.sched_getaffinity(0) == before


def test_a_device_is_held_against_other_processes():
    code = (
        "import fcntl, sys\nfrom cuda_l1.machine import lease\n"
        "file = open(lease.path('cpu'))\n"
        "try: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "except BlockingIOError: sys.exit(7)"
    )
    with lease.alone("cpu"):
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 7


def test_workers_take_turns_in_choosing_a_gpu(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,6")
    told = dict(pool.each(os.getenv, ["CUDA_VISIBLE_DEVICES"] * 6, 2, gpus=2))
    assert len(told) == 6
    assert set(told.values()) <= {"4", "6"}


def test_one_gpu_leaves_the_workers_as_they_are(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,6")
    assert dict(pool.each(os.getenv, ["CUDA_VISIBLE_DEVICES"], 1)) == {0: "4,6"}


def _moments_on_a_core(_: int) -> tuple[set[int], float, float]:
    with cores.own_cores(1), lease.alone("cpu", shared=True):
        began = time.monotonic()
        time.sleep(0.3)
        return os.sched_getaffinity(0), began, time.monotonic()


@pytest.mark.all_cores
def test_judges_with_cores_of_their_own_work_side_by_side():
    mine = os.sched_getaffinity(0)
    if len(mine) < 2:
        pytest.skip("one core: nobody can work beside another")
    told = dict(pool.each(_moments_on_a_core, range(3), 3))
    moments = [each for each in told.values() if isinstance(each, tuple)]
    assert len(moments) == 3
    for one, two in itertools.combinations(moments, 2):
        apart = one[2] <= two[1] or two[2] <= one[1]
        assert apart or not one[0] & two[0]
    assert os.sched_getaffinity(0) == mine


_WAITS = """
import os, sys
from cuda_l1.machine import cores
os.sched_setaffinity(0, {int(sys.argv[1])})
print("comes", flush=True)
with cores.own_cores(1):
    print("in", flush=True)
    sys.stdin.readline()
"""


def test_who_waits_for_cores_has_them_before_who_gives_them_back_and_comes_again():
    mine = os.sched_getaffinity(0)
    first = min(mine)
    os.sched_setaffinity(0, {first})
    try:
        with contextlib.ExitStack() as held:
            held.enter_context(cores.own_cores(1))
            waits = [sys.executable, "-c", _WAITS, str(first)]
            with subprocess.Popen(waits, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
                assert other.stdout is not None
                assert other.stdin is not None
                assert other.stdout.readline() == "comes\n"
                with lease.opened(lease.path("cpu").with_name(f"cuda-l1-own-cores-{first}-{first}.door")) as door:
                    ends = time.monotonic() + 10
                    while _is_free(door):
                        assert time.monotonic() < ends, "nobody stands in the door"
                        time.sleep(0.01)
                held.close()
                again = threading.Thread(target=_take_again, args=({first},))
                again.start()
                assert other.stdout.readline() == "in\n"
                assert again.is_alive(), "who comes again waits"
                other.communicate("\n")
                again.join()
    finally:
        os.sched_setaffinity(0, mine)


def _take_again(mine: set[int]) -> None:
    os.sched_setaffinity(0, mine)
    with cores.own_cores(1):
        pass


def _is_free(door: IO[str]) -> bool:
    try:
        fcntl.flock(door, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    fcntl.flock(door, fcntl.LOCK_UN)
    return True


def test_who_has_the_cores_alone_gives_no_way():
    mine = lease.Lease("cpu", shared=False)
    with mine.beside_others(), open(lease.path("cpu")) as file:
        mine.give_way()
        with pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    assert mine.gave_way_s == 0


def test_who_needs_the_whole_device_waits_for_those_that_share_it():
    with lease.alone("cpu", shared=True), lease.alone("cpu", shared=True), open(lease.path("cpu")) as file:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        with pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


_PREPARES = """
import sys, time
from cuda_l1.machine import environment, lease
environment.identity = lambda device: "a-gpu"
mine = lease.Lease("cuda:0", shared=False)
with mine.beside_others():
    print("in", flush=True)
    while True:
        time.sleep(0.01)
        print("works", time.monotonic(), flush=True)
        mine.give_way()
"""


def test_whoever_prepares_lets_those_time_who_wait_and_not_beside_it(monkeypatch):
    monkeypatch.setattr(environment, "identity", lambda device: "a-gpu")
    with contextlib.ExitStack() as stack:
        others = [
            stack.enter_context(subprocess.Popen([sys.executable, "-c", _PREPARES], stdout=subprocess.PIPE, text=True))
            for _ in range(2)
        ]
        for other in others:
            assert other.stdout is not None
            assert other.stdout.readline() == "in\n"  # the second came in beside the first
        with lease.alone("cuda:0"):
            time.sleep(0.1)
            began = time.monotonic()
            time.sleep(0.3)
            ended = time.monotonic()
        time.sleep(0.3)
        for other in others:
            other.kill()
        for other in others:
            assert other.stdout is not None
            worked = [float(line.split()[1]) for line in other.stdout if line.startswith("works") and "." in line]
            assert not [at for at in worked if began < at < ended]
            assert any(at > ended for at in worked)


def test_more_cores_than_there_are_is_said():
    said = r"100000 CPU cores were asked for, and this process may use \d+"
    with pytest.raises(CannotJudgeError, match=said), cores.own_cores(100_000):
        pass


def test_what_workers_are_forked_from_begins_to_load_before_a_pools_own_process_loads_torch():
    nurseries = "__import__('cuda_l1.processes.nursery').processes.nursery._nurseries"
    asked = f"'torch' in __import__('sys').modules, len({nurseries})"
    told = dict(pool.each(eval, [asked] * 2, 1, config=judge_config.JudgeConfig()))
    assert told == {0: (False, 1), 1: (False, 1)}
    assert dict(pool.each(eval, [asked], 1)) == {0: (False, 0)}, "nobody said that it would judge"


def test_cores_are_part_of_what_is_comparable_on_a_cpu_and_threads_are_none_on_a_gpu(monkeypatch):
    one, two, every = (judge_config.JudgeConfig(cores=cores).digest_for(make_task()) for cores in (1, 2, None))
    assert one != two
    assert every == judge_config.JudgeConfig(cores=torch.get_num_threads()).digest_for(make_task())
    monkeypatch.setattr(environment, "device_name", lambda device: "a GPU")
    found = set()
    for threads in (3, 5):
        monkeypatch.setattr(torch, "get_num_threads", lambda threads=threads: threads)
        found.add(judge_config.JudgeConfig(device="cuda").digest_for(make_task()))
    assert len(found) == 1
    with pytest.raises(ValueError, match="cores are a CPU's"):
        judge_config.JudgeConfig(device="cuda", cores=2)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user for once")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_another_user_of_the_machine_takes_his_turn_too(monkeypatch):
    with tempfile.TemporaryDirectory(dir="/tmp") as shared:  # another user can enter it
        os.chmod(shared, 0o1777)
        monkeypatch.setattr(tempfile, "tempdir", shared)
        with lease.alone("cpu"), room.claimed("cpu", 1, 4):
            pass
        child = os.fork()
        if not child:
            os.setuid(65534)  # nobody
            with contextlib.suppress(BaseException), lease.alone("cpu"), room.claimed("cpu", 1, 4):
                os._exit(0)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
