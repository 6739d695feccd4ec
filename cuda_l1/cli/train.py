"""`cuda-l1 train`: data and the three stages, each from one TOML file that is checked before anything is loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cuda_l1.cli.shared import console, emit, options, output_options, print_json, work

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
stage_options = options(
    config_option,
    click.option("--resume", is_flag=True, help="Go on from the newest checkpoint in the config's out folder."),
    output_options,
)


@click.group()
def train() -> None:
    """Train a policy: tasks and data, then the stages sft, selfsup and contrastive."""


@train.command()
@config_option
@output_options
def data(path: Path, as_json: bool, quiet: bool, display: str) -> int:
    """Make tasks, and judged replies to learn from."""
    from cuda_l1.train.config import load
    from cuda_l1.train.data_config import DataConfig

    config = load(DataConfig, path)
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
def sft(path: Path, resume: bool, as_json: bool, quiet: bool, display: str) -> int:
    """Stage 1: learn from judged replies."""
    from cuda_l1.train.config import SftConfig, load

    def stage(config: SftConfig, say: Callable[[str], None]) -> dict[str, Any]:
        from cuda_l1.train import sft

        return sft.run(config, resume=resume, say=say)

    return _run(load(SftConfig, path), stage, as_json, quiet, display)


@train.command()
@stage_options
def selfsup(path: Path, resume: bool, as_json: bool, quiet: bool, display: str) -> int:
    """Stage 2: sample, judge, learn from what passed, repeat."""
    from cuda_l1.train.config import SelfsupConfig, load

    return _run(load(SelfsupConfig, path), _reinforce(resume), as_json, quiet, display)


@train.command()
@stage_options
def contrastive(path: Path, resume: bool, as_json: bool, quiet: bool, display: str) -> int:
    """Stage 3: GRPO on questions that contrast judged exemplars, rewarded by measured speed."""
    from cuda_l1.train.config import ContrastiveConfig, load

    return _run(load(ContrastiveConfig, path), _reinforce(resume), as_json, quiet, display)


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
