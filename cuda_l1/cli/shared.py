"""What the commands share: options, and the way from flags to a task, a candidate, an archive.

Data goes to stdout through `emit` and `print_json`; whatever is said goes to stderr through the console.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cuda_l1 import foreign, streams
from cuda_l1.errors import CannotJudgeError, TaskError, UsageError, nearest_file

if TYPE_CHECKING:
    from cuda_l1.archive import Archive
    from cuda_l1.config import CommandConfig, OptimizeConfig
    from cuda_l1.console import Console
    from cuda_l1.judge import JudgeConfig, Session
    from cuda_l1.types import Candidate, Task

Command = Callable[..., Any]
_DRIVER = "/dev/nvidiactl"
PREPARING = "asking the module what it gives, for inputs and weights of many kinds"
"""What a judge does first; of a large module it takes minutes."""
_OUTPUT_FLAGS = ("-q", "--quiet", "--json")
TARGET_IS = "TARGET is file.py in KernelBench's format, file.py:NAME with --inputs for a class or a function, or \
kernelbench:LEVEL/ID."
_STAGES = {"build": "building", "verify": "verifying", "time": "timing"}


class Ordered(click.Group):
    """Commands in the order in which a user meets them. What is said of the output may stand before the command too:
    `cuda-l1 -q verify ...`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        early = list(itertools.takewhile(_OUTPUT_FLAGS.__contains__, args))
        rest = args[len(early) :]
        return super().parse_args(ctx, [*rest[:1], *early, *rest[1:]] if rest else [])


def options(*options: Command) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


output_options = options(
    click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout."),
    click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but errors."),
    click.option("--display", type=click.Choice(["auto", "rich", "plain"]), default="auto", help="Progress on stderr."),
)
archive_options = click.option("--archive", metavar="PATH", help="Archive file or database URL.")


def judging_options(
    *,
    effort: str = "normal",
    baselines: str = "eager,compile,graph",
    seed: str = "Of the judge's inputs, to repeat a verdict.",
) -> Callable[[Command], Command]:
    """How a command judges; its help says its own defaults, which are those of its config."""
    efforts, precisions = ["glance", "quick", "normal", "strict"], ["default", "fp32", "tf32", "bf16", "fp16"]
    return options(
        click.option("--device", metavar="cpu|cuda[:N]", help="Default: CUDA where there is a device, else cpu"),
        click.option(
            "--cores",
            type=click.IntRange(1),
            help="With --device cpu: cores of a judge's own; several then time at once.",
        ),
        click.option("--effort", type=click.Choice(efforts), help=f"How long to time. Default: {effort}"),
        click.option("--baselines", metavar="NAMES", help=f"With commas, or all, or none. Default: {baselines}"),
        click.option("--precision", type=click.Choice(precisions), help="On both sides."),
        click.option("--mode", type=click.Choice(["eval", "train"]), help="Mode of the module. Default: eval"),
        click.option("--sandbox", type=click.Choice(["auto", "none"]), help="none: candidates get your own rights."),
        click.option("--seed", type=int, help=seed),
    )


task_options = options(
    click.option(
        "--inputs", metavar="SPEC", help="For file.py:NAME: a function, file.py:function, or 'x=randn(64,128)'."
    ),
    click.option("--init", metavar="SPEC", help="Constructor arguments for file.py:Class, e.g. '256, bias=False'."),
    click.option(
        "--set",
        "sizes",
        metavar="NAME=VALUE",
        multiple=True,
        help="Replace a constant of the task's source. Repeatable.",
    ),
    click.option("--kernelbench", metavar="FOLDER", help="A KernelBench checkout; else the hub dataset."),
)
TASK_FLAGS = ("inputs", "init", "sizes")
"""Those of `task_options` that no command's config holds."""


def taken(flags: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """These flags, which are no more among the others afterwards."""
    return {name: flags.pop(name) for name in names}


def console(display: str, quiet: bool) -> Console:
    from cuda_l1.console import Console

    return Console(display, quiet=quiet)


def load_task(target: str, flags: dict[str, Any], config: CommandConfig) -> Task:
    """What a command will judge by itself; what its judge needs begins to load, seconds, before this process's torch
    does."""
    from cuda_l1 import tasks

    likely = config.device or ("cuda" if os.path.exists(_DRIVER) else "cpu")
    judge_config(config.model_copy(update={"device": likely}), seeded=False).expect_workers()
    return tasks.load(
        target, inputs=flags["inputs"], init=flags["init"], kernelbench=config.kernelbench, device=device(config),
        sizes=sizes_of(flags["sizes"]), precision=config.precision, mode=config.mode,
    )  # fmt: skip


def sizes_of(texts: Sequence[str] | None) -> dict[str, str]:
    """What NAME=VALUE of `--set` and `--held-out` replaces."""
    sizes: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"size {text}: expected NAME=VALUE, for instance N=1024")
        sizes[name] = value
    return sizes


def device(config: CommandConfig) -> str:
    if config.device is not None:
        return config.device
    return default_device()


@functools.cache
def default_device() -> str:
    """CUDA where there is a device that torch can use, else the CPU."""
    # torch takes seconds to import; a machine without the driver's device node has no CUDA device
    if not os.path.exists(_DRIVER):
        return "cpu"
    import torch

    if torch.cuda.is_available():
        return "cuda:0"
    streams.say(f"an NVIDIA driver is here, but torch {torch.__version__} finds no device: judging on the CPU")
    return "cpu"


def judge_config(config: CommandConfig, *, seeded: bool) -> JudgeConfig:
    from cuda_l1 import baselines
    from cuda_l1.judge import JudgeConfig

    return JudgeConfig(
        device=device(config),
        cores=config.cores,
        effort=config.effort,
        baselines=baselines.parse_names(config.baselines),
        seed=config.seed if seeded else None,
        sandbox=config.sandbox,
    )


def search_config(flags: dict[str, Any]) -> OptimizeConfig:
    """The settings of a search, before anything is started for it. ConfigError for an unknown technique or prompts that
    are not there; UsageError where no run can be kept, and for a server without a model: nobody would be asked, and the
    search would seem to have been."""
    from cuda_l1 import journal, transforms
    from cuda_l1.config import OptimizeConfig, load
    from cuda_l1.prompts.templates import Templates

    config = load(OptimizeConfig, flags)
    transforms.named(config.transforms)
    Templates(Path(config.prompt_dir) if config.prompt_dir else None)
    journal.check_folder(Path(config.out))
    if flags["base_url"] is not None and config.model is None:
        raise UsageError(f"--base-url {flags['base_url']} without --model NAME: say which model of that server to ask")
    return config


def check_device(config: JudgeConfig, gpus: int = 1) -> None:
    from cuda_l1.machine import environment

    environment.require(config.device)
    if gpus > 1:
        if config.device not in ("cuda", "cuda:0"):
            raise UsageError(f"--gpus {gpus} takes the first GPUs, found --device {config.device}: leave one out")
        environment.require(f"cuda:{gpus - 1}")


def check_toolchain(*candidates: Candidate) -> None:
    """CannotJudgeError where this machine cannot build what it is asked to judge."""
    from cuda_l1 import doctor

    for each in candidates:
        if (missing := doctor.missing_tool(each.language, each.code)) is not None:
            raise CannotJudgeError(f"candidate {each.author or each.id} is {each.language}: {missing}")


@contextmanager
def session_of(task: Task, config: JudgeConfig, screen: Console) -> Iterator[Session]:
    """The judge of a task, while the screen says what it is at."""
    from cuda_l1 import wording
    from cuda_l1.judge import Session

    screen.doing(PREPARING)
    began = time.monotonic()
    try:
        with Session(task, config) as session:
            screen.say(f"  asked the module what it gives, in {wording.duration_s(time.monotonic() - began)}")
            session.on_stage = lambda name, stage: screen.doing(f"{_STAGES[stage]} {name}")
            yield session
    finally:
        screen.stop()


def factor(name: str, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        value = float(text.strip().removesuffix("x"))
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise UsageError(f"--{name.replace('_', '-')} {text}: expected a factor above 0, for instance 6.3x")
    return value


def find_candidate(place: str, task: Task, config: CommandConfig) -> Candidate:
    from cuda_l1 import journal, parsing
    from cuda_l1.tasks.packages import by_name
    from cuda_l1.tasks.wrapped import module_of
    from cuda_l1.types import Candidate

    path, called = Path(place), ""
    if place and os.path.isdir(path):  # the path of no name is this folder
        _is_run_of(task, path)
        path = path / "best.py"
    elif (match := re.fullmatch(r"(.+\.py):(\w+)", place)) and not os.path.exists(path):
        path, called = Path(match[1]), match[2]
    if os.path.isfile(path):
        code, _ = by_name(journal.text_of(path, f"candidate {path}"), path)
        code = module_of(code, called, "ModelNew", path) if called else code
        return Candidate(
            task_id=task.id, code=code, language=parsing.language_of(code), origin="human", author=path.name
        )
    if called:
        raise UsageError(f"no file {path}, of which {place} names a class or a function")
    if path != Path(place):
        raise UsageError(f"folder {place} has no best.py: no run in it found a win; name a .py file, or a run that did")
    if len(place) != 16 or not set(place) <= set("0123456789abcdef"):
        raise UsageError(
            f"no candidate {place or repr(place)}: expected a .py file that defines ModelNew, FILE.py:NAME of another "
            f"class or a function, a run folder with best.py, or an id{nearest_file(path)}"
        )
    with open_archive(config.archive, make=False) as archive:
        candidate = archive.candidate(place)
    if candidate is None:
        raise UsageError(f"no candidate {place} in the archive {archive_place(config.archive)}")
    if candidate.task_id != task.id:
        raise TaskError(f"candidate {place} is for task {candidate.task_id}, not for {task.id}")
    return candidate


def _is_run_of(task: Task, folder: Path) -> None:
    """TaskError where a run folder says that it was for another task; a folder that says nothing is believed."""
    try:
        source = json.loads((folder / "config.json").read_text(encoding="utf-8"))["task"]["source"]
    except (OSError, ValueError, LookupError, TypeError):
        return
    if source != task.source:
        raise TaskError(f"run {folder} is for another task than {task.name}: name the TARGET that it was started with")


def archive_place(archive: str | None) -> str:
    import platformdirs

    from cuda_l1.config import CommandConfig, load

    chosen = load(CommandConfig, {"archive": archive}).archive
    if chosen is None:
        return str(Path(platformdirs.user_data_dir("cuda-l1")) / "archive.sqlite")
    # A run may be resumed from another folder.
    return chosen if "://" in chosen else str(Path(os.path.expanduser(chosen)).absolute())


def open_archive(archive: str | None, *, make: bool = True) -> Archive:
    """Unless it may `make` one, UsageError where there is none: who looks something up may have mistyped the place."""
    from cuda_l1.archive import Archive

    place = archive_place(archive)
    if not make and "://" not in place and not os.path.exists(place):
        hint = nearest_file(Path(place), "*.sqlite") or "; cuda-l1 optimize makes it, or --archive names another"
        raise UsageError(f"no archive {place}: nothing was tried with it yet{hint}")
    return Archive(place)


def run_place(name: str, archive: str | None) -> tuple[str, str | None]:
    folder = Path(name)
    if not os.path.isdir(folder):  # a name may be longer than Path takes
        return name, archive
    from cuda_l1 import search

    record = search.saved(folder)
    return record["run_id"], archive or record["config"]["archive"]


@contextmanager
def work() -> Iterator[None]:
    """While it lasts, stdout leads to stderr: what the user's own module or a library prints is no data."""
    streams.Lossy(sys.stdout).flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        streams.Lossy(sys.stdout).flush()
        os.dup2(kept, 1)
        os.close(kept)


def report_file(output: str | None) -> None:
    """UsageError for a report that could not be written, before anything is done for it."""
    if output is None:
        return
    path = Path(output)
    if path.suffix not in (".md", ".json"):
        raise UsageError(f"--output {output}: expected a name that ends in .md or .json")
    if not path.parent.is_dir():
        raise UsageError(f"--output {output}: there is no folder {path.parent}: make it, or name another")


def show_report(total: Any, page: str, screen: Console, *, output: str | None, as_json: bool) -> None:
    """A report in the file that was asked for, as its name ends; on stdout the object, or where there is no file the
    page."""
    if output is not None:
        try:
            text = json.dumps(total, indent=1) if output.endswith(".json") else page
            Path(output).write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"--output {output} cannot be written ({error.strerror}): name another file") from None
        screen.say(f"written: {output}")
    if as_json:
        print_json(total)
    elif output is None:
        emit(page.rstrip("\n"))


def emit(text: str) -> None:
    """Data to stdout. A reader that has gone away (`| head`) changes nothing: the exit code still says the outcome.
    UsageError where it cannot be written for another reason."""
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except OSError as error:
        streams.drop(sys.stdout)
        if not isinstance(error, BrokenPipeError):
            raise UsageError(unwritable(error)) from None


def unwritable(error: OSError) -> str:
    """What is said where stdout takes nothing."""
    return f"stdout cannot be written ({error.strerror}): lead it elsewhere and ask again"


def print_json(data: Any) -> None:
    emit(json.dumps(data, allow_nan=False))


def plain_table(rows: Sequence[Sequence[str]]) -> str:
    rows = [[foreign.one_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
