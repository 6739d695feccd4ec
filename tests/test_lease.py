"""Leases over processes: a device by its own name, and the cores of a race."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from cuda_l1.judge import lease, pool


def test_races_at_once_get_different_cores():
    with lease.two_cores(range(8)) as one, lease.two_cores(range(8)) as two:
        assert len({*one, *two}) == 4
        assert max(one) - min(one) == 4
    with lease.two_cores(range(8)) as again:
        assert again == one


@pytest.mark.parametrize("cores", [{3}, {3, 5}, {1, 2, 3}])
def test_few_cores_are_shared_when_all_are_taken(cores):
    with lease.two_cores(cores) as one, lease.two_cores(cores) as two:
        assert one == two
        assert set(one) <= cores


def test_a_device_is_held_against_other_processes():
    code = (
        "import fcntl, sys\nfrom cuda_l1.judge import lease\n"
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
