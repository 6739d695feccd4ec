"""The heap of a process on a CPU: alike whatever lay in it before."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys

import pytest

from cuda_l1.processes import heap, nursery

SCRIPT = """
import json, os, sys
import torch
from cuda_l1.processes import heap
for past in (0, 1, 5, 9):
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == 0
        continue
    kept = [bytearray(40_000 + 3_333 * past) for _ in range(past)]
    tensors = [torch.empty(1 << 20, dtype=torch.uint8) for _ in range(2 * past)]
    del tensors[::2]  # holes
    found = []
    for time in range(4):
        x = torch.zeros(512, 512)
        for _ in range(20):
            y, places = x, []
            for _ in range(8):
                for step in (lambda t: t * 0.9, lambda t: t + 0.1, torch.relu, lambda t: t - 0.05):
                    y = step(y)
                    places.append(y.data_ptr())
        if time:  # the first calls load what stays
            found.append((len(set(places)), heap._glibc().mallinfo().arena))
        del x, y
        heap.even()
    os.write(1, json.dumps(found).encode() + b"\\n")
    os._exit(0)
"""


@pytest.mark.skipif(heap._glibc() is None, reason="the heap of this system is not glibc's")
def test_equal_code_goes_round_as_many_buffers_whatever_the_process_did_before() -> None:
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(4 << 30)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) == 4
    buffers = {count for process in told for count, _ in process}
    assert len(buffers) == 1, f"buffers in turn, by process and time: {told}"
    for process in told:
        sizes = [size for _, size in process]
        assert sizes[0] == sizes[-1], "and asking again takes nothing more"


_PIECES = """
import ctypes, torch
names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
class Info(ctypes.Structure): _fields_ = [(name, ctypes.c_size_t) for name in names]
libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Info
kept = [torch.empty(64 << 20, dtype=torch.uint8).fill_(1) for _ in range(8)]
print(libc.mallinfo2().hblks, libc.mallinfo2().uordblks >> 20)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="needs glibc 2.33 to ask what its heap holds")
def test_large_pieces_too_come_from_the_heap_that_is_kept() -> None:
    """Pieces of their own are given back with each tensor: eager paid for pages in every call, and who told the heap to
    keep them won five times its time with the task's own code."""
    told = nursery.environment("cpu", None)
    done = subprocess.run([sys.executable, "-c", _PIECES], env=told, capture_output=True, text=True, check=True)
    pieces, held = map(int, done.stdout.split())
    assert pieces == 0
    assert held >= 8 * 64
