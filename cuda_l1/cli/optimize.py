"""`cuda-l1 optimize`: search, and what a person sees at its end."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cuda_l1 import streams, wording
from cuda_l1.cli import stops
from cuda_l1.cli.shared import (
    PREPARING,
    TARGET_IS,
    TASK_FLAGS,
    archive_options,
    archive_place,
    check_device,
    console,
    emit,
    judge_config,
    judging_options,
    load_task,
    open_archive,
    output_options,
    print_json,
    search_config,
    taken,
    task_options,
    work,
)
from cuda_l1.errors import CannotJudgeError, ModelError, UsageError

if TYPE_CHECKING:
    from cuda_l1.config import OptimizeConfig
    from cuda_l1.console import Console
    from cuda_l1.llm import Client
    from cuda_l1.search import Result, Run
    from cuda_l1.types import Task

MAY_CHANGE = ("budget", "rounds", "patience")
"""What `--resume` may be given: how long the search goes on, but not what it is."""
_FLAGS = {"sizes": "--set"}
_NAMING = (*TASK_FLAGS, "kernelbench", "precision", "mode", "device")
"""What beside TARGET says which task is meant."""


@click.command(epilog=TARGET_IS)
@click.argument("target", required=False)
@task_options
@judging_options(seed="Of the choice of exemplars.")
@click.option(
    "--model", metavar="NAME", help="A model of an OpenAI-compatible server, local:FOLDER, or builtin. Default: none"
)
@click.option("--base-url", metavar="URL", help="The server, e.g. http://localhost:8000/v1.")
@click.option("--temperature", type=float, help="Of the model's samples. Default: 0.8")
@click.option("--max-tokens", type=int, help="Of one reply. Default: 4096")
@click.option("--samples", type=int, help="Replies asked for in each round. Default: 4")
@click.option("--rounds", type=int, help="Most rounds of questions. Default: 8")
@click.option("--patience", type=int, help="Rounds without a better best before the search ends. Default: 3")
@click.option("--exemplars", type=int, help="Scored implementations shown in a prompt. Default: 2")
@click.option(
    "--strategy",
    type=click.Choice(["contrast", "bucket", "island", "random", "none"]),
    help="How they are chosen. Default: contrast",
)
@click.option("--exemplar-temperature", type=float, help="Low shows the fastest, high shows any. Default: 1.0")
@click.option("--bucket-width", type=float, help="How far their speeds lie apart, in log-score. Default: 0.1")
@click.option(
    "--language",
    type=click.Choice(["any", "torch", "cpp", "cuda", "triton"]),
    help="What the model may write. Default: any",
)
@click.option("--transforms", metavar="NAMES", help="Known techniques to try first, with commas; or none. Default: all")
@click.option("--repairs", type=int, help="How often a failed attempt is answered with its error. Default: 1")
@click.option("--in-flight", type=int, help="Rounds at once; 1: nothing is asked while the judge works. Default: 2")
@click.option("--prompt-dir", metavar="FOLDER", help="Prompt templates of your own.")
@click.option("--context-tokens", type=int, help="What the model can hold; a prompt is cut to fit.")
@click.option("--checker", metavar="NAME", help="A model that is asked about scores that jump. It decides nothing.")
@click.option("--checker-base-url", metavar="URL", help="Its server. Default: the model's")
@click.option("--price", metavar="IN,OUT", help="USD per million tokens, where the model's is not known.")
@click.option("--budget", metavar="LIMITS", help="e.g. 2usd,200ktok,20min,30attempts")
@click.option("--out", metavar="FOLDER", help="Where run folders are made. Default: runs")
@click.option(
    "--resume", metavar="RUN", help="Go on with a run folder; only --budget, --rounds and --patience may be given."
)
@click.option("--dry-run", is_flag=True, help="Show the next prompt and what it may cost; ask and judge nothing.")
@archive_options
@output_options
def optimize(
    target: str | None, resume: str | None, dry_run: bool, as_json: bool, quiet: bool, display: str, **flags: Any
) -> int:
    """Search for verified faster code, with or without a model."""
    from cuda_l1 import search

    screen, named = console(display, quiet), named_again(target, flags)
    try:
        with work():
            config, task, run_id = _continued(resume, target, flags) if resume else _started(target, flags)
            judging = judge_config(config, seeded=False)
            check_device(judging)
            if dry_run and config.model is None:
                raise UsageError("--dry-run shows what a model would be asked: add --model NAME; it will not be called")
            client = None if dry_run else _client(config, task)
            with open_archive(config.archive) as archive:
                config = config.model_copy(update={"archive": archive_place(config.archive), "device": judging.device})
                run = search.Run(task, config, judging, archive, run_id=run_id, on_event=screen.on_event)
                screen.say(f"starting the judge of {task.name} on {judging.device}")
                screen.doing(PREPARING)
                if dry_run:
                    shown = search.preview(run)
                else:
                    result = _carried(run, client, screen)
    finally:
        screen.stop()
    if dry_run:
        return _show_preview(screen, run, shown, as_json)
    code = exit_code(result)
    if result.error is not None:  # also where nothing else is said
        streams.fail(str(result.error))
    if as_json:
        print_json({**result.summary, "folder": str(result.folder), "exit_code": code})
    else:
        _show_result(screen, result, named)
    return code


def named_again(target: str | None, flags: dict[str, Any]) -> str:
    """TARGET with what else says on this command line which task it is, for another command."""
    words = ["TARGET" if target is None else target]
    for name in _NAMING:
        given = flags[name]
        for value in given if isinstance(given, tuple) else (given,) if given is not None else ():
            words += [_FLAGS.get(name, f"--{name}"), value]
    return shlex.join(words)


def _started(target: str | None, flags: dict[str, Any]) -> tuple[OptimizeConfig, Task, None]:
    if target is None:
        raise UsageError("nothing to optimise: name a TARGET, for instance file.py or kernelbench:1/12")
    task_flags = taken(flags, TASK_FLAGS)
    config = search_config(flags)
    return config, load_task(target, task_flags, config), None


def _continued(resume: str, target: str | None, flags: dict[str, Any]) -> tuple[OptimizeConfig, Task, str]:
    """A run as it was started, but for how long it may go on."""
    from pydantic import ValidationError

    from cuda_l1 import search, tasks
    from cuda_l1.config import OptimizeConfig, validated
    from cuda_l1.types import Task

    given = {name: value for name, value in flags.items() if value not in (None, ())}
    changed = {name: given.pop(name) for name in MAY_CHANGE if name in given}
    if target is not None or given:
        names = ["TARGET"] * (target is not None) + [_FLAGS.get(name, f"--{name.replace('_', '-')}") for name in given]
        raise UsageError(f"--resume goes on as the run was started: leave out {', '.join(names)}")
    record = search.saved(Path(resume))
    place = f"{resume}/config.json"
    where = {"out": str(Path(resume).resolve().parent)}
    validated(OptimizeConfig, record["config"], place)
    config = validated(OptimizeConfig, {**record["config"], **changed, **where}, "command line")
    try:
        return config, tasks.unchanged(Task.model_validate(record["task"])), record["run_id"]
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(("task", *map(str, first["loc"])))
        raise UsageError(f"{place}: {name} does not read: {first['msg']}") from None


def _client(config: OptimizeConfig, task: Task) -> Client | None:
    from cuda_l1 import llm

    return None if config.model is None else llm.client_for(config, task.id)


def _carried(run: Run, client: Client | None, screen: Console) -> Result:
    """The run to its end. What nobody foresaw, such as a device that fails under the judge, loses nothing of it."""
    from cuda_l1 import search

    try:
        return search.optimize(run, client)
    except Exception:
        if run.is_open:
            _say_resume(screen, run.folder)
        raise


def _say_resume(screen: Console, folder: Path, more: str = "") -> None:
    screen.say(f"ended early; go on with: cuda-l1 optimize --resume {shlex.quote(str(folder))}{more}", "yellow")


def _show_preview(console: Console, run: Run, shown: dict[str, Any], as_json: bool) -> int:
    if as_json:
        print_json({"schema": 1, "task_id": run.task.id, **shown, "exit_code": 0})
        return 0
    emit("\n\n".join(f"--- {message['role']} ---\n{message['content']}" for message in shown["messages"]))
    for words in shown["left_out"]:
        console.say(f"left out of the prompt for lack of room: {words}")
    known = wording.counted(len(shown["exemplar_ids"]), "exemplar")
    console.say(f"{known} from the archive; a run judges baselines and transforms first and may show others")
    replies, rounds, repairs = (wording.counted(shown[f"{each}s"], each) for each in ("sample", "round", "repair"))
    for name, cost in (
        (f"one round of {replies}", shown["round"]),
        (f"all of {rounds} with up to {repairs} a reply", shown["all"]),
    ):
        price = "price unknown" if cost["usd"] is None else f"{cost['usd']:.4f} USD"
        tokens = f"{cost['prompt_tokens']} + {cost['completion_tokens']} tokens"
        console.say(f"{name}: at most about {tokens}, {price}")
    if run.config.budget:
        console.say(f"and no more than the budget, {run.config.budget}, and what is in flight when it is reached")
    return 0


def exit_code(result: Result) -> int:
    """What the outcome of a run means on the command line."""
    if result.interrupted:
        return stops.exit_code()
    is_ours = result.error is not None and not isinstance(result.error, ModelError)
    if result.best is not None and not is_ours:  # our own failure comes before the second word
        return 0
    if result.error is not None:
        return result.error.exit_code
    if _is_infra_failed(result):
        return CannotJudgeError.exit_code
    return ModelError.exit_code if result.is_spent else 1


def _is_infra_failed(result: Result) -> bool:
    """Whether a failure of ours, but no error, is why there is no word."""
    return result.summary["outcome"] == "not judged" and bool(result.summary["counts"]["candidates"])


def _show_result(console: Console, result: Result, named: str) -> None:
    from cuda_l1 import report

    summary = result.summary
    rows = []
    for row in summary["candidates"][:5]:
        text = report.cells(row)
        rows.append((report.by(row), text.time, text.speedup, text.eager, row["verdict"] or text.status))
    ran = [row for row in summary["baselines"] if row["median_us"] is not None]
    for row in ran:
        against = report.ratio(row["speedup_eager"]) if row["speedup_eager"] else ""
        rows.append((f"baseline {row['name']}", wording.duration_us(row["median_us"]), "", against, ""))
    console.table("", ("", "median", "vs best baseline", "vs eager", "verdict"), rows)
    console.say(report.headline(summary), "bold green" if result.best else "bold")
    counts, took = summary["counts"], wording.duration_s(summary["duration_s"])
    every = wording.counted(counts["candidates"], "candidate")
    console.say(f"{every}, {counts['wins']} faster; ended: {result.ended}; {took}")
    for row in summary["opinions"]:
        if result.best is not None and row["candidate_id"] == result.best.candidate.id:
            console.say(f"checker {row['checker']} on the best: {report.opinion_text(row)} (it changes no verdict)")
    is_over = result.error is None and not result.interrupted  # else who knows what applies
    if is_over and not counts["candidates"] and summary["config"]["model"] is None:
        tried = "nothing was tried" if summary["config"]["transforms"] == "none" else "no known technique applies here"
        console.say(f"{tried}; a model may find more: --model NAME, see docs/models.md")
    if result.best is not None:
        emit(str(result.folder / "best.py"))
        best = shlex.quote(str(result.folder / "best.py"))
        console.say(f"run folder {result.folder}   next: cuda-l1 verify {named} {best}")
    else:
        console.say(f"run folder {result.folder}")
    if result.interrupted or result.error is not None or _is_infra_failed(result):
        _say_resume(console, result.folder)
    elif result.is_spent:
        _say_resume(console, result.folder, " --budget MORE")
