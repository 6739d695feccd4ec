"""The command line. Parse first, import later: `--help` loads neither torch nor a database nor a model client.

stdout carries data only, everything said goes to stderr; `--json` gives exactly one object, on failure too.
Exit codes: 0 the asked-for outcome holds, 1 a clean negative verdict, 2 usage, config or internal error, 3 could not
judge, 4 model access or budget, 130 interrupted with the best so far kept (143 by SIGTERM, 129 by SIGHUP).
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import gc
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from cuda_l1 import __version__, foreign, streams
from cuda_l1.cli import stops
from cuda_l1.cli.ablate import ablate
from cuda_l1.cli.library import archive_group, doctor, model, report_command
from cuda_l1.cli.measure import bench, verify
from cuda_l1.cli.mutants import mutants
from cuda_l1.cli.optimize import optimize
from cuda_l1.cli.shared import TARGET_IS, Ordered, print_json, unwritable
from cuda_l1.cli.sweep import evaluate
from cuda_l1.cli.train import train
from cuda_l1.errors import CannotJudgeError, CudaL1Error, UsageError

_COLLECTED_FROM = 10_000
"""New objects after which Python looks for garbage: from its own 700 on it does so hundreds of times while torch loads,
a quarter of that time, for next to nothing."""
_SPENT = {
    errno.EFBIG: "files, and memory that processes share, may be no larger here: raise it with ulimit -f",
    errno.ENOSPC: "a disk is full, that of TMPDIR maybe: make room, or name another folder",
    errno.EDQUOT: "your share of a disk is full: make room, or name another folder with TMPDIR",
    errno.ENOMEM: "no memory is left: end other programs",
    errno.EMFILE: "too many files are open: raise the limit with ulimit -n",
    errno.ENFILE: "too many files are open on this machine: end other programs",
    errno.EROFS: "nothing can be written there: name another folder, for scratch with TMPDIR",
}
"""Errors of a machine that has no more to give, and what to do: no bugs."""


class _BrokenError(Exception):
    """A pipe broke; as an OSError click would end us with a code of its own, and say nothing."""

    def __init__(self, pipe: BrokenPipeError) -> None:
        self.pipe = pipe


class _Root(Ordered):
    """All commands."""

    def make_context(self, *given: Any, **named: Any) -> click.Context:
        with _pipes():
            return super().make_context(*given, **named)

    def invoke(self, ctx: click.Context) -> Any:
        with _pipes():
            return super().invoke(ctx)


@contextlib.contextmanager
def _pipes() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise _BrokenError(error) from error


@click.group(
    cls=_Root,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=f"{TARGET_IS} The options of a command stand after its name.",
)
@click.version_option(__version__, prog_name="cuda-l1")
def cli() -> None:
    """Faster code for PyTorch modules, believed only when measured."""


for command in (doctor, optimize, evaluate, verify, bench, mutants, ablate, report_command, archive_group, model,
                train):  # fmt: skip
    cli.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point: runs the command and exits with its code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    os.umask(os.umask(0) & 0o077)  # what is written here is read again, whatever others may do
    gc.set_threshold(_COLLECTED_FROM, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)  # else all is searched for garbage before it ends: a third of a second
    streams.ready()
    with stops.heard():
        code = _guarded(given)
    sys.exit(code)


def _guarded(arguments: list[str]) -> int:
    try:
        code = cli.main(args=arguments, prog_name="cuda-l1", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.NoArgsIsHelpError as asked:
        streams.say(asked.format_message())
        return UsageError.exit_code
    except click.ClickException as error:
        context = error.ctx if isinstance(error, click.UsageError) else None
        where = f" See {context.command_path} --help" if context else ""
        if isinstance(error, click.NoSuchOption) and context and isinstance(context.command, click.Group):
            where = f" The options of a command stand after its name.{where}"
        return _fail(arguments, "UsageError", error.format_message() + where, UsageError.exit_code)
    except CudaL1Error as error:
        _trace(error)
        return _fail(arguments, type(error).__name__, str(error), error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        return _fail(arguments, "Interrupted", "interrupted", stops.exit_code())
    except _BrokenError as broken:
        streams.drop(sys.stdout)
        return 0 if _is_of_help(broken.pipe) else _bug(arguments, broken.pipe)
    except Exception as error:
        if isinstance(error, OSError) and _is_of_help(error):
            streams.drop(sys.stdout)
            return _fail(arguments, "UsageError", unwritable(error), UsageError.exit_code)
        if isinstance(error, OSError) and error.errno in _SPENT:
            _trace(error)
            words = f"{error.strerror}{f' ({error.filename})' if error.filename else ''}; {_SPENT[error.errno]}"
            return _fail(arguments, CannotJudgeError.__name__, words, CannotJudgeError.exit_code)
        return _bug(arguments, error)


def _is_of_help(error: BaseException) -> bool:
    """Whether click could not write what it says by itself, --help and --version."""
    return any(frame.f_code is click.echo.__code__ for frame, _ in traceback.walk_tb(error.__traceback__))


def _trace(error: BaseException) -> None:
    """Where it came about, for whoever asks."""
    if os.environ.get("CUDA_L1_DEBUG"):
        traceback.print_exception(error)


def _bug(arguments: list[str], error: BaseException) -> int:
    _trace(error)
    text = f"{type(error).__name__}: {error}"
    told = "".join(traceback.format_exception(error))
    words = f"{text}\nThis is a bug of cuda-l1. Traceback: {_crash_log(told)}"
    return _fail(arguments, "InternalError", words, 2)


def _fail(arguments: list[str], kind: str, message: str, code: int) -> int:
    streams.fail(message)
    if "--json" in arguments:
        with contextlib.suppress(UsageError):  # it was said on stderr, if there is one
            print_json({"schema": 1, "error": {"type": kind, "message": message}, "exit_code": code})
    return code


def _crash_log(text: str) -> str:
    """Where the traceback was written, or the traceback itself where nothing can be written."""
    import platformdirs

    path = Path(platformdirs.user_cache_dir("cuda-l1")) / "crash.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(foreign.whole(text), encoding="utf-8")
    except OSError as error:
        return f"({path} cannot be written: {error.strerror})\n{text}"
    return str(path)
