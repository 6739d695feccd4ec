"""`cuda-l1 verify` and `cuda-l1 bench`: the judge without a search."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from cuda_l1 import foreign, streams
from cuda_l1.cli import stops
from cuda_l1.cli.claims import NAMES, claims_options, refuse, verify_claims
from cuda_l1.cli.shared import (
    TARGET_IS,
    TASK_FLAGS,
    archive_options,
    check_device,
    check_toolchain,
    console,
    emit,
    factor,
    find_candidate,
    judge_config,
    judging_options,
    load_task,
    output_options,
    plain_table,
    print_json,
    session_of,
    taken,
    task_options,
    work,
)
from cuda_l1.errors import CudaL1Error, UsageError

if TYPE_CHECKING:
    from cuda_l1.config import VerifyConfig
    from cuda_l1.console import Console
    from cuda_l1.judge import JudgeConfig
    from cuda_l1.types import Candidate, Evaluation, Task


@click.command(epilog=TARGET_IS)
@click.argument("target", required=False)
@click.argument("candidate", required=False)
@task_options
@judging_options()
@click.option(
    "--claim", metavar="6.3x", help="Claimed speedup against eager: met if no part of the interval lies below it."
)
@click.option("--min-speedup", metavar="1.1x", help="Least speedup against the best baseline; met in the same way.")
@click.option(
    "--held-out",
    metavar="N=1000,M=3",
    multiple=True,
    help="Judge it at these sizes too; wrong there is a no. Repeatable.",
)
@claims_options
@archive_options
@output_options
def verify(
    target: str | None, candidate: str | None, held_out: tuple[str, ...], as_json: bool, quiet: bool, display: str,
    **flags: Any,
) -> int:  # fmt: skip
    """Is CANDIDATE correct, honest, and how fast?

    CANDIDATE is a file, FILE.py:NAME of a class or a function, a run folder or an id in the archive.

    With --claims instead of TARGET and CANDIDATE: how do the claims of a whole release stand?
    """
    from cuda_l1 import verdict
    from cuda_l1.config import VerifyConfig, load

    screen = console(display, quiet)
    task_flags = taken(flags, TASK_FLAGS)
    asked = taken(flags, NAMES)
    if asked["claims"] is not None:
        singles = {"TARGET": target, "--set": task_flags.pop("sizes"), "--held-out": held_out}
        singles |= {f"--{name.replace('_', '-')}": flags[name] for name in ("claim", "min_speedup")}
        singles |= {f"--{name}": value for name, value in task_flags.items()}
        refuse(singles, "not with --claims, which brings tasks, candidates and claims of its own")
        return verify_claims(asked, load(VerifyConfig, flags), screen, as_json=as_json)
    refuse({f"--{name.replace('_', '-')}": value for name, value in asked.items()}, "only with --claims")
    if target is None or candidate is None:
        raise UsageError("verify judges TARGET and CANDIDATE, or a release with --claims cuda-l1:FILE")
    flags |= {name: factor(name, flags[name]) for name in ("claim", "min_speedup")}
    config = load(VerifyConfig, flags)
    with work():
        task = load_task(target, task_flags, config)
        others = {sizes: _resized(target, task_flags, sizes, config) for sizes in held_out}
        if len({task.id, *(other.id for other in others.values())}) <= len(held_out):
            raise UsageError("two of the sizes are the same: --held-out names others than the task's own, each once")
        found = find_candidate(candidate, task, config)
        judging = judge_config(config, seeded=True)
        check_device(judging)
        check_toolchain(found)
        screen.say(f"judging {found.author or found.id} on {judging.device}, effort {judging.effort}, against "
                   f"{', '.join(judging.baselines) or 'eager'}")  # fmt: skip
        evaluation = _judged(task, found, judging, screen)
    if not as_json:
        for line in verdict.lines(task, evaluation, config.claim, config.min_speedup):
            emit(line)
        _show_baselines(screen, evaluation)
    elsewhere, stopped = _judged_elsewhere(others, found, judging, screen, as_json=as_json)
    code = stopped or verdict.exit_code(evaluation, config.claim, config.min_speedup, elsewhere.values())
    if as_json:
        said = verdict.contract(task, evaluation, config.claim, config.min_speedup)
        there = [verdict.contract_at(sizes, others[sizes], its) for sizes, its in elsewhere.items()]
        print_json(said | {"held_out": there, "exit_code": code})
    return code


def _resized(target: str, task_flags: dict[str, Any], sizes: str, config: VerifyConfig) -> Task:
    """The task at other sizes: NAME=VALUE with commas between them."""
    pairs = re.split(r",(?=\s*\w+=)", sizes)
    return load_task(target, task_flags | {"sizes": [*task_flags["sizes"], *map(str.strip, pairs)]}, config)


def _judged(task: Task, candidate: Candidate, judging: JudgeConfig, screen: Console) -> Evaluation:
    """The candidate beside the baselines, which are judged first."""
    with session_of(task, judging, screen) as session:
        session.baselines(on_baseline=lambda name, word: _say(screen, "baseline", name, word))
        return session.evaluate(candidate)


def _judged_elsewhere(
    others: dict[str, Task], candidate: Candidate, judging: JudgeConfig, screen: Console, *, as_json: bool
) -> tuple[dict[str, Evaluation | CudaL1Error], int]:
    """The same at sizes that are held out, or why there is no verdict; and the exit code if interrupted, or 0."""
    from cuda_l1 import verdict

    elsewhere: dict[str, Evaluation | CudaL1Error] = {}
    try:
        for sizes, task in others.items():
            screen.say(f"at {sizes}")
            with work():
                try:
                    found = candidate.model_copy(update={"task_id": task.id})
                    elsewhere[sizes] = _judged(task, found, judging, screen)
                except CudaL1Error as error:  # what was judged before is not lost
                    elsewhere[sizes] = error
            if not as_json:
                emit(verdict.line_at(sizes, elsewhere[sizes]))
    except KeyboardInterrupt:  # nor by this
        streams.fail("interrupted")
        return {sizes: CudaL1Error("interrupted") for sizes in others} | elsewhere, stops.exit_code()
    return elsewhere, 0


def _say(screen: Console, kind: str, name: str, evaluation: Evaluation) -> None:
    """One line on what was judged."""
    from cuda_l1 import report

    speedup = evaluation.speedup_eager
    screen.say(f"  {kind} {name}: {report.ratio(speedup) + ' vs eager' if speedup else evaluation.status}")


def _show_baselines(console: Console, evaluation: Evaluation) -> None:
    from cuda_l1 import wording

    rows = [(name, wording.duration_us(us)) for name, us in sorted(evaluation.baselines_us.items(), key=lambda x: x[1])]
    rows += [(name, f"left out: {why}"[:100]) for name, why in evaluation.baselines_missing.items()]
    if rows:
        console.table("", ("baseline", "median"), rows)


@click.command(epilog=TARGET_IS)
@click.argument("target")
@click.argument("candidates", nargs=-1)
@task_options
@judging_options(baselines="all")
@archive_options
@output_options
def bench(target: str, candidates: tuple[str, ...], as_json: bool, quiet: bool, display: str, **flags: Any) -> int:
    """Every baseline side by side, and CANDIDATES; no model."""
    from cuda_l1 import baselines, report, wording
    from cuda_l1.config import BenchConfig, load
    from cuda_l1.types import Status

    screen = console(display, quiet)
    task_flags = taken(flags, TASK_FLAGS)
    config = load(BenchConfig, flags)
    with work():
        task = load_task(target, task_flags, config)
        found = [find_candidate(name, task, config) for name in candidates]
        judging = judge_config(config, seeded=True)
        check_device(judging)
        check_toolchain(*found)
    rows: list[dict[str, Any]] = []

    def keep(kind: str, name: str, evaluation: Evaluation) -> None:
        rows.append(_row(kind, name, evaluation))
        _say(screen, kind, name, evaluation)

    with work(), session_of(task, judging, screen) as session:
        session.baselines(on_baseline=lambda name, evaluation: keep("baseline", name, evaluation))
        if "eager" in judging.baselines:
            (again,), _ = baselines.build(task, ["eager"], judging.device)
            own = session.evaluate(again)  # for its time: beside itself it is as fast by definition
            keep("baseline", "eager", own.model_copy(update=dict.fromkeys(("verdict", "speedup", "speedup_eager"))))
        for item in found:
            keep("candidate", item.author or item.id, session.evaluate(item))
        missing, best = dict(session.missing), session.best_baseline
        environment = session.environment()
    rows.sort(key=lambda row: row["median_us"] or float("inf"))
    if as_json:
        print_json({"schema": 1, "task_id": task.id, "best_baseline": best, "rows": rows, "missing": missing,
                     "environment": environment.model_dump(mode="json"), "exit_code": 0})  # fmt: skip
        return 0
    texts = [
        (
            row["name"],
            row["kind"],
            wording.duration_us(row["median_us"]),
            report.ratio(row["speedup_eager"]),
            row["verdict"] or ("yardstick" if row["status"] == Status.PASSED else row["status"]),
            foreign.one_line(_why(row), 90),
        )
        for row in rows
        if row["status"] == Status.PASSED or row["kind"] != "baseline"
    ]
    texts += [(name, "baseline", "", "", "left out", why[:90]) for name, why in missing.items()]
    header = ("name", "kind", "median", "vs eager", "result", "why")
    emit(plain_table([header, *texts]))
    threads = wording.counted(environment.threads, "thread")
    screen.say(f"best baseline: {best}   {environment.device}, torch {environment.torch}, {threads}")
    return 0


def _why(row: dict[str, Any]) -> str:
    """Why it did not pass, or by what note nobody can tell how fast it is."""
    from cuda_l1 import report
    from cuda_l1.types import Verdict

    reasons = row["notes"] if row["verdict"] == Verdict.AMBIGUOUS else []
    said = row["findings"] or [each for each in reasons if each["check"] in (*report.DENIALS, "degenerate_task")]
    return report.finding_text(**said[0]) if said else ""


def _row(kind: str, name: str, evaluation: Evaluation) -> dict[str, Any]:
    """One row of `bench --json`."""
    import statistics

    body = evaluation.model_dump(mode="json")
    kept = ("status", "verdict", "findings", "notes", "speedup", "speedup_eager")
    median = statistics.median(evaluation.times_us) if evaluation.times_us else None
    return {"name": name, "kind": kind, "median_us": median, **{key: body[key] for key in kept}}
