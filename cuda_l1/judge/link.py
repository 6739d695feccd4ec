"""The wire between the judge and one worker: framed JSON messages, and the go / done signals of a timed call.

Messages carry requests and replies; a file descriptor may ride along. Go and done use the same socket on a CPU,
where a spinning parent would steal a core from the work (a spinning parent slowed a two-thread product 2.2 times),
and two words of shared memory on CUDA, where the socket's wake-up would be a tenth of a short kernel.

Nothing that a worker says is believed about itself except that it failed: the clock and the outputs are the parent's.
"""

from __future__ import annotations

import json
import mmap
import os
import socket
import struct
import time
from collections.abc import Callable
from typing import Any

_HEADER = struct.Struct("<I")
_LARGEST_MESSAGE = 8 << 20
WORDS_BYTES = 4096
"""Size of the shared page for spinning."""
_WORD = struct.Struct("<q")


class WorkerGoneError(Exception):
    """The other end closed the socket: the process died or was killed."""


class CallFailedError(Exception):
    """The timed call raised; the worker's reply says what."""


class SlowWorkerError(Exception):
    """No answer within the time limit."""


class Link:
    """One end of the wire. `words` is a shared page for spinning, or None for the socket."""

    def __init__(self, sock: socket.socket, words: mmap.mmap | None) -> None:
        self.sock = sock
        self.words = words
        self._sequence = 0

    def send(self, message: dict[str, Any], fd: int | None = None) -> None:
        """Send one message, with at most one file descriptor beside it."""
        payload = json.dumps(message).encode()
        try:
            socket.send_fds(self.sock, [_HEADER.pack(len(payload))], [] if fd is None else [fd])
            self.sock.sendall(payload)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise WorkerGoneError from error

    def receive(self, timeout_s: float | None = None) -> tuple[dict[str, Any], int | None]:
        """The next message and the descriptor that came with it; SlowWorkerError after `timeout_s`."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        self.sock.settimeout(timeout_s)
        try:
            header, fds, _, _ = socket.recv_fds(self.sock, _HEADER.size, 1)
            header += self._exactly(_HEADER.size - len(header), deadline) if header else b""
            if not header:
                raise WorkerGoneError
            (size,) = _HEADER.unpack(header)
            if size > _LARGEST_MESSAGE:
                raise WorkerGoneError(f"a message of {size} bytes; at most {_LARGEST_MESSAGE} are accepted")
            message = json.loads(self._exactly(size, deadline))
        except TimeoutError as error:
            raise SlowWorkerError(f"no answer within {timeout_s:g} s") from error
        except (ConnectionResetError, ValueError) as error:
            raise WorkerGoneError(str(error)) from error
        if not isinstance(message, dict):
            raise WorkerGoneError("a message that is no object")
        return message, (fds[0] if fds else None)

    def _exactly(self, size: int, deadline: float | None) -> bytes:
        parts = []
        while size:
            if deadline is not None:
                self.sock.settimeout(max(deadline - time.monotonic(), 1e-3))
            part = self.sock.recv(min(size, 1 << 16))
            if not part:
                raise WorkerGoneError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    # The four signals of a timed call. Parent: go, await_done. Worker: await_go, done.

    def begin(self, timeout_s: float | None) -> None:
        """Before the first call of a turn, on both ends: restart the count and fix the time limit of a call."""
        self._sequence = 0
        if self.words is not None:
            self.words[0:16] = bytes(16)
        self.sock.settimeout(timeout_s)

    def go(self) -> None:
        """Parent: release the next call."""
        self._sequence += 1
        if self.words is None:
            self.sock.send(b"g")
        else:
            self.words[0:8] = _WORD.pack(self._sequence)

    def await_go(self) -> None:
        """Worker: wait for the release of the next call."""
        self._sequence += 1
        if self.words is None:
            if not self.sock.recv(1):
                raise WorkerGoneError
        else:
            self._spin(0, None, os.getppid)

    def done(self, ok: bool = True) -> None:
        """Worker: the call is finished and its output is whole, or it failed and a reply follows."""
        if self.words is None:
            self.sock.send(b"d" if ok else b"x")
        else:
            self.words[8:16] = _WORD.pack(self._sequence if ok else -self._sequence)

    def await_done(self, timeout_s: float, poll: Callable[[], object]) -> None:
        """Parent: wait for the end of the call; `poll` says whether the process still lives (None: it does)."""
        if self.words is None:
            try:
                answer = self.sock.recv(1)
            except TimeoutError as error:
                raise SlowWorkerError(f"a call did not end within {timeout_s:g} s") from error
            except ConnectionResetError as error:
                raise WorkerGoneError from error
            if answer == b"x":
                raise CallFailedError
            if answer != b"d":
                raise WorkerGoneError
        else:
            self._spin(8, timeout_s, poll)

    def _spin(self, offset: int, timeout_s: float | None, poll: Callable[[], object]) -> None:
        assert self.words is not None
        words, expected, alive = self.words, _WORD.pack(self._sequence), poll()
        failed = _WORD.pack(-self._sequence)
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            for _ in range(20_000):
                word = words[offset : offset + 8]
                if word == expected:
                    return
                if word == failed:
                    raise CallFailedError
            if poll() != alive:
                raise WorkerGoneError
            if deadline is not None and time.monotonic() > deadline:
                raise SlowWorkerError(f"a call did not end within {timeout_s:g} s")
