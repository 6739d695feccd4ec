"""The wire between the judge and one worker: framed JSON messages, and the go / done signals of a race.

Messages carry requests and replies; a file descriptor may ride along. Commands of a race (`prepare this slot`, `run`)
use the same socket on a CPU, where a spinning parent would steal a core from the work (a spinning parent slowed a
two-thread product 2.2 times), and words of shared memory on CUDA, where the socket's wake-up would be a tenth of a
short kernel.

Nothing that a worker says is believed about itself except that it failed: the clock and the outputs are the parent's.
"""

from __future__ import annotations

import functools
import json
import mmap
import os
import socket
import struct
import time
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from cuda_l1 import foreign

_Given = ParamSpec("_Given")
_Got = TypeVar("_Got")

_HEADER = struct.Struct("<I")
_LARGEST_MESSAGE = 8 << 20
PAGE = 4096
"""Size of the shared page for spinning."""
_WORD = struct.Struct("<ii")  # command, sequence
_DONE = struct.Struct("<q")
_KEY = struct.Struct("<qi")  # of the slot that is asked for, sequence

# Commands of a race; any number from 0 on is `prepare that slot`.
RUN, DELIVER, BURST, BEGIN, END, SWAP, WHERE, ASK = -1, -2, -3, -4, -5, -6, -7, -8
"""Call; copy the call's outputs into the next output slot; call on every slot prepared since BEGIN, waiting once; the
first of a turn; the last of a race; put the call's outputs aside, and take up those that were aside; say where the
call's outputs lie, which the socket carries; do what a message asks that follows, and answer by another."""


def nothing() -> None:
    """Done meanwhile."""


class WorkerGoneError(Exception):
    """The other end closed the socket: the process died or was killed."""


class CallFailedError(Exception):
    """The timed call raised; the worker's reply says what."""


class GarbledError(WorkerGoneError):
    """It is still there, and what it sent is no answer."""


class SlowWorkerError(Exception):
    """No answer within the time limit."""


class RefusalError(Exception):
    """A request that cannot be served; `stage` names what failed, for the judge to choose a status, and `pid` whose
    process says so, where the judge was told."""

    def __init__(self, stage: str, text: str, pid: int = 0) -> None:
        super().__init__(text)
        self.stage, self.pid = stage, pid


def _whole(
    exchange: Callable[Concatenate[Link, _Given], _Got],
) -> Callable[Concatenate[Link, _Given], _Got]:
    """Ctrl-C in an exchange leaves a part of it on the wire: all later ones end as that did, and wait for nothing."""

    @functools.wraps(exchange)
    def whole(link: Link, /, *args: _Given.args, **kwargs: _Given.kwargs) -> _Got:
        if link.interrupt is not None:
            raise link.interrupt
        try:
            return exchange(link, *args, **kwargs)
        except KeyboardInterrupt as interrupt:
            link.interrupt = interrupt
            raise

    return whole


class Link:
    """One end of the wire. `words` is a shared page for spinning, or None for the socket; only a worker's end takes
    descriptors."""

    def __init__(self, sock: socket.socket, words: mmap.mmap | None, *, takes_descriptors: bool = False) -> None:
        self.sock, self.takes_descriptors = sock, takes_descriptors
        self.words = words
        self.interrupt: KeyboardInterrupt | None = None
        """What broke off an exchange."""
        self._sequence = 0

    @_whole
    def send(self, message: dict[str, Any], fd: int | None = None, timeout_s: float | None = None) -> None:
        """Send one message, with at most one file descriptor beside it; SlowWorkerError where the other end does not
        take it in `timeout_s`."""
        payload = json.dumps(message).encode()
        self.sock.settimeout(timeout_s)
        try:
            if fd is None:  # a worker may send no descriptors, nor ask to (see seccomp)
                self.sock.sendall(_HEADER.pack(len(payload)))
            else:
                socket.send_fds(self.sock, [_HEADER.pack(len(payload))], [fd])
            self.sock.sendall(payload)
        except TimeoutError as error:
            raise SlowWorkerError(f"no request was taken within {timeout_s:g} s") from error
        except (BrokenPipeError, ConnectionResetError) as error:
            raise WorkerGoneError from error

    @_whole
    def receive(self, timeout_s: float | None = None) -> tuple[dict[str, Any], int | None]:
        """The next message and the descriptor that came with it; SlowWorkerError after `timeout_s`."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        self.sock.settimeout(timeout_s)
        try:
            header, fds = self._header()
            if not header:
                raise WorkerGoneError
            header += self._exactly(_HEADER.size - len(header), deadline)
            (size,) = _HEADER.unpack(header)
            if size > _LARGEST_MESSAGE:
                raise GarbledError(f"a message of {size} bytes; at most {_LARGEST_MESSAGE} are accepted")
            message = json.loads(foreign.whole_json(self._exactly(size, deadline).decode()))
        except TimeoutError as error:
            raise SlowWorkerError(f"no answer within {timeout_s:g} s") from error
        except ConnectionResetError as error:
            raise WorkerGoneError(str(error)) from error
        except (ValueError, RecursionError) as error:
            raise GarbledError(str(error)) from error
        if not isinstance(message, dict):
            raise GarbledError("a message that is no object")
        return message, (fds[0] if fds else None)

    def _header(self) -> tuple[bytes, list[int]]:
        """Its beginning. The judge takes no descriptors: those that a worker sends along are not received."""
        if not self.takes_descriptors:
            return self.sock.recv(_HEADER.size), []
        header, fds, _, _ = socket.recv_fds(self.sock, _HEADER.size, 1)
        return header, fds

    def _exactly(self, size: int, deadline: float | None) -> bytes:
        parts = []
        while size:
            if deadline is not None:
                if (left := deadline - time.monotonic()) <= 0:
                    raise TimeoutError
                self.sock.settimeout(left)
            part = self.sock.recv(min(size, 1 << 16))
            if not part:
                raise WorkerGoneError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def close(self) -> None:
        """Close this end."""
        self.sock.close()
        if self.words is not None:
            self.words.close()

    # A race: the parent commands, the worker says done.

    def begin(self) -> None:
        """Before the first command, on both ends: restart the count."""
        self._sequence = 0
        if self.words is not None:
            self.words[0:28] = bytes(28)
        self.sock.settimeout(None)

    @_whole
    def command(
        self,
        value: int,
        timeout_s: float,
        poll: Callable[[], object],
        key: int = 0,
        meanwhile: Callable[[], object] = nothing,
    ) -> None:
        """Parent: give one command and wait until it is done; `poll` says whether the process lives (None: it does).
        The `key` of a slot goes through shared memory alone; `meanwhile` is done while the worker is at it."""
        self._sequence += 1
        if self.words is None:
            self._command_by_socket(value, timeout_s, meanwhile)
            return
        if value >= 0:
            self.words[16:28] = _KEY.pack(key, self._sequence)
        self.words[0:8] = _WORD.pack(value, self._sequence)
        meanwhile()
        expected, failed = _DONE.pack(self._sequence), _DONE.pack(-self._sequence)
        words, deadline = self.words, time.monotonic() + timeout_s
        while True:
            for _ in range(20_000):
                word = words[8:16]
                if word == expected:
                    return
                if word == failed:
                    raise CallFailedError
            if poll() is not None:
                raise WorkerGoneError
            if time.monotonic() > deadline:
                raise SlowWorkerError(f"a call did not end within {timeout_s:g} s")

    def _command_by_socket(self, value: int, timeout_s: float, meanwhile: Callable[[], object]) -> None:
        self.sock.settimeout(timeout_s)
        try:
            self.sock.send(_WORD.pack(value, self._sequence))
            meanwhile()
            answer = self.sock.recv(1)
        except TimeoutError as error:
            raise SlowWorkerError(f"a call did not end within {timeout_s:g} s") from error
        except (ConnectionResetError, BrokenPipeError) as error:
            raise WorkerGoneError from error
        if answer == b"x":
            raise CallFailedError
        if not answer:
            raise WorkerGoneError
        if answer != b"d":
            raise GarbledError(f"{answer!r} to a command")

    @_whole
    def answer(self, nbytes: int, timeout_s: float) -> bytes:
        """Parent: so many bytes that a worker answers a command with, which is done."""
        try:
            return self._exactly(nbytes, time.monotonic() + timeout_s)
        except TimeoutError as error:
            raise SlowWorkerError(f"{nbytes} bytes of an answer did not come in time") from error
        except ConnectionResetError as error:
            raise WorkerGoneError(str(error)) from error

    def say(self, told: bytes) -> None:
        """Worker: the command is carried out, and this is its answer."""
        self.sock.sendall(told if self.words is not None else b"d" + told)
        if self.words is not None:
            self.done()

    def await_command(self) -> int:
        """Worker: the next command."""
        self._sequence += 1
        if self.words is None:
            word = self.sock.recv(_WORD.size, socket.MSG_WAITALL)
            if len(word) < _WORD.size:
                raise WorkerGoneError
            return int(_WORD.unpack(word)[0])
        words, expected, parent = self.words, struct.pack("<i", self._sequence), os.getppid()
        while True:
            for _ in range(20_000):
                if words[4:8] == expected:
                    return int(_WORD.unpack(words[0:8])[0])
            if os.getppid() != parent:
                raise WorkerGoneError

    def key(self) -> int:
        """Worker: what the slot that was asked for is sealed under; 0 where it is not."""
        if self.words is None:
            return 0
        while True:  # some processors show what was written last first
            key, sequence = _KEY.unpack(self.words[16:28])
            if sequence == self._sequence:
                return int(key)

    def done(self, ok: bool = True) -> None:
        """Worker: the command is carried out and its output is whole, or it failed and a reply follows."""
        if self.words is None:
            self.sock.send(b"d" if ok else b"x")
        else:
            self.words[8:16] = _DONE.pack(self._sequence if ok else -self._sequence)
