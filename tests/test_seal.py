"""Inputs that lie sealed: unreadable without their key, and as they were with it."""

from __future__ import annotations

import mmap
import socket
import threading

import pytest
import torch

from cuda_l1.judge import seal
from cuda_l1.judge.link import RUN, WORDS_BYTES, Link

_DEVICES = [
    "cpu",
    pytest.param(
        "cuda",
        marks=[
            pytest.mark.gpu,
            pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device, and there is none"),
        ],
    ),
]


@pytest.mark.parametrize("device", _DEVICES)
def test_a_seal_comes_off_in_another_process_pad_by_its_key_alone(device: str) -> None:
    row = torch.randn(4096, device=device).view(torch.int64)
    ours, theirs = (seal.Pad(row.numel() * 8, device) for _ in range(2))
    sealed = ours.stream(1 << 61, row.numel()).bitwise_xor_(row).clone()
    assert int((sealed == row).sum()) == 0
    wrong = sealed ^ theirs.stream((1 << 61) + 1, row.numel())
    assert int((wrong == row).sum()) == 0
    assert torch.equal(sealed ^ theirs.stream(1 << 61, row.numel()), row)


@pytest.mark.parametrize("device", _DEVICES)
def test_what_is_sealed_says_nothing_bit_by_bit(device: str) -> None:
    zeros = torch.zeros(1 << 14, dtype=torch.int64, device=device)
    sealed = seal.Pad(zeros.numel() * 8, device).stream(7, zeros.numel()).bitwise_xor_(zeros)
    for bit in range(64):  # the sign of every second float among them
        share = float(((sealed >> bit) & 1).double().mean())
        assert abs(share - 0.5) < 0.03, f"bit {bit}: {share}"


def test_a_key_comes_with_its_slot_and_not_before() -> None:
    ours, theirs = socket.socketpair()
    page = mmap.mmap(-1, WORDS_BYTES)
    judge, worker = Link(ours, page), Link(theirs, page)
    judge.begin()
    seen = []

    def work() -> None:
        for _ in range(4):
            seen.append((worker.await_command(), worker.key))
            worker.done()

    thread = threading.Thread(target=work)
    with ours, theirs:
        thread.start()
        for value, key in ((5, 1 << 61), (RUN, 0), (3, 77), (4, 0)):
            judge.command(value, 5.0, lambda: None, key)
        thread.join()
    assert [each for each in seen if each[0] >= 0] == [(5, 1 << 61), (3, 77), (4, 0)]
