"""`cuda-l1 mutants`: what of a task could be left out, and the judge would not tell."""

from __future__ import annotations

import random
from typing import Any

import click

from cuda_l1 import foreign
from cuda_l1.cli.shared import (
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

_WIDTH = 60


@click.command()
@click.argument("target")
@task_options
@judging_options
@click.option("--most", type=click.IntRange(1), help="How many to judge; of more, some by chance. Default: 100")
@output_options
def mutants(target: str, as_json: bool, quiet: bool, display: str, **flags: Any) -> int:
    """What of TARGET could be left out, and the judge would not tell?

    Its text is changed in one place after another so that it does less: a limit, a mask, a guard or a term is gone, a
    loop ends early, a sum leaves out an eighth. Each change that the judge does not tell from TARGET is shown.
    """
    from cuda_l1 import mutants as changes
    from cuda_l1 import report, wording
    from cuda_l1.config import MutantsConfig, load
    from cuda_l1.types import Candidate, Status

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
            why = report.finding_text(found.findings[0].check, found.findings[0].detail) if found.findings else ""
            rows.append({"line": mutant.line, "was": mutant.was, "now": mutant.now, "status": found.status, "why": why,
                         "told": found.status is not Status.PASSED})  # fmt: skip
            screen.say(f"  line {mutant.line}: {'told' if rows[-1]['told'] else 'NOT TOLD'}")
        degenerate = session.degenerate
    unseen = [row for row in rows if not row["told"]]
    code = 1 if unseen else 0
    if as_json:
        print_json({"schema": 1, "task_id": task.id, "made": len(every), "mutants": rows, "degenerate": degenerate,
                     "exit_code": code})  # fmt: skip
        return code
    if unseen:
        header = ("line", "what stands there", "what the judge does not tell from it")
        cells = [(str(row["line"]), *(foreign.one_line(row[key], _WIDTH) for key in ("was", "now"))) for row in unseen]
        emit(plain_table([header, *cells]))
    emit(f"{wording.counted(len(rows) - len(unseen), 'change')} of {len(rows)} told, {len(unseen)} not")
    return code
