"""Files that outlive kill -9: JSON lines that are only ever appended, and texts that are replaced as a whole.

A line is on the disk before `append` returns; a killed writer leaves at most half a line, which readers do not see
and the next writer cuts off. Not covered: what the lines say, network file systems without working locks.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from cuda_l1.errors import UsageError
from cuda_l1.foreign import whole_json

Line = dict[str, Any]
STARTS = ("launch", "resume")
"""Events with which a sitting begins."""


def text_of(path: Path, named: str) -> str:
    """What a person wrote there, without a byte order mark. UsageError, which begins with what it is `named`, where it
    does not read or is no UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{named}: byte {error.start} is not UTF-8 text: save it as UTF-8") from None
    except OSError as error:
        raise UsageError(f"{named} does not read: {error}") from None


def folder(path: Path) -> Path:
    """The folder, made where it is missing. UsageError where it cannot be made or written to."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"folder {path} cannot be made ({error.strerror}): name another with --out") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise UsageError(f"folder {path} cannot be written to: make it writable, or name another with --out")
    return path


def check_folder(path: Path) -> None:
    """UsageError where a folder cannot be made, for a file is in its place or on its way; makes none."""
    there = next(each for each in (path.absolute(), *path.absolute().parents) if os.path.exists(each))
    if not there.is_dir():
        raise UsageError(f"folder {path} cannot be made ({there.name} is no folder): name another with --out")


@contextmanager
def held(path: Path, busy: str | None = None) -> Iterator[IO[bytes]]:
    """The file, made where it is missing, for this process alone, without a line that was cut short.

    Another holder is waited for; with `busy` it is a UsageError that says so.
    """
    folder(path.parent)
    with _written(path):
        file = open(path, "a+b")  # noqa: SIM115 - closed below
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (fcntl.LOCK_NB if busy else 0))
        except BlockingIOError:
            raise UsageError(str(busy)) from None
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
        yield file
    finally:
        with contextlib.suppress(OSError):  # of a line that found no room, which `append` has said
            file.close()


@contextmanager
def _written(path: Path | str) -> Iterator[None]:
    """UsageError where the file cannot be written: a full disk, a folder in its place."""
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written ({error.strerror}): make room for it, or name another place"
        ) from None


def append(file: IO[bytes], line: Mapping[str, Any]) -> None:
    """One line more; it is on the disk when this returns."""
    with _written(file.name):
        file.write(json.dumps(line, sort_keys=True).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def tell(path: Path, event: str, **fields: Any) -> Line:
    """Append an event, with the time of now, and return it."""
    entry = {"event": event, "time": datetime.now(UTC).isoformat(timespec="milliseconds"), **fields}
    with held(path) as file:
        append(file, entry)
    return entry


def lines(path: Path) -> list[Line]:
    """Every whole line; none where there is no file. UsageError names one that does not read."""
    whole = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""
    found = []
    for number, text in enumerate(whole.splitlines(), 1):
        try:
            line = json.loads(whole_json(text.decode()))
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path}, line {number} does not read: {error}; move it away to begin anew") from None
        if not isinstance(line, dict):
            raise UsageError(f"{path}, line {number}: expected an object, found a {type(line).__name__}")
        found.append(line)
    return found


def elapsed_s(path: Path) -> float:
    """Seconds that the sittings of a file of events took, each from its start to the last that it told."""
    sittings: list[list[datetime]] = []
    for number, line in enumerate(lines(path), 1):
        try:
            begins, at = line["event"] in STARTS, datetime.fromisoformat(line["time"]).astimezone(UTC)
        except (KeyError, TypeError, ValueError):
            raise UsageError(
                f"{path}, line {number}: expected an event and its time, found {', '.join(line) or 'nothing'}; move it "
                "away to begin anew"
            ) from None
        if begins or not sittings:
            sittings.append([])
        sittings[-1].append(at)
    return sum((times[-1] - times[0]).total_seconds() for times in sittings)


def replace(path: Path, text: str) -> None:
    """Write a file so that a reader finds the old text or the new one, never a part."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with _written(path):
            fresh.write_text(text, encoding="utf-8")
            fresh.replace(path)
    finally:
        _gone(fresh)


def link(path: Path, target: str) -> None:
    """Make a symbolic link, over an older one."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    try:
        with _written(path):
            fresh.symlink_to(target)
            fresh.replace(path)
    finally:
        _gone(fresh)


def _gone(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
