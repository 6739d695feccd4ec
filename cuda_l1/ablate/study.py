"""An ablation as it is carried out: each subset's candidate judged in one session, and the numbers put together.

What the archive has of the same run is not judged again, so the same command goes on where it was cut off; when
everything is known no judge starts. Only what was judged on a crowded machine is judged again: there was no verdict.
NOT covered: where the subsets come from (plans, questions).
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cuda_l1 import journal, report
from cuda_l1.ablate import lattice
from cuda_l1.ablate.lattice import Measured
from cuda_l1.ablate.plans import Plan, Variant
from cuda_l1.archive import Archive
from cuda_l1.judge import JudgeConfig, Session
from cuda_l1.types import Evaluation, Interval, Status, Task, digest, jsonable

Json = dict[str, Any]
SCHEMA = 1


class Study(NamedTuple):
    """One ablation: what it is about and where it keeps what it learns."""

    task: Task
    judging: JudgeConfig
    archive: Archive
    run_id: str
    repeats: int = 2
    """How often each subset that passes is judged: what equal words differ by is the doubt of all."""
    on_judged: Callable[[Variant, Evaluation], None] = lambda variant, evaluation: None
    """Told each new word of the judge."""


class Judged(NamedTuple):
    """What is known of the subsets of a plan, by the id of the candidate; words with a verdict come first."""

    words: dict[str, list[Evaluation]]
    interrupted: bool
    due: int = 0
    """Words still to be given: the judge failed, the machine was crowded, or the study was interrupted."""


def run_id(task: Task, judging: JudgeConfig, *about: str) -> str:
    """The same for the same ablation, so that the same command continues it."""
    return f"ablate-{task.slug}-{digest(judging.digest_for(task), *about)[:8]}"


def start(study: Study, settings: Json) -> None:
    """Write down that the run exists."""
    study.archive.add_task(study.task)
    study.archive.start_run(study.run_id, study.task.id, json.dumps(settings), source_digest=study.task.source_digest)


def judge(study: Study, plan: Plan) -> Judged:
    """Every candidate of the plan, twins once, as often as is asked. Ctrl-C ends it with what is known by then.

    One pass after the other, every second one backwards, so that what drifts with time falls on all subsets alike.
    Words of other runs do not count: a candidate is ablated because it was found fast, by luck too.
    """
    wanted = {v.candidate.id: v for v in reversed(plan.variants) if v.candidate is not None}
    order = list(reversed(wanted.values()))
    words: dict[str, list[Evaluation]] = {name: [] for name in wanted}
    for evaluation in study.archive.evaluations(study.run_id):
        if evaluation.candidate_id in words:
            words[evaluation.candidate_id].append(evaluation)
    interrupted = False
    try:
        if any(_is_due(words[name], number) for name in wanted for number in range(study.repeats)):
            with Session(study.task, study.judging) as session:
                for number in range(study.repeats):
                    for variant in order if number % 2 == 0 else reversed(order):
                        _judge_one(study, session, variant, number, words)
    except KeyboardInterrupt:
        interrupted = True
    due = sum(_is_due(words[name], number) for name in wanted for number in range(study.repeats))
    return Judged({name: _settled(each) for name, each in words.items() if each}, interrupted, due)


def _judge_one(
    study: Study, session: Session, variant: Variant, number: int, words: dict[str, list[Evaluation]]
) -> None:
    """The word of one pass, unless it is known, kept as soon as it is there."""
    candidate = variant.candidate
    assert candidate is not None
    if not _is_due(words[candidate.id], number):
        return
    evaluation = session.evaluate(candidate)
    study.archive.add_candidate(candidate, study.task)
    study.archive.add_evaluation(evaluation, config_digest=study.judging.digest_for(study.task), run_id=study.run_id)
    words[candidate.id].append(evaluation)
    study.on_judged(variant, evaluation)


def _is_due(words: list[Evaluation], number: int) -> bool:
    """Whether pass `number` still has something to judge; what does not pass once is settled."""
    final = [word for word in words if word.is_lasting]
    return len(final) <= number and all(word.status is Status.PASSED for word in final)


def _settled(words: list[Evaluation]) -> list[Evaluation]:
    """Words with a verdict, or else the latest without one."""
    final = [word for word in words if word.status is not Status.INFRA_FAILED]
    lasting = [word for word in final if word.is_lasting]
    return lasting or final[-1:] or words[-1:]


def summary(study: Study, plan: Plan, judged: Judged) -> Json:
    """Everything about one ablation as plain JSON types."""
    names = [part.name for part in plan.parts]
    passed = {name: words for name, words in judged.words.items() if all(word.credited for word in words)}
    speedups = {name: [word.credited for word in words if word.credited] for name, words in passed.items()}
    pooled = lattice.pooled(speedups)
    measured = {
        variant.subset: Measured(variant.candidate.id, pooled[variant.candidate.id])
        for variant in plan.variants
        if variant.candidate is not None and variant.candidate.id in pooled
    }
    deviation, freedom = lattice.spread(speedups)
    latest = [words[-1] for words in judged.words.values()]
    total: Json = report.finite(
        {
            "schema": SCHEMA,
            "run_id": study.run_id,
            "task_id": study.task.id,
            "name": study.task.name,
            "by": plan.by,
            "parts": [part._asdict() for part in plan.parts],
            "none": plan.none,
            "declined": [list(each) for each in plan.declined],
            "subsets": [_row(names, variant, judged, pooled) for variant in plan.variants],
            "analysis": jsonable(lattice.analyse(names, measured)),
            "repeats": {"log_deviation": deviation if freedom else None, "degrees_of_freedom": freedom},
            "outcome": _outcome(plan, judged),
            "due": judged.due,
            "environment": jsonable(latest[0].environment) if latest else None,
            "devices": sorted({evaluation.environment.device for evaluation in latest}),
        }
    )
    return total


def _row(names: list[str], variant: Variant, judged: Judged, pooled: Mapping[str, Interval]) -> Json:
    """One subset; everything of the judge is None where there is no word of it."""
    candidate = variant.candidate
    words = judged.words.get(candidate.id, []) if candidate else []
    row: Json = {
        "on": [name for name in names if name in variant.subset],
        "off": [name for name in names if name not in variant.subset],
        "why": variant.why,
        "judged": len(words),
    }
    if candidate is None or not words:
        kept = ("candidate_id", "author", "origin", "status", "verdict", "speedup", "speedup_eager", "times_us")
        empty: Json = dict.fromkeys(kept)
        return row | empty | {"labels": [], "findings": [], "notes": [], "speedups_eager": []}
    row |= report.entry(candidate, words[-1])
    medians = [statistics.median(word.times_us) for word in words if word.times_us]
    return row | {
        "speedup_eager": jsonable(pooled[candidate.id]) if candidate.id in pooled else None,
        "speedups_eager": [jsonable(word.speedup_eager) for word in words if word.speedup_eager],
        "times_us": {"median": statistics.median(medians) if medians else None, "n": row["times_us"]["n"]},
    }


def _outcome(plan: Plan, judged: Judged) -> str:
    """`measured`, or what keeps the table from being one."""
    words = [word for each in judged.words.values() for word in each]
    if judged.interrupted:
        return "interrupted"
    if any(word.status is Status.INFRA_FAILED for word in words):
        return "not judged"
    if any(word.degenerate for word in words):
        return "degenerate"
    whole = plan.variants[0].candidate
    assert whole is not None
    return "measured" if judged.words[whole.id][-1].status is Status.PASSED else "does not pass"


def write(folder: Path, total: Json, page: str) -> None:
    """ablation.json and ablation.md."""
    journal.folder(folder)
    journal.replace(folder / "ablation.json", json.dumps(total, indent=1) + "\n")
    journal.replace(folder / "ablation.md", page)
