"""`cuda-l1 mutants`: what of a task could be left out, and the judge would not tell."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import click

from cuda_l1 import foreign
from cuda_l1.cli.shared import (
    TARGET_IS,
    TASK_FLAGS,
    check_device,
    console,
    emit,
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
from cuda_l1.errors import CannotJudgeError

if TYPE_CHECKING:
    from cuda_l1.mutants import Mutant
    from cuda_l1.types import Evaluation

_WIDTH = 60


@click.command(epilog=TARGET_IS)
@click.argument("target")
@task_options
@judging_options(effort="glance", baselines="none")
@click.option("--most", type=click.IntRange(1), help="How many to judge; of more, some by chance. Default: 100")
@output_options
def mutants(target: str, as_json: bool, quiet: bool, display: str, **flags: Any) -> int:
    """What of TARGET could be left out, and the judge would not tell?

    Its text is changed in one place after another so that it does less: a limit, a mask, a guard or a term is gone, a
    loop ends early, a sum leaves out an eighth, an input stays as it first was. Each change that the judge does not
    tell from TARGET is shown.
    """
    from cuda_l1 import mutants as changes
    from cuda_l1.config import MutantsConfig, load
    from cuda_l1.types import Candidate

    screen = console(display, quiet)
    task_flags = taken(flags, TASK_FLAGS)
    config = load(MutantsConfig, flags)
    with work():
        task = load_task(target, task_flags, config)
        judging = judge_config(config, seeded=True)
        check_device(judging)
        every = changes.mutants(task.source)
        chosen = sorted(random.Random(0).sample(range(len(every)), min(config.most, len(every))))
    rows: list[dict[str, Any]] = []
    with work(), session_of(task, judging, screen) as session:
        for mutant in map(every.__getitem__, chosen):
            found = session.evaluate(Candidate(task_id=task.id, code=mutant.code, origin="transform", author="mutant"))
            rows.append(row_of(mutant, found))
            screen.say(f"  line {mutant.line}: {_said(rows[-1])}")
        degenerate = session.degenerate
    unseen = [row for row in rows if row["told"] is False]
    code = exit_code(rows)
    if as_json:
        print_json({"schema": 1, "task_id": task.id, "made": len(every), "mutants": rows, "degenerate": degenerate,
                     "exit_code": code})  # fmt: skip
        return code
    if unseen:
        header = ("line", "what stands there", "what the judge does not tell from it")
        cells = [(str(row["line"]), *(foreign.one_line(row[key], _WIDTH) for key in ("was", "now"))) for row in unseen]
        emit(plain_table([header, *cells]))
    emit(_counted(rows, len(every)))
    if degenerate:
        emit("the task is degenerate: its output says too little, or is random, so there is little to tell it by")
    return code


def row_of(mutant: Mutant, found: Evaluation) -> dict[str, Any]:
    """One change and what the judge says of it; `told` is None where it could not judge it."""
    from cuda_l1 import report
    from cuda_l1.types import Status

    why = report.finding_text(found.findings[0].check, found.findings[0].detail) if found.findings else ""
    told = None if found.status is Status.INFRA_FAILED else found.status is not Status.PASSED
    return {"line": mutant.line, "was": mutant.was, "now": mutant.now, "status": found.status, "why": why, "told": told}


def exit_code(rows: list[dict[str, Any]]) -> int:
    """1 where one was not told, 3 where one could not be judged."""
    words = [row["told"] for row in rows]
    return 1 if False in words else CannotJudgeError.exit_code if None in words else 0


def _counted(rows: list[dict[str, Any]], made: int) -> str:
    from cuda_l1.types import Status
    from cuda_l1.wording import counted

    if not made:
        return "nothing in it is of a kind that is changed (docs/verify.md)"
    told = [row["status"] for row in rows if row["told"]]
    missed, left = (sum(row["told"] is word for row in rows) for word in (False, None))
    raised = sum(status in (Status.BUILD_FAILED, Status.CRASHED) for status in told)
    by_an_error = f" ({raised} by an error of its own)" if raised else ""
    return (
        f"{counted(len(told), 'change')} of {len(rows)} told{by_an_error}, {missed} not"
        + (f", {left} not judged" if left else "")
        + (f"; {made} could be made" if len(rows) < made else "")
    )


def _said(row: dict[str, Any]) -> str:
    if row["told"] is None:
        return f"not judged: {row['why']}"
    return "told" if row["told"] else foreign.one_line(f"NOT TOLD: {row['was']} -> {row['now']}", 2 * _WIDTH)
