"""`cuda-l1 eval`: a search over a set of tasks, and one table; `report` shows it again and sets two side by side."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cuda_l1 import wording
from cuda_l1.cli import stops
from cuda_l1.cli.claims import duration_in_s, workers_for
from cuda_l1.cli.optimize import optimize
from cuda_l1.cli.shared import check_device, console, device, emit, judge_config, print_json, show_report, work
from cuda_l1.errors import UsageError

if TYPE_CHECKING:
    from cuda_l1.config import OptimizeConfig
    from cuda_l1.console import Console
    from cuda_l1.scores import Entry, Plan, Row

_OWN = {"target", "resume", "inputs", "init", "budget", "out", "dry_run"}
"""Arguments of `optimize` that mean nothing to a sweep, or something else."""


@click.command("eval")
@click.option("--tasks", metavar="SET", help="kernelbench:1, kernelbench:2/1-20, a folder, a list.txt, or a target.")
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Tasks in flight. Default: 1 on a CPU, or one for each --cores, else up to 6",
)
@click.option("--gpus", type=click.IntRange(1), default=1, help="Spread the tasks over so many GPUs. Default: 1")
@click.option("--budget", metavar="LIMITS", help="Of the whole sweep, e.g. 20usd,5mtok,8h,3000attempts")
@click.option("--task-budget", metavar="LIMITS", help="Of each task.")
@click.option("--patience-server", metavar="10m", help="How long to wait for a server that is away. Default: 10m")
@click.option("--out", metavar="FOLDER", help="Where the sweep's folder is made. Default: runs")
@click.option("--resume", metavar="SWEEP", help="Go on with a sweep's folder; only --budget, --gpus, --workers and "
              "--patience-server may be given.")  # fmt: skip
def evaluate(tasks: str | None, workers: int | None, gpus: int, budget: str | None, task_budget: str | None,
             patience_server: str | None, out: str | None, resume: str | None, as_json: bool, quiet: bool,
             display: str, **flags: Any) -> int:  # fmt: skip
    """Search over a set of tasks, with or without a model.

    Success, fast_p, speedups and cost stand in one table. Takes the settings of optimize, for each task. Without
    --archive the sweep has an archive of its own, so that no prompt shows what another sweep has found.
    """
    from cuda_l1 import scores, sweep

    screen = console(display, quiet)
    patience_s = duration_in_s(patience_server or "10m", "--patience-server")
    with work():
        if resume:
            plan = _continued(Path(resume), budget, {"tasks": tasks, "task_budget": task_budget, "out": out, **flags})
        else:
            plan = _planned(tasks, {**flags, "budget": task_budget, "out": out}, budget or "")
        judging = judge_config(plan.config, seeded=False)
        check_device(judging, gpus)
        progress = _Progress(screen, plan)
        sitting = sweep.Sweep(plan, judging, gpus=gpus, patience_s=patience_s,
                              workers=workers or gpus * workers_for(judging),
                              on_begun=progress.begun, on_row=progress.ended)  # fmt: skip
        interrupted = False
        try:
            with sitting.open() as pending:
                progress.start(pending, sitting.folder)
                sitting.run(pending)
        except KeyboardInterrupt:
            interrupted = True
        total = scores.read(sitting.folder)
        _written(total, sitting.folder)
    code = stops.exit_code() if interrupted else int(total["exit_code"])
    _show(total, sitting.folder, code, screen, as_json=as_json)
    return code


evaluate.params += [option for option in optimize.params if option.name not in _OWN]


def _planned(tasks: str | None, flags: dict[str, Any], budget: str) -> Plan:
    from cuda_l1 import sweep
    from cuda_l1 import tasks as task_sets
    from cuda_l1.cli.shared import archive_place, search_config, sizes_of

    if tasks is None:
        raise UsageError("nothing to evaluate on: give --tasks, for instance --tasks kernelbench:1 or --tasks examples")
    _budget_reads(budget)
    sizes = sizes_of(flags.pop("sizes"))
    config = search_config(flags)
    _answers(config)
    place = None if config.archive is None else archive_place(config.archive)
    config = config.model_copy(update={"device": device(config), "archive": place})
    judging = judge_config(config, seeded=False)
    check_device(judging)
    found = task_sets.load_set(tasks, kernelbench=config.kernelbench, device=judging.device, sizes=sizes,
                               precision=config.precision, mode=config.mode)  # fmt: skip
    return sweep.planned(found, tasks, config, judging, budget)


def _answers(config: OptimizeConfig) -> None:
    """ModelError at once where the model is not there, before anything is judged."""
    from cuda_l1.types import in_this_process

    if config.model is None:
        return
    if in_this_process(config.model):
        from cuda_l1 import models

        models.find(config.model.removeprefix("local:"))
    else:
        from cuda_l1 import llm

        llm.client_for(config, "", patience_s=0.0)


def _continued(folder: Path, budget: str | None, given: dict[str, Any]) -> Plan:
    from cuda_l1 import scores
    from cuda_l1 import tasks as task_sets

    names = [f"--{name.replace('_', '-')}" for name, value in given.items() if value not in (None, ())]
    if names:
        raise UsageError(f"--resume goes on as the sweep was started: leave out {', '.join(names)}")
    folder = Path(os.path.realpath(folder))  # which also takes a link that leads to itself
    plan = scores.read_plan(folder)
    for entry in plan.entries:
        task_sets.unchanged(entry.task)
    budget = plan.budget if budget is None else budget
    _budget_reads(budget)
    places = {"out": str(folder / "tasks")}
    if Path(str(plan.config.archive)) == Path(plan.config.out).parent / scores.ARCHIVE:  # its own: it moves with it
        places["archive"] = str(folder / scores.ARCHIVE)
    config = plan.config.model_copy(update=places)
    return plan.model_copy(update={"config": config, "budget": budget})


def _budget_reads(text: str) -> None:
    from cuda_l1.config import Budget

    try:
        Budget.parse(text)
    except ValueError as error:
        raise UsageError(f"--budget: {error}") from None


def _written(total: dict[str, Any], folder: Path) -> None:
    from cuda_l1 import journal, scoreboard

    journal.replace(folder / "summary.json", json.dumps(total, indent=1))
    journal.replace(folder / "table.md", scoreboard.markdown(total))


def _show(total: dict[str, Any], folder: Path, code: int, screen: Console, *, as_json: bool) -> None:
    from cuda_l1 import scoreboard, scores

    if as_json:
        print_json({**total, "folder": str(folder), "exit_code": code})
    else:
        emit(scoreboard.markdown(total).rstrip("\n"))
        screen.say(scoreboard.headline(total), "bold")
        screen.say(f"sweep folder {folder}   again: cuda-l1 report {folder}")
    if not all(scores.Row.model_validate(row).final for row in total["rows"]):
        screen.say(f"not all tasks are done; go on with: cuda-l1 eval --resume {folder}", "yellow")


class _Progress:
    """Lines on stderr: one for a task that is begun, one for each that has ended."""

    def __init__(self, screen: Console, plan: Plan) -> None:
        self._screen, self._plan, self._began = screen, plan, time.monotonic()
        self._rows: dict[str, Row] = {}
        """The latest of each task: what failed is tried again."""
        self._of = 0

    def start(self, pending: list[Entry], folder: Path) -> None:
        self._of = len(pending)
        known, config = len(self._plan.entries) - len(pending), self._plan.config
        self._screen.say(
            f"sweep {self._plan.sweep_id}   {wording.counted(len(self._plan.entries), 'task')}, {known} done before, "
            f"{len(pending)} to do "
            f"on {config.device}, {config.model or 'no model'}; folder {folder}"
        )
        if pending and config.model and not config.model.startswith("replies:"):
            self._screen.say(_most(config, len(pending), self._plan.budget))

    def begun(self, entry: Entry) -> None:
        self._screen.say(f"  begun  {entry.task.name} ({entry.task.id})", "dim")

    def ended(self, row: Row) -> None:
        from cuda_l1 import report

        self._rows[row.run_id] = row
        rows, done, said = self._rows.values(), len(self._rows), _said(row)
        detail = f"{report.cells(row.best).speedup}, {report.cells(row.best).who}" if row.best else row.why
        detail = "" if detail == row.state else detail
        tally = ", ".join(f"{count} {name}" for name, count in sorted(Counter(map(_said, rows)).items()))
        tokens = sum(each.prompt_tokens + each.completion_tokens for each in rows)
        costs = [each.cost_usd for each in rows]
        usd = _usd(None if None in costs else sum(cost for cost in costs if cost is not None))
        about = "about " if any(each.estimated for each in rows) else ""
        spent = f"; {about}{tokens} tokens, {usd}" if self._plan.config.model else ""
        time_left = wording.duration_s((time.monotonic() - self._began) / done * (self._of - done))
        self._screen.say(
            f"  {done}/{self._of}  {row.name[:28]:<28} {said:<12} {' '.join(detail.split())[:90]}   "
            f"({tally}{spent}; {time_left} left)",
            "bold green" if row.outcome == "win" else "",
        )


def _most(config: OptimizeConfig, tasks: int, budget: str) -> str:
    """What the replies to come can cost in all. Of the prompts nobody knows yet what they will show."""
    from cuda_l1 import llm

    replies = tasks * config.rounds * config.samples * (1 + config.repairs)
    most = llm.estimate([], replies, str(config.model), config.base_url, config.max_tokens, config.price_each)
    limit, said = f"; no more than the budget, {budget}" if budget else "", wording.counted(replies, "reply")
    return f"at most {said} of {config.max_tokens} tokens, {_usd(most.usd)}, and their prompts{limit}"


def _usd(cost: float | None) -> str:
    return "price unknown" if cost is None else f"{cost:.2f} USD"


def _said(row: Row) -> str:
    """What became of a task, in a word or two."""
    outcome = "" if row.outcome == "none" else f"{row.outcome}, "
    return row.outcome if row.state == "done" else f"{outcome}{row.state}"


def is_sweep(name: str) -> bool:
    """Whether this is the folder of a sweep."""
    from cuda_l1 import scores

    return os.path.isfile(Path(name) / scores.ROWS)


def show_sweeps(names: Sequence[str], screen: Console, *, output: str | None, as_json: bool) -> int:
    """One sweep as its table, two side by side."""
    from cuda_l1 import comparison, scoreboard, scores

    if len(names) > 2 or not all(is_sweep(name) for name in names):
        raise UsageError(f"{', '.join(names)}: give one sweep's folder, or two to compare")
    totals = [scores.read(Path(name)) for name in names]
    if len(totals) == 1:
        show_report(totals[0], scoreboard.markdown(totals[0]), screen, output=output, as_json=as_json)
        return 0
    total = comparison.compare(*totals)
    show_report(total, comparison.markdown(total), screen, output=output, as_json=as_json)
    return 0


def show_pair(a: dict[str, Any], b: dict[str, Any], screen: Console, *, output: str | None, as_json: bool) -> int:
    """Two runs of one task side by side."""
    from cuda_l1 import comparison

    total = comparison.compare(comparison.of_run(a), comparison.of_run(b))
    show_report(total, comparison.markdown(total), screen, output=output, as_json=as_json)
    return 0
