"""Errors that this package raises, and the exit code that each means on the command line.

    CudaL1Error                 2  internal error, or one of:
    ├── UsageError              2  a wrong flag, file or setting
    │   ├── TaskError           2  the task cannot be loaded or run
    │   └── ConfigError         2  an unknown or impossible setting
    ├── CannotJudgeError        3  no device, no toolchain, our own failure
    └── ModelError              4  the language model refuses, fails, or its budget is spent
        └── AwayError           4  its server is away, loading or overloaded: it may come back

A bad candidate is never an error: it is an `Evaluation` with a `Status`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


class CudaL1Error(Exception):
    """Base of every error raised on purpose by cuda-l1."""

    exit_code = 2


class UsageError(CudaL1Error):
    """The user asked for something that cannot be done as asked; the message says what to do next."""


class TaskError(UsageError):
    """The task's source does not load, lacks a name, or does not run."""


class ConfigError(UsageError):
    """A setting is unknown or out of range."""


class CannotJudgeError(CudaL1Error):
    """The judge itself cannot give a verdict: no device, no toolchain, or a failure of its own."""

    exit_code = 3


class ModelError(CudaL1Error):
    """The language model refused, cannot be reached, or its budget is spent."""

    exit_code = 4


class AwayError(ModelError):
    """The language model's server is away, loading or overloaded: it may be there after a while."""


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """For a message about a name that is not known: `; did you mean A or B?`; empty where none is like it."""
    import difflib

    near = difflib.get_close_matches(name, sorted(known), n=2, cutoff=cutoff)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def nearest_file(path: Path, kind: str = "*.py") -> str:
    """The same about a file that is not there: `; did you mean FOLDER/NAME.py?`."""
    import difflib

    beside = [each.name for each in path.parent.glob(kind)] if os.path.isdir(path.parent) else []
    near = difflib.get_close_matches(path.name, beside, n=1, cutoff=0.7)
    return f"; did you mean {path.parent / near[0]}?" if near else ""
