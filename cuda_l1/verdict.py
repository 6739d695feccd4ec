"""What `verify` says of one evaluation: its JSON object, its lines for a person, its exit code. Pure.

A claim is against eager, as papers claim; a least speedup is against the best baseline, as a user would choose.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from typing import Any

from cuda_l1 import foreign, report, wording
from cuda_l1.errors import CudaL1Error
from cuda_l1.types import NO_WIN, Evaluation, Finding, Interval, Status, Task, Verdict

SCHEMA = 1
MET, MISSED, UNCERTAIN = "met", "missed", "uncertain"
CROWDED = "other programs took part of the machine (crowded): judge again once they have ended"
UNSURE = "none of FAST, SAME and SLOW is certain: measure on a quieter machine, or longer (--effort strict)"


def threshold(evaluation: Evaluation, measured: Interval | None, least: float | None) -> str | None:
    """Whether a speedup of this evaluation reaches `least`: by its whole interval, by none of it, or uncertain, as a
    speedup is that a note denies (`denial`), and any that was measured beside other programs. None: not asked."""
    if least is None:
        return None
    if measured is None or not evaluation.is_lasting:
        return UNCERTAIN
    if measured.lo >= least:
        return UNCERTAIN if least > 1 and denial(evaluation) else MET
    return MISSED if measured.hi < least else UNCERTAIN


def denial(evaluation: Evaluation) -> str:
    """The note for which what is faster is no win, such as `crowded`; empty where there is none."""
    note = evaluation.note(*report.DENIALS)
    return note.check if note else ""


def exit_code(
    evaluation: Evaluation,
    claim: float | None,
    min_speedup: float | None,
    held_out: Iterable[Evaluation | CudaL1Error] = (),
) -> int:
    """0 passed, at sizes that are `held_out` too, and every threshold met; 1 failed, or a threshold missed with
    certainty; 3 no verdict."""
    codes = {_exit_code(evaluation, claim, min_speedup), *(_exit_code(each, None, None) for each in held_out)}
    return min(codes - {0}, default=0)


def _exit_code(evaluation: Evaluation | CudaL1Error, claim: float | None, min_speedup: float | None) -> int:
    if isinstance(evaluation, CudaL1Error) or evaluation.status is Status.INFRA_FAILED:
        return 3
    if evaluation.status is not Status.PASSED:
        return 1
    answers = {*_answers(evaluation, claim, min_speedup).values()} - {None}
    if answers and evaluation.degenerate:
        return 3
    return 1 if MISSED in answers else 3 if UNCERTAIN in answers else 0


def _answers(evaluation: Evaluation, claim: float | None, min_speedup: float | None) -> dict[str, str | None]:
    return {
        "claim": threshold(evaluation, evaluation.speedup_eager, claim),
        "min_speedup": threshold(evaluation, evaluation.speedup, min_speedup),
    }


def contract(task: Task, evaluation: Evaluation, claim: float | None, min_speedup: float | None) -> dict[str, Any]:
    """The object that `verify --json` prints; scripts depend on its fields."""
    body = evaluation.model_dump(mode="json")
    left_out = {"times_us", "degenerate", "log"}
    times = evaluation.times_us
    return {
        "schema": SCHEMA,
        **{name: value for name, value in body.items() if name not in left_out},
        "task": {"precision": task.precision, "mode": task.mode, "degenerate": evaluation.degenerate},
        "claim": claim,
        "min_speedup": min_speedup,
        "answers": _answers(evaluation, claim, min_speedup),
        "times_us": {"median": statistics.median(times) if times else None, "n": len(times)},
    }


def lines(task: Task, evaluation: Evaluation, claim: float | None, min_speedup: float | None) -> list[str]:
    """The same for a person."""
    verdict, name = f"  {evaluation.verdict}" if evaluation.verdict else "", foreign.one_line(task.name)
    out = [f"{evaluation.status}{verdict}   {name} ({task.id}), candidate {evaluation.candidate_id}"]
    if evaluation.speedup is not None:
        median = wording.duration_us(statistics.median(evaluation.times_us))
        out.append(f"time        {median} (median of {len(evaluation.times_us)} calls)")
        out.append(f"speedup     {report.ratio(evaluation.speedup)} vs {evaluation.speedup.vs}")
        if evaluation.speedup.vs != "eager":
            out.append(f"vs eager    {report.ratio(evaluation.speedup_eager)}")
    if evaluation.max_error is not None:
        own = f"the reference's own {evaluation.reference_error:.2g}"
        out.append(f"error       {evaluation.max_error:.2g} in the worst element; {own}")
    for name, measured, least in (
        ("claim", evaluation.speedup_eager, claim),
        ("min-speedup", evaluation.speedup, min_speedup),
    ):
        if least is not None:
            answer = threshold(evaluation, measured, least)
            if evaluation.degenerate:
                answer = "means nothing on a degenerate task"
            elif answer == UNCERTAIN and measured and not measured.lo < least <= measured.hi:
                answer = f"{UNCERTAIN}, for {denial(evaluation)}"
            out.append(f"{name:<11} {least:g}x: {answer}")
    out += ["finding     " + _said(each) for each in evaluation.findings]
    out += ["note        " + foreign.one_line(f"{each.check}: {each.detail}") for each in evaluation.notes]
    is_explained = evaluation.degenerate or evaluation.note(*NO_WIN)
    if evaluation.verdict is Verdict.AMBIGUOUS and not is_explained:
        out.append(f"next        {UNSURE if evaluation.is_lasting else CROWDED}")
    if any("no class ModelNew" in each.detail for each in evaluation.findings if each.check == "build"):
        out.append("next        name the class or the function that is the candidate: FILE.py:NAME")
    if evaluation.status is Status.INFRA_FAILED:
        out.append("next        this says nothing of the candidate: judge again; cuda-l1 doctor says what works here")
    place = evaluation.environment
    threads = wording.counted(place.threads, "thread")
    out.append(f"measured on {place.device} ({place.arch}), torch {place.torch}, {threads}, "
               f"sandbox {place.sandbox}, precision {task.precision}, seed {evaluation.seed}")  # fmt: skip
    return out


def contract_at(sizes: str, task: Task, evaluation: Evaluation | CudaL1Error) -> dict[str, Any]:
    """An object of `held_out` there: the same fields, or why there is no verdict."""
    if isinstance(evaluation, CudaL1Error):
        return {"sizes": sizes, "status": None, "error": str(evaluation)}
    return {"sizes": sizes} | contract(task, evaluation, None, None)


def line_at(sizes: str, evaluation: Evaluation | CudaL1Error) -> str:
    """How it stands at sizes that are held out."""
    begin = f"held out    {foreign.one_line(sizes)}: "
    if isinstance(evaluation, CudaL1Error):
        return begin + foreign.one_line(f"not judged: {evaluation}")
    said = [str(evaluation.status), *([str(evaluation.verdict)] if evaluation.verdict else [])]
    if evaluation.speedup is not None:
        said.append(f"{report.ratio(evaluation.speedup)} vs {evaluation.speedup.vs}")
    said += [_said(each) for each in evaluation.findings]
    return begin + "  ".join(said)


def _said(finding: Finding) -> str:
    """On one line; what a compiler printed is cut to its first error."""
    text = report.finding_text(finding.check, finding.detail)
    whole = text == f"{finding.check}: {finding.detail}"
    return foreign.one_line(text) + ("" if whole else "   (all that was printed: --json)")
