"""A worker's own memory, as another process reads it and writes to it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import pytest
import torch

from cuda_l1.wire import memory
from cuda_l1.wire.memory import HANDLE_BYTES, DeviceMemory, HostMemory, Place

_HOLDS = """
import ctypes, sys
held = ctypes.create_string_buffer(b"as it was", 64)
print(ctypes.addressof(held), flush=True)
for line in sys.stdin:
    print(held.value.decode(), flush=True)
"""
_HOLDS_PAGES = """
import ctypes, mmap, os, sys
size = mmap.PAGESIZE
own = mmap.mmap(-1, 2 * size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
own.madvise(mmap.MADV_NOHUGEPAGE)
own[0] = 1
fd = os.memfd_create("twice")
os.ftruncate(fd, size)
twice = [mmap.mmap(fd, size, flags=mmap.MAP_PRIVATE) for _ in range(2)]
read = own[size], twice[0][0], twice[1][0]
at = [ctypes.addressof(ctypes.c_char.from_buffer(each)) for each in (own, *twice)]
print(at[0], at[0] + size, *at[1:], flush=True)
sys.stdin.readline()
"""
_HOLDS_ON_GPU = """
import sys, tempfile
import torch
from cuda_l1.wire import memory
from cuda_l1.sandbox import layers
layers.enter(tempfile.mkdtemp(), layers.runtime_folders(), [], is_cuda=True)
kept = torch.zeros(1, device="cuda")
layers.seal()
print(*memory.shown(kept), flush=True)
held = torch.arange(1 << 22, device="cuda")
torch.cuda.synchronize()
place = memory.place(held[1000:].data_ptr())
print(place.handle.hex(), place.at, flush=True)
for line in sys.stdin:
    if line.strip():
        try:
            memory.DeviceMemory(line.split())
            print("opened", flush=True)
        except OSError:
            print("refused", flush=True)
    else:
        print(*held[998:1004].tolist(), int(held.sum()), flush=True)
"""


@contextmanager
def _process(text: str) -> Iterator[tuple[subprocess.Popen[str], IO[str], IO[str]]]:
    with subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as it:
        assert it.stdin is not None
        assert it.stdout is not None
        yield it, it.stdin, it.stdout
        it.stdin.close()


def _ask(asked: IO[str], told: IO[str], what: str = "") -> str:
    asked.write(what + "\n")
    asked.flush()
    return told.readline().strip()


def test_what_another_process_holds_is_read_and_written_there() -> None:
    with _process(_HOLDS) as (process, asked, told):
        at = int(told.readline())
        held = memory.of(process.pid, [], is_cuda=False)
        assert isinstance(held, HostMemory)
        assert held.read(Place(b"", at), 9) == b"as it was"
        held.write(Place(b"", at + 3), b"we left")
        assert _ask(asked, told) == "as we left"
        for nowhere in (0, 8, -8, 1 << 62, (1 << 63) - 1):
            assert held.read(Place(b"", nowhere), 8) == b""
            held.write(Place(b"", nowhere), b"nothing")
        held.tidy()
        held.close()
    assert memory.of(process.pid, [], is_cuda=False) is None, "it has ended"


@pytest.mark.skipif(not memory._tells_pages(), reason="this system does not tell")
def test_pages_that_are_in_two_places_or_that_nobody_has_written_are_told() -> None:
    with _process(_HOLDS_PAGES) as (process, _, told):
        places = [Place(b"", int(at)) for at in told.readline().split()]
        held = memory.of(process.pid, [], is_cuda=False)
        assert isinstance(held, HostMemory)
        assert [held.read(place, 1) for place in places] == [b"\1", b"\0", b"\0", b"\0"]
        assert [held.is_own(place) for place in places] == [True, False, False, False]
        held.write(places[2], b"\1")
        assert [held.is_own(place) for place in places[2:]] == [True, True], "each has a page of its own now"
        held.close()


def test_where_pages_are_not_told_the_rest_is_read_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def but_for_pages(path: str, *given: int) -> int:
        if path.endswith("/pagemap"):
            raise PermissionError(path)
        return opened(path, *given)

    with _process(_HOLDS) as (process, _, told):
        place = Place(b"", int(told.readline()))
        monkeypatch.setattr(os, "open", but_for_pages)
        held = memory.of(process.pid, [], is_cuda=False)
        assert isinstance(held, HostMemory)
        assert held.read(place, 9) == b"as it was"
        assert held.is_own(place)
        held.close()


def test_who_has_shown_nothing_of_a_gpu_is_not_reached_there() -> None:
    assert memory.of(1, [], is_cuda=True) is None


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device, and there is none")
def test_what_a_worker_allocates_on_a_gpu_is_read_and_written_by_the_parent_and_by_no_worker() -> None:
    torch.zeros(1, device="cuda")
    with _process(_HOLDS_ON_GPU) as (_, asked, told), _process(_HOLDS_ON_GPU) as (_, others_asked, others_told):
        shown, others = told.readline().split(), others_told.readline().split()
        handle, at = told.readline().split()
        others_handle, _ = others_told.readline().split()
        held, place = DeviceMemory(shown), Place(bytes.fromhex(handle), int(at))
        assert held.read(place, 16) == _words(1000, 1001)
        held.write(place, _words(-5))
        whole = sum(range(1 << 22)) - 1000 - 5
        assert _ask(asked, told) == f"998 999 -5 1001 1002 1003 {whole}"
        for beyond in (-1 << 40, -1 - place.at, 1 << 40):
            assert held.read(place._replace(at=place.at + beyond), 16) == b""
        assert held.read(Place(bytes.fromhex(others_handle), place.at), 16) == b"", "it is another process's"
        assert held.read(Place(bytes(HANDLE_BYTES), 0), 16) == b""
        assert _ask(others_asked, others_told, " ".join(shown)) == "refused", "no worker maps what another has shown"
        assert DeviceMemory(others).read(Place(bytes.fromhex(others_handle), place.at), 8) == _words(1000)
        held.close()


def _words(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(8, "little", signed=True) for number in numbers)
