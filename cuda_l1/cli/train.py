"""`cuda-l1 train`: data and the three stages, each from one TOML file that is checked before anything is loaded."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cuda_l1.cli.shared import Ordered, console, default_device, emit, options, output_options, print_json, work
from cuda_l1.errors import CannotJudgeError, UsageError

if TYPE_CHECKING:
    from cuda_l1.train.config import StageConfig

config_option = click.option(
    "--config",
    "path",
    metavar="FILE",
    required=True,
    type=click.Path(path_type=Path),
    help="TOML; see docs/training.md.",
)
set_option = click.option(
    "--set", "overrides", metavar="KEY=VALUE", multiple=True, help="In place of the config's, e.g. strategy=random."
)
stage_options = options(
    config_option,
    set_option,
    click.option("--resume", is_flag=True, help="Go on from the newest checkpoint in the config's out folder."),
    output_options,
)


@click.group(cls=Ordered)
def train() -> None:
    """Train a policy: tasks and data, three stages, a test.

    The stages are sft, selfsup and contrastive.
    """


@train.command()
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Folder: one file a task, as eval takes it."
)
@click.option("--families", default="held-out", help="held-out (default), train, or names with commas.")
@click.option(
    "--count", type=click.IntRange(1), default=120, help="Tasks to draw; unsound ones are left out. Default: 120"
)
@click.option("--seed", type=int, default=0, help="Of the draw. Default: 0")
@click.option("--device", metavar="cpu|cuda[:N]", help="What they are sized for and tried on.")
@output_options
def tasks(
    out: Path, families: str, count: int, seed: int, device: str | None, as_json: bool, quiet: bool, display: str
) -> int:
    """Draw tasks from the generator's families."""
    from cuda_l1 import journal
    from cuda_l1.machine import environment
    from cuda_l1.train import families as known
    from cuda_l1.train import screen

    _is_free(out)
    journal.folder(out.parent)
    wanted = {"held-out": known.split()[1], "train": known.split()[0]}.get(families) or families.split(",")
    on = device or default_device()
    with work():
        environment.require(on)
        drawn = known.generate(seed, count, list(wanted), scale="cpu" if on == "cpu" else "cuda")
        sound = screen.sound(drawn, on)
    if not sound:
        fault = screen.screen(drawn[0], on).fault
        raise CannotJudgeError(
            f"none of the {len(drawn)} tasks drawn is sound on {on} ({fault}), so no folder was made: try another "
            "--seed, or other --families"
        )
    fresh = out.with_name(f".{out.name}-{os.getpid()}")  # the folder appears by a rename, whole or not at all
    try:
        fresh.mkdir()
        for task in sound:
            (fresh / f"{task.name}.py").write_text(task.source)
        fresh.replace(out)
    except OSError as error:
        _is_free(out)  # another draw may have ended meanwhile
        raise UsageError(f"{out} cannot be written ({error.strerror}): make room for it, or name another") from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    console(display, quiet).say(f"{len(sound)} of {len(drawn)} tasks drawn are sound on {on}")
    return _show({"out": str(out), "tasks": len(sound), "left_out": len(drawn) - len(sound)}, as_json)


def _is_free(out: Path) -> None:
    """UsageError unless it is to be made, or an empty folder."""
    if out.name in ("", ".."):
        raise UsageError(f"--out {out}: name a new folder, which is made")
    if out.is_symlink():
        raise UsageError(f"{out} is a link: name the folder itself, which is made")
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file: name a folder, which is made")
    if out.exists() and any(out.iterdir()):
        raise UsageError(f"{out} is not empty: two draws in one folder are neither; name a new one")


@train.command()
@click.option("--out", type=click.Path(path_type=Path), required=True, help="JSON lines; sft's `data`.")
@click.option("--packages", metavar="NAMES", help="Installed ones, with commas. Default: those known to be permissive")
@output_options
def corpus(out: Path, packages: str | None, as_json: bool, quiet: bool, display: str) -> int:
    """Gather sources of installed packages.

    PyTorch, Triton and CUDA, to go on pre-training with.
    """
    from cuda_l1.train import corpus as gathering

    with work():
        found = gathering.run(packages.split(",") if packages else gathering.PACKAGES, out)
    screen = console(display, quiet)
    for name, each in found["packages"].items():
        taken = f"{each['files']} files, {each['licence']}" if "files" in each else "not installed"
        screen.say(f"{name}: {taken}")
    return _show(found, as_json)


@train.command()
@config_option
@set_option
@output_options
def data(path: Path, overrides: tuple[str, ...], as_json: bool, quiet: bool, display: str) -> int:
    """Make tasks, and judged replies to learn from."""
    from cuda_l1.train.config import load
    from cuda_l1.train.data_config import DataConfig

    config = load(DataConfig, path, overrides)
    screen = console("plain" if display == "auto" else display, quiet)
    try:
        with work():
            from cuda_l1.train import data as making

            manifest = making.run(config, lambda event: screen.say(" ".join(f"{k} {v}" for k, v in event.items())))
    finally:
        screen.stop()
    return _show({"out": str(Path(config.out) / "data.jsonl"), **manifest}, as_json)


@train.command()
@stage_options
def sft(path: Path, overrides: tuple[str, ...], resume: bool, as_json: bool, quiet: bool, display: str) -> int:
    """Stage 1: learn from judged replies."""
    from cuda_l1.train.config import SftConfig, load

    def stage(config: SftConfig, say: Callable[[str], None]) -> dict[str, Any]:
        from cuda_l1.train import sft

        return sft.run(config, resume=resume, say=say)

    return _run(load(SftConfig, path, overrides), stage, as_json, quiet, display)


@train.command()
@stage_options
def selfsup(path: Path, overrides: tuple[str, ...], resume: bool, as_json: bool, quiet: bool, display: str) -> int:
    """Stage 2: sample, judge, learn from what passed, repeat."""
    from cuda_l1.train.config import SelfsupConfig, load

    return _run(load(SelfsupConfig, path, overrides), _reinforce(resume), as_json, quiet, display)


@train.command()
@stage_options
def contrastive(path: Path, overrides: tuple[str, ...], resume: bool, as_json: bool, quiet: bool, display: str) -> int:
    """Stage 3: GRPO, rewarded by measured speed.

    Its questions contrast judged exemplars.
    """
    from cuda_l1.train.config import ContrastiveConfig, load

    return _run(load(ContrastiveConfig, path, overrides), _reinforce(resume), as_json, quiet, display)


@train.command()
@click.option("--model", required=True, metavar="FOLDER", help="Weights: a transformers folder, smollm2 or builtin.")
@click.option("--tasks", "spec", required=True, metavar="SET", help="As for eval.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="JSON lines; begun ones are gone on with.")
@click.option("--samples", type=click.IntRange(1), default=8, help="Answers to each task. Default: 8")
@click.option("--temperature", type=click.FloatRange(0), default=1.0, help="0: greedy. Default: 1")
@click.option("--max-tokens", type=click.IntRange(1), default=1024, help="Of one answer. Default: 1024")
@click.option("--batch", type=click.IntRange(1), default=64, help="Answers generated together. Default: 64")
@click.option("--seed", type=int, default=0, help="Of the answers. Default: 0")
@click.option(
    "--language", type=click.Choice(["any", "torch", "cpp", "cuda", "triton"]), default="any", help="Default: any"
)
@click.option("--device", metavar="cpu|cuda[:N]", help="For which the questions say the code is wanted.")
@click.option("--prompt-dir", type=click.Path(path_type=Path), help="As for optimize.")
@click.option("--kernelbench", metavar="FOLDER", help="A KernelBench checkout; else the hub dataset.")
@output_options
def sample(model: str, spec: str, out: Path, samples: int, temperature: float, max_tokens: int, batch: int, seed: int,
           language: str, device: str | None, prompt_dir: Path | None, kernelbench: str | None, as_json: bool,
           quiet: bool, display: str) -> int:  # fmt: skip
    """Let a policy answer a set of tasks, many at once.

    `eval --model replies:FILE` judges the answers.
    """
    from cuda_l1 import tasks as task_sets

    if not math.isfinite(temperature):
        raise UsageError(f"--temperature {temperature}: expected a number such as 0.8, or 0 for greedy")
    on = device or default_device()
    screen = console("plain" if display == "auto" else display, quiet)
    try:
        with work():
            from cuda_l1.machine import environment

            environment.require(on)
            chosen = task_sets.load_set(spec, kernelbench=kernelbench, device=on)

            from cuda_l1 import attempt
            from cuda_l1.train import sample as sampling

            settings = attempt.Settings(
                exemplars=0, strategy="none", temperature=1.0, width=1.0, language=language, device=on,
                device_name=environment.device_name(on), prompt_dir=prompt_dir,
            )  # fmt: skip
            counts = sampling.run(
                model, chosen, out, samples=samples, temperature=temperature, max_tokens=max_tokens, batch=batch,
                settings=settings, seed=seed, say=screen.say,
            )  # fmt: skip
    finally:
        screen.stop()
    return _show(counts, as_json)


def _reinforce(resume: bool) -> Callable[..., dict[str, Any]]:
    def stage(config: Any, say: Callable[[str], None]) -> dict[str, Any]:
        from cuda_l1.train import reinforce

        return reinforce.run(config, resume=resume, say=say)

    return stage


def _run(config: StageConfig, stage: Callable[..., dict[str, Any]], as_json: bool, quiet: bool, display: str) -> int:
    """One process of a stage; only the main one of several speaks."""
    from cuda_l1.train import setup

    screen = console("plain" if display == "auto" else display, quiet or not setup.is_main())
    try:
        with work():
            setup.require()
            result = stage(config, screen.say)
    except KeyboardInterrupt:
        screen.say(f"interrupted; go on from the newest checkpoint in {config.out} with --resume")
        raise
    finally:
        screen.stop()
    return _show(result, as_json) if setup.is_main() else 0


def _show(result: dict[str, Any], as_json: bool) -> int:
    if as_json:
        print_json({"schema": 1, **result, "exit_code": 0})
    else:
        emit(str(result["out"]))
    return 0
