"""The wire to a worker whose end belongs to a candidate, and random numbers that it cannot foresee."""

from __future__ import annotations

import mmap
import os
import random
import signal
import socket
import struct
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from cuda_l1.correctness.secret import Secret
from cuda_l1.wire.link import ASK, END, PAGE, RUN, WHERE, Link, SlowWorkerError, WorkerGoneError


@pytest.fixture
def ends() -> Iterator[tuple[Link, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield Link(ours, None), theirs


def test_descriptors_that_a_worker_sends_along_are_not_taken(ends: tuple[Link, socket.socket]) -> None:
    judge, theirs = ends
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        payload = b'{"ok": true}'
        socket.send_fds(theirs, [struct.pack("<I", len(payload))], [theirs.fileno()])
        theirs.sendall(payload)
        assert judge.receive(5.0) == ({"ok": True}, None)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_worker_takes_the_descriptor_that_belongs_to_a_request() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, open(os.devnull) as file:
        Link(ours, None).send({"op": "attach"}, file.fileno())
        message, fd = Link(theirs, None, takes_descriptors=True).receive(5.0)
        assert message == {"op": "attach"}
        assert fd is not None
        os.close(fd)


@pytest.mark.parametrize("spins", [False, True])
def test_amid_a_race_a_message_is_taken_and_answered(spins: bool) -> None:
    """By words, as on a GPU, too."""
    words = mmap.mmap(-1, PAGE) if spins else None
    ours, theirs = socket.socketpair()
    judge, worker = Link(ours, words), Link(theirs, words, takes_descriptors=True)

    def at_work() -> None:
        assert worker.await_command() == ASK
        asked, fd = worker.receive()
        os.write(fd or 0, b"seen")
        os.close(fd or 0)
        worker.done()
        worker.send({"ok": asked["op"]})
        assert worker.await_command() == END
        worker.done()

    with ours, theirs, tempfile.TemporaryFile() as file, ThreadPoolExecutor(1) as pool:
        judge.begin()
        working = pool.submit(at_work)
        judge.command(ASK, 5.0, lambda: None, meanwhile=lambda: judge.send({"op": "look"}, file.fileno(), 5.0))
        assert judge.receive(5.0) == ({"ok": "look"}, None)
        assert file.seek(0) or file.read() == b"seen"
        judge.command(END, 5.0, lambda: None)
        working.result(5.0)


def test_an_answer_in_drops_ends_with_its_time(ends: tuple[Link, socket.socket]) -> None:
    judge, theirs = ends
    ended = threading.Event()

    def drip() -> None:
        theirs.sendall(struct.pack("<I", 100_000))
        while not ended.wait(0.005):
            theirs.sendall(b" ")

    dripping = threading.Thread(target=drip)
    dripping.start()
    try:
        with pytest.raises(SlowWorkerError):
            judge.receive(0.2)
    finally:
        ended.set()
        dripping.join()


def test_a_request_that_nobody_takes_ends_with_its_time(ends: tuple[Link, socket.socket]) -> None:
    judge, _ = ends
    with pytest.raises(SlowWorkerError, match="taken within"):
        judge.send({"spec": "x" * (16 << 20)}, timeout_s=0.2)


def test_an_answer_may_come_in_parts_and_one_that_never_comes_is_the_workers_end(
    ends: tuple[Link, socket.socket],
) -> None:
    judge, theirs = ends

    def say(parts: tuple[bytes, ...]) -> None:
        theirs.recv(1, socket.MSG_PEEK)  # who closes with something unread resets the connection
        for part in parts:
            theirs.sendall(part)
            time.sleep(0.05)

    judge.begin()
    saying = threading.Thread(target=say, args=((b"d" + bytes(100), bytes(100)),))
    saying.start()
    judge.command(WHERE, 5.0, lambda: None)
    assert judge.answer(200, 5.0) == bytes(200)
    saying.join()
    say((b"d",))
    judge.command(WHERE, 5.0, lambda: None)
    theirs.close()
    with pytest.raises(WorkerGoneError):
        judge.answer(8, 5.0)


def test_what_ctrl_c_broke_off_is_not_gone_on_with(ends: tuple[Link, socket.socket]) -> None:
    judge, theirs = ends
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            judge.command(RUN, 60.0, lambda: None)
    finally:
        signal.signal(signal.SIGALRM, before)
    theirs.sendall(b"d")  # the answer to what was broken off is none to what comes after it
    with pytest.raises(KeyboardInterrupt):
        judge.command(END, 60.0, lambda: None)
    with pytest.raises(KeyboardInterrupt):
        judge.receive(60.0)
    with pytest.raises(KeyboardInterrupt):
        judge.send({"op": "load"})


def test_secret_numbers_repeat_under_a_seed_and_are_even() -> None:
    one, same, other = (Secret(seed) for seed in (7, 7, 8))
    drawn = [one.randrange(1000) for _ in range(4000)]
    assert drawn == [same.randrange(1000) for _ in range(4000)]
    assert drawn != [other.randrange(1000) for _ in range(4000)]
    assert 450 < sum(drawn) / len(drawn) < 550
    assert all(0 <= one.random() < 1 for _ in range(100))
    assert sorted(one.sample(range(50), 50)) == list(range(50))
    assert one.getrandbits(0) == 0
    assert one.getrandbits(1000).bit_length() > 900


def test_what_mersenne_twister_tells_of_itself_secret_numbers_do_not() -> None:
    """624 words of its output are its state; the same words of ours foretell nothing."""

    def foretold(source: random.Random) -> bool:
        words = [source.getrandbits(32) for _ in range(624)]
        clone = random.Random()
        clone.setstate((3, (*map(_untempered, words), 624), None))
        return [clone.getrandbits(32) for _ in range(8)] == [source.getrandbits(32) for _ in range(8)]

    assert foretold(random.Random(1))
    assert not foretold(Secret(1))


def _untempered(word: int) -> int:
    word ^= word >> 18
    word ^= (word << 15) & 0xEFC60000
    made = word
    for _ in range(4):
        made = word ^ ((made << 7) & 0x9D2C5680)
    word = made
    for _ in range(2):
        made = word ^ (made >> 11)
    return made
