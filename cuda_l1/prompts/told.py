"""What the prompt says of the task, of an earlier implementation and of a failed attempt: records in, text out.

Each comes in versions, from the shortest to the fullest, for the budget to choose from. Names and messages that a
candidate's process or author chose are shown on one line or in a fence.
NOT covered: what went wrong with a failed one (`failures`).
"""

from __future__ import annotations

import statistics

from cuda_l1.prompts.failures import no_win, what_went_wrong
from cuda_l1.prompts.templates import Templates, fenced, one_line
from cuda_l1.types import Evaluation, Exemplar, Interval, Kernel, Status, TaskFacts, TensorSpec

_MOST_WEIGHTS = 40
_LEAST_SHARE = 0.01


def facts(known: TaskFacts, templates: Templates) -> tuple[str, str]:
    """Without and with what the reference runs."""

    def filled(kernels: tuple[Kernel, ...]) -> str:
        return templates.fill(
            "facts.md",
            inputs=", ".join(map(str, known.inputs)),
            outputs=", ".join(map(str, known.outputs)),
            weights=_weights(known.weights, templates),
            moved="" if known.moved_bytes is None else _size(known.moved_bytes),
            flops=_scaled(sum(known.flops.values()), "FLOP") if known.flops and any(known.flops.values()) else "",
            ceilings=_ceilings(known),
            byte_time=_us(known.byte_us) if known.byte_us else "",
            operation_time=_us(known.operation_us) if known.operation_us else "",
            profile=profile(kernels, templates.phrase("whose_reference"), templates),
        )

    return filled(()), filled(known.kernels)


def exemplar(number: int, one: Exemplar, templates: Templates) -> tuple[str, str]:
    """Without and with what it ran."""
    evaluation = one.evaluation
    fraction = evaluation.roofline_fraction
    eager_us = evaluation.baselines_us.get("eager")

    def filled(kernels: tuple[Kernel, ...]) -> str:
        return templates.fill(
            "exemplar.md",
            number=str(number),
            score=f"{one.score:.2f}",
            outcome=_outcome(one, templates),
            no_win=no_win(evaluation, templates),
            labels=", ".join(evaluation.labels),
            time=_us(statistics.median(evaluation.times_us)) if evaluation.times_us else "",
            eager_time="" if eager_us is None else _us(eager_us),
            roofline="" if fraction is None else f"{fraction:.0%}",
            profile=profile(kernels, templates.phrase("whose_exemplar"), templates),
            code=fenced(one.candidate.code),
        )

    return filled(()), filled(evaluation.kernels)


def failure(number: int, one: Exemplar, templates: Templates) -> tuple[str, str]:
    """Without and with its code."""
    problem = what_went_wrong(one.evaluation, templates.folder)
    short, full = (
        templates.fill("failure.md", number=str(number), problem=problem, code=code)
        for code in ("", fenced(one.candidate.code))
    )
    return short, full


def profile(kernels: tuple[Kernel, ...], whose: str, templates: Templates) -> str:
    """The kernels as lines with their shares; nothing when there are none."""
    total = sum(kernel.us for kernel in kernels)
    if total <= 0:
        return ""
    shown = [kernel for kernel in kernels if kernel.us >= _LEAST_SHARE * total]
    lines = [_kernel(kernel, kernel.us / total, templates) for kernel in shown]
    if len(shown) < len(kernels):
        lines.append(templates.phrase("kernels_below", count=str(len(kernels) - len(shown))))
    return templates.fill("profile.md", whose=whose, total=_us(total), kernels="\n".join(lines))


def _kernel(kernel: Kernel, share: float, templates: Templates) -> str:
    details = {
        "bytes": kernel.bytes and _size(kernel.bytes),
        "registers": kernel.registers and str(kernel.registers),
        "occupancy": None if kernel.occupancy is None else f"{kernel.occupancy:.0%}",
        "local_bytes": kernel.local_bytes and _size(kernel.local_bytes),
    }
    said = [templates.phrase(f"kernel_{what}", **{what: text}) for what, text in details.items() if text]
    return templates.phrase(
        "kernel",
        name=one_line(kernel.name),
        time=_us(kernel.us),
        share=f"{share:.0%}",
        count=str(kernel.count),
        details="".join(said),
    )


def _outcome(one: Exemplar, templates: Templates) -> str:
    candidate, evaluation = one.candidate, one.evaluation
    by = templates.phrase("by", author=one_line(candidate.author)) if candidate.author else ""
    if evaluation.status is not Status.PASSED:
        problem = what_went_wrong(evaluation, templates.folder)
        return templates.phrase("failed", problem=problem, language=candidate.language, by=by)
    return templates.phrase(
        "passed",
        verdict=str(evaluation.verdict),
        ratios=_ratios(evaluation, templates),
        language=candidate.language,
        by=by,
    )


def _ratios(evaluation: Evaluation, templates: Templates) -> str:
    parts = []
    if evaluation.speedup_eager:
        parts.append(templates.phrase("versus_eager", ratio=_ratio(evaluation.speedup_eager, templates)))
    if evaluation.speedup and evaluation.speedup.vs != "eager":
        ratio = _ratio(evaluation.speedup, templates)
        parts.append(templates.phrase("versus_best", ratio=ratio, vs=one_line(evaluation.speedup.vs)))
    return ", ".join(parts) or templates.phrase("not_timed")


def _ratio(one: Interval, templates: Templates) -> str:
    return templates.phrase("ratio", value=f"{one.value:.2f}", lo=f"{one.lo:.2f}", hi=f"{one.hi:.2f}")


def _weights(weights: dict[str, TensorSpec], templates: Templates) -> str:
    shown = [f"{one_line(name)}: {spec}" for name, spec in list(weights.items())[:_MOST_WEIGHTS]]
    if len(weights) > _MOST_WEIGHTS:
        shown.append(templates.phrase("and_more", count=str(len(weights) - _MOST_WEIGHTS)))
    return ", ".join(shown)


def _ceilings(known: TaskFacts) -> str:
    speeds = [f"{_scaled(speed, 'FLOP')}/s in {name} products" for name, speed in known.flops_per_s.items()]
    return ", ".join([f"memory {_scaled(known.bytes_per_s, 'B')}/s", *speeds, f"last cache {_size(known.cache_bytes)}"])


def _us(us: float) -> str:
    # Above, three digits would be 1e+03.
    return f"{us:.3g} us" if us < 999.5 else f"{us / 1e3:.3g} ms" if us < 999.5e3 else f"{us / 1e6:.4g} s"


def _size(count: int) -> str:
    """In the units of memory: 1 KiB is 1024 bytes."""
    size = float(count)
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.4g} {unit}"
        size /= 1024
    return f"{size:.4g} GiB"


def _scaled(value: float, unit: str) -> str:
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor:
            return f"{value / factor:.4g} {prefix}{unit}"
    return f"{value:.4g} {unit}"
