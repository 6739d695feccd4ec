"""What every benchmark here shares: rows of JSON written as they are measured, a limit in seconds, a Markdown table.

A stopped run keeps its rows, and the same command goes on behind them. NOT covered: what the rows mean.
"""

from __future__ import annotations

import contextlib
import json
import signal
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

Row = dict[str, Any]


class TimeUp(BaseException):
    """The seconds given are over. Not an Exception, so that nothing on the way takes it for a failure."""


class Journal:
    """Rows in a file, one JSON object a line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[Row] = []
        if path.exists():
            whole, newline, _ = path.read_text().rpartition("\n")  # a killed run may leave half a line
            path.write_text(whole + newline)
            self.rows = [json.loads(line) for line in whole.splitlines()]

    def add(self, row: Row) -> None:
        """Write a row down at once."""
        self.rows.append(row)
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """TimeUp after that many seconds in the block. Not one within another."""

    def over(number: int, frame: FrameType | None) -> None:
        raise TimeUp(f"no end within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Leave the block after that many seconds at the latest; what was measured until then is in the journal."""
    try:
        with within(seconds):
            yield
    except TimeUp:
        print(f"the limit of {seconds:g} s is reached; the same command goes on from here", file=sys.stderr)


def table(header: Sequence[str], lines: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    rows = [header, ["---"] * len(header), *lines]
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in rows)


def quartiles(values: Sequence[float]) -> str:
    """`median (lower quartile to upper quartile)`, or a dash where there is nothing."""
    if not values:
        return "–"
    if len(values) == 1:
        return f"{values[0]:.3g}"
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{middle:.3g} ({low:.3g} to {high:.3g})"
