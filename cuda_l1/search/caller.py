"""Calls to models beside the judging: an event loop in a thread of its own.

The main thread starts coroutines and takes their results when it likes; judging stays where it is. A coroutine keeps
what it was paid for by itself (attempt.ask writes to the archive), so that a result which nobody takes is not lost.
Not covered: what is asked, and when (rounds).
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from types import TracebackType
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """What became of one call: `why` is what it was started for; either a result or an error."""

    why: Any
    result: Any
    error: BaseException | None


class Caller:
    """A context manager. At its end it waits for the calls in flight: they are paid for. Ctrl-C gives them up."""

    def __init__(self, on_wait: Callable[[int], None]) -> None:
        """`on_wait` is told how many calls are waited for at the end."""
        self._on_wait = on_wait
        self._thread = threading.Thread(target=self._run, name="cuda-l1 calls", daemon=True)
        self._is_up = threading.Event()
        self._flying: dict[Future[Any], Any] = {}
        self._done: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        self._at_end: list[Callable[[], Coroutine[Any, Any, None]]] = []

    def __enter__(self) -> Caller:
        self._thread.start()
        self._is_up.wait()
        return self

    def _run(self) -> None:
        with asyncio.Runner() as runner:  # it also ends what the loop leaves behind
            self._loop = runner.get_loop()
            self._is_up.set()
            self._loop.run_forever()

    def at_end(self, coroutine: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """What the loop runs last, such as closing a client, which belongs to this loop."""
        self._at_end.append(coroutine)

    @property
    def in_flight(self) -> int:
        """Calls started whose answer was not taken."""
        return len(self._flying)

    def start(self, why: Any, coroutine: Coroutine[Any, Any, Any]) -> None:
        """Start a call."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        self._flying[future] = why
        future.add_done_callback(self._done.put)

    def take(self, *, wait_s: float = 0.0) -> Answer | None:
        """An answer that has come, or that comes within so many seconds. None where there is none."""
        if not self._flying:
            return None
        try:
            future = self._done.get(timeout=wait_s) if wait_s else self._done.get_nowait()
        except queue.Empty:
            return None
        why = self._flying.pop(future)
        error = asyncio.CancelledError() if future.cancelled() else future.exception()
        return Answer(why, None if error else future.result(), error)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        try:
            self._finish()
        finally:
            for coroutine in self._at_end:
                with contextlib.suppress(Exception):  # a connection that does not close cleanly changes no outcome
                    asyncio.run_coroutine_threadsafe(coroutine(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _finish(self) -> None:
        waiting = [future for future in self._flying if not future.done()]
        if not waiting:
            return
        self._on_wait(len(waiting))
        try:
            for future in waiting:
                with contextlib.suppress(Exception):  # its taker will see it
                    future.result()
        except KeyboardInterrupt:
            for future in waiting:
                future.cancel()
            asyncio.run_coroutine_threadsafe(_gone(), self._loop).result()
            raise


async def _gone() -> None:
    """When all that was cancelled has ended."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.gather(*others, return_exceptions=True)
