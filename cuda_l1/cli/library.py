"""`doctor`, `report`, `archive` and `model`: what there is, without judging anything."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import click

from cuda_l1 import foreign
from cuda_l1.cli.claims import show
from cuda_l1.cli.shared import (
    Ordered,
    archive_options,
    archive_place,
    console,
    emit,
    open_archive,
    output_options,
    plain_table,
    print_json,
    report_file,
    run_place,
    show_report,
)
from cuda_l1.cli.sweep import is_sweep, show_pair, show_sweeps
from cuda_l1.errors import UsageError


@click.command()
@click.option("--device", metavar="cpu|cuda[:N]", help="Fail if this one does not work.")
@click.option("--model", metavar="NAME", help="Fail if this model does not answer.")
@click.option("--base-url", metavar="URL", help="OpenAI-compatible server.")
@archive_options
@output_options
def doctor(device: str | None, model: str | None, base_url: str | None, archive: str | None, as_json: bool,
           quiet: bool, display: str) -> int:  # fmt: skip
    """What works here, what does not, and the fix for each."""
    from cuda_l1 import doctor as examination
    from cuda_l1.config import CommandConfig, load

    load(CommandConfig, {"device": device})
    lines = examination.examine(device, model, base_url, archive_place(archive))
    failed = [line for line in lines if line.state == "fail"]
    code = 0 if not failed else 4 if all(line.name == "model" for line in failed) else 3
    if as_json:
        print_json({"schema": 1, "lines": [line._asdict() for line in lines], "exit_code": code})
        return code
    for line in lines:
        fix = f"   -> {line.fix}" if line.fix and line.state != "ok" else ""
        emit(f"{line.state:<5} {line.name:<16} {foreign.one_line(line.detail)}{fix}")
    return code


@click.command("report")
@click.argument("runs", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE", help=".md or .json; default: Markdown on stdout.")
@archive_options
@output_options
def report_command(runs: tuple[str, ...], output: str | None, archive: str | None, as_json: bool, quiet: bool,
                   display: str) -> int:  # fmt: skip
    """Numbers of one run, or of several together. A run is its folder or its id.

    Also of the folder of verify --claims or of eval.

    Two sweeps, or two runs of one task, are compared: paired, task by task.
    """
    from cuda_l1 import claims, release, report

    report_file(output)
    if len(runs) == 1 and os.path.isfile(Path(runs[0]) / claims.LISTING):
        show(release.summary(*claims.read(Path(runs[0]))), console(display, quiet), output=output, as_json=as_json)
        return 0
    if released := [name for name in runs if os.path.isfile(Path(name) / claims.LISTING)]:
        raise UsageError(
            f"{released[0]} is the folder of verify --claims, which is reported alone: leave the others out"
        )
    if any(is_sweep(name) for name in runs):
        return show_sweeps(runs, console(display, quiet), output=output, as_json=as_json)
    summaries = []
    for name in runs:
        run_id, place = run_place(name, archive)
        with open_archive(place, make=False) as opened:
            folder = Path(name) if os.path.isdir(name) else None
            summaries.append(report.summary(opened, run_id, folder=folder))
    if len(summaries) == 2 and summaries[0]["task"]["id"] == summaries[1]["task"]["id"]:
        return show_pair(summaries[0], summaries[1], console(display, quiet), output=output, as_json=as_json)
    one = len(summaries) == 1
    data = summaries[0] if one else report.aggregate(summaries)
    page = report.markdown(data) if one else report.aggregate_markdown(data)
    show_report(data, page, console(display, quiet), output=output, as_json=as_json)
    return 0


@click.group("archive", cls=Ordered)
def archive_group() -> None:
    """What was ever tried."""


@archive_group.command("ls")
@archive_options
@output_options
def archive_ls(archive: str | None, as_json: bool, quiet: bool, display: str) -> int:
    """Runs, oldest first."""
    from datetime import UTC, datetime

    with open_archive(archive, make=False) as opened:
        runs = opened.runs()
    if as_json:
        listed = [{**run._asdict(), "config_json": json.loads(run.config_json)} for run in runs]
        print_json({"schema": 1, "runs": listed, "exit_code": 0})
        return 0
    rows = [(run.id, run.task_id, f"{datetime.fromtimestamp(run.started, UTC):%Y-%m-%d %H:%M}") for run in runs]
    emit(plain_table([("run", "task", "started (UTC)"), *rows]))
    return 0


@archive_group.command("show")
@click.argument("candidate_id")
@archive_options
@output_options
def archive_show(candidate_id: str, archive: str | None, as_json: bool, quiet: bool, display: str) -> int:
    """One candidate: its code on stdout."""
    with open_archive(archive, make=False) as opened:
        candidate = opened.candidate(candidate_id)
    if candidate is None:
        raise UsageError(f"no candidate {candidate_id} in the archive: cuda-l1 archive best TASK_ID lists some")
    if as_json:
        print_json({"schema": 1, "id": candidate.id, **candidate.model_dump(mode="json"), "exit_code": 0})
    else:  # on a terminal, where a code may take lines away, all of it is seen; a file has it as it is
        emit(foreign.printable(candidate.code) if sys.stdout.isatty() else candidate.code)
    return 0


@archive_group.command("best")
@click.argument("task_id")
@click.option("-n", "--most", type=click.IntRange(1), default=10, help="How many. Default: 10")
@archive_options
@output_options
def archive_best(task_id: str, most: int, archive: str | None, as_json: bool, quiet: bool, display: str) -> int:
    """Judged candidates of a task, best first.

    Rows of different devices, and of judges of other versions, stand side by side: mind the last column.
    """
    from cuda_l1 import report

    with open_archive(archive, make=False) as opened:
        ranked = opened.ranked(task_id)[:most]
    if not ranked:
        raise UsageError(f"nothing judged of task {task_id} in the archive: cuda-l1 archive ls lists the tasks")
    entries = [report.entry(each.candidate, each.evaluation) for each in ranked]
    if as_json:
        print_json({"schema": 1, "candidates": entries, "exit_code": 0})
        return 0
    rows = [(row["candidate_id"], text.who, text.verdict if row["verdict"] else text.status, text.speedup, text.eager,
             f"{each.evaluation.environment.device}, judge {each.evaluation.environment.judge_version}")
            for row, each in zip(entries, ranked, strict=True) for text in [report.cells(row)]]  # fmt: skip
    emit(plain_table([("candidate", "by", "verdict", "speedup", "vs eager", "measured on"), *rows]))
    return 0


@click.group(cls=Ordered)
def model() -> None:
    """Models that run on this machine."""


@model.command("fetch")
@click.argument("name")
@output_options
def model_fetch(name: str, as_json: bool, quiet: bool, display: str) -> int:
    """Bring a small model here once: smollm2.

    Then use --model local:NAME.
    """
    from cuda_l1 import models

    screen = console(display, quiet)
    screen.say(f"fetching {name}; the first time takes a minute")
    folder = models.fetch(name)
    if as_json:
        print_json({"schema": 1, "name": name, "folder": str(folder), "exit_code": 0})
    else:
        emit(str(folder))
    return 0
