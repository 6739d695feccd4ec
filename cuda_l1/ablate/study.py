"""An ablation as it is carried out: each subset's candidate judged in one session, and the numbers put together.

What the archive knows under the same config is not judged again, so the same command goes on where it was cut off; when
everything is known no judge starts. Only what was judged on a crowded machine is judged again: there was no verdict.
NOT covered: where the subsets come from (plans, questions).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from cuda_l1 import report
from cuda_l1.ablate import lattice
from cuda_l1.ablate.lattice import Measured, Subset
from cuda_l1.ablate.plans import Plan, Variant
from cuda_l1.archive import Archive
from cuda_l1.judge import JudgeConfig, Session
from cuda_l1.types import Candidate, Evaluation, Status, Task, digest, jsonable

Json = dict[str, Any]
SCHEMA = 1


class Study(NamedTuple):
    """One ablation: what it is about and where it keeps what it learns."""

    task: Task
    judging: JudgeConfig
    archive: Archive
    run_id: str
    on_judged: Callable[[Variant, Evaluation, bool], None] = lambda variant, evaluation, reused: None
    """Told each word of the judge, and whether it was known."""


class Judged(NamedTuple):
    """What is known of the subsets of a plan."""

    evaluations: dict[Subset, Evaluation]
    interrupted: bool


def run_id(task: Task, judging: JudgeConfig, *about: str) -> str:
    """The same for the same ablation, so that the same command continues it."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", task.name).strip("-")[:40] or "task"
    return f"ablate-{name}-{digest(judging.digest_for(task), *about)[:8]}"


def start(study: Study, settings: Json) -> None:
    """Write down that the run exists."""
    study.archive.add_task(study.task)
    study.archive.start_run(study.run_id, study.task.id, json.dumps(settings), source_digest=study.task.source_digest)


def judge(study: Study, plan: Plan) -> Judged:
    """Every candidate of the plan, in its order, twins once. Ctrl-C ends it with what is known by then."""
    config_digest = study.judging.digest_for(study.task)
    wanted = [variant for variant in plan.variants if variant.candidate is not None]
    known: dict[str, Evaluation] = {}
    for variant in wanted:
        assert variant.candidate is not None
        found = study.archive.evaluation(variant.candidate.id, config_digest)
        if found is not None and not is_crowded(found):
            known[variant.candidate.id] = found
    reused, interrupted = set(known), False
    try:
        if all(variant.candidate is not None and variant.candidate.id in known for variant in wanted):
            _tell(study, wanted, known, reused)
        else:
            with Session(study.task, study.judging) as session:
                _tell(study, wanted, known, reused, session)
    except KeyboardInterrupt:
        interrupted = True
    by_subset = {v.subset: known[v.candidate.id] for v in wanted if v.candidate is not None and v.candidate.id in known}
    return Judged(by_subset, interrupted)


def _tell(
    study: Study, wanted: list[Variant], known: dict[str, Evaluation], reused: set[str], session: Session | None = None
) -> None:
    """Judge what is not known, keep it, and tell all of it in order."""
    stored = {each.candidate_id for each in study.archive.evaluations(study.run_id)}
    for variant in wanted:
        candidate = variant.candidate
        assert candidate is not None
        fresh = candidate.id not in known
        if fresh:
            assert session is not None
            known[candidate.id] = session.evaluate(candidate)
        if fresh or candidate.id not in stored:
            _keep(study, candidate, known[candidate.id])
            stored.add(candidate.id)
        study.on_judged(variant, known[candidate.id], candidate.id in reused)
        reused.add(candidate.id)


def _keep(study: Study, candidate: Candidate, evaluation: Evaluation) -> None:
    study.archive.add_candidate(candidate, study.task)
    study.archive.add_evaluation(evaluation, config_digest=study.judging.digest_for(study.task), run_id=study.run_id)


def summary(study: Study, plan: Plan, judged: Judged) -> Json:
    """Everything about one ablation as plain JSON types."""
    names = [part.name for part in plan.parts]
    measured = {
        variant.subset: Measured(variant.candidate.id, evaluation.speedup_eager)
        for variant in plan.variants
        if variant.candidate is not None
        and (evaluation := judged.evaluations.get(variant.subset)) is not None
        and evaluation.speedup_eager is not None
    }
    evaluations = list(judged.evaluations.values())
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
            "subsets": [_row(names, variant, judged.evaluations.get(variant.subset)) for variant in plan.variants],
            "analysis": jsonable(lattice.analyse(names, measured)),
            "outcome": _outcome(plan, judged),
            "crowded": sum(map(is_crowded, evaluations)),
            "environment": jsonable(evaluations[0].environment) if evaluations else None,
            "devices": sorted({evaluation.environment.device for evaluation in evaluations}),
        }
    )
    return total


def _row(names: list[str], variant: Variant, evaluation: Evaluation | None) -> Json:
    """One subset; everything of the judge is None where there is no word of it."""
    row: Json = {
        "on": [name for name in names if name in variant.subset],
        "off": [name for name in names if name not in variant.subset],
        "why": variant.why,
    }
    if variant.candidate is None or evaluation is None:
        kept = ("candidate_id", "author", "origin", "status", "verdict", "speedup", "speedup_eager", "times_us")
        empty: Json = dict.fromkeys(kept)
        return row | empty | {"labels": [], "findings": [], "notes": []}
    return row | report.entry(variant.candidate, evaluation)


def is_crowded(evaluation: Evaluation) -> bool:
    """Whether other programs took so much of the machine that the judge gave no verdict."""
    return any(note.check == "crowded" for note in evaluation.notes)


def _outcome(plan: Plan, judged: Judged) -> str:
    """`measured`, or what keeps the table from being one."""
    words = judged.evaluations
    if judged.interrupted:
        return "interrupted"
    if any(evaluation.status is Status.INFRA_FAILED for evaluation in words.values()):
        return "not judged"
    if any(evaluation.degenerate for evaluation in words.values()):
        return "degenerate"
    whole = words[plan.variants[0].subset]
    return "measured" if whole.status is Status.PASSED else "does not pass"


def write(folder: Path, total: Json, page: str) -> None:
    """ablation.json and ablation.md."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ablation.json").write_text(json.dumps(total, indent=1) + "\n")
    (folder / "ablation.md").write_text(page)
