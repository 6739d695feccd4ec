"""Whether a task is sound: whether its reference has one answer, whatever was asked before, and one that says enough of
its inputs for a win; and what a call does, by which a task is held to a precision.

NOT covered: what an output must say (hygiene.py), and sets (making.py).
"""

from __future__ import annotations

import contextlib
import functools

import torch

from cuda_l1.correctness import buffers, hygiene, refusals, verify
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.side import REQUEST_TIMEOUT_S
from cuda_l1.correctness.verify import WORST_ERROR
from cuda_l1.errors import TaskError
from cuda_l1.evidence.work import Work
from cuda_l1.types import Finding
from cuda_l1.wire.link import RefusalError

RUNS = 32
"""So many runs say whether a reference is random that gives a few numbers."""
_OF_FLOAT64 = 1e-9
"""By more than this no order of sums moves what is computed in float64."""


def work_of(ref: Reference) -> Work | None:
    """Before there are sides that have the device's memory: the byte floor rests on it."""
    try:
        found = ref.examine("work", REQUEST_TIMEOUT_S)
    except RefusalError as refusal:
        if refusals.wants_less(str(refusal)):
            raise
        return None
    return Work.model_validate(found)


def relax(ref: Reference) -> None:
    """PyTorch's default lets cuDNN use TF32 and matrix products not: a task with a convolution or a recurrent
    layer may be computed either way, whichever algorithm the reference happened to get."""
    if ref.task.precision != "default" or not ref.device.startswith("cuda"):
        return
    if ref.work and (ref.work.flops["convolution"] or ref.work.is_recurrent):
        ref.precision = "tf32"
        detail = "cuDNN may use TF32 by PyTorch's default, so errors up to TF32's pass; --precision fp32 is strict"
        ref.notes.append(Finding(check="default_precision", detail=detail))


def judge_itself(ref: Reference, inputs: torch.Tensor, own: list[torch.Tensor], errors: list[verify.Errors]) -> None:
    """TaskError for a reference without one answer; what differs between two runs is noted."""
    ref.error = verify.worst_of(errors)
    ref.noise = not ref.error.norm <= WORST_ERROR
    runs = RUNS if hygiene.is_few(own, inputs) else 1  # what draws for a few numbers draws the same by chance
    again = (ref.own_outputs(inputs) for _ in range(runs))
    differs = max(errors.norm for out in again for errors in verify.compare_all(out, own))
    if not differs <= WORST_ERROR:
        raise TaskError(
            f"task {ref.task.name}: the reference differs from its own float64 oracle by {ref.error.norm:.2g}"
            f"{ref.error.worst and f' ({ref.error.worst})'} and from itself on the same input by {differs:.2g}: "
            f"{_why_it_differs(ref)}, so no candidate can be compared with it"
        )
    if differs > 0:
        detail = f"two runs of the reference on one input differ by {differs:.2g} in the norm"
        ref.notes.append(Finding(check="nondeterministic", detail=detail))


def _why_it_differs(ref: Reference) -> str:
    """The oracle is a copy of the module, made anew each time, so only what is random differs between two."""
    try:  # integers too, which are otherwise the module's own
        one, again = ref.ask_oracle(), (ref.ask_oracle() for _ in range(RUNS))
        differs = max(errors.norm for out in again for errors in verify.compare_all(out, one))
    except RefusalError:
        return f"{hygiene.IS_RANDOM}, or {hygiene.HAS_STATE}"
    return hygiene.HAS_STATE if differs <= WORST_ERROR else hygiene.IS_RANDOM


def find_degenerate(ref: Reference, inputs: torch.Tensor, own: list[torch.Tensor], second: list[torch.Tensor],
                     errors: list[verify.Errors]) -> None:  # fmt: skip
    if ref.noise:
        noisy = [n for n, each in enumerate(errors) if not each.norm <= WORST_ERROR]
        which = f"output {noisy[0]}" if noisy and len(second) > 1 else "the output"
        why = f"{which} is rounding noise: it differs from a float64 oracle by {ref.error.norm:.2g} of its norm"
        if ref.error.norm <= WORST_ERROR:
            why = f"the output is rounding noise: roundings to 16 bits move it by more than {WORST_ERROR} of its norm"
    elif (drawn_by := _differs_by_chance(ref, inputs, own, second)) > 0:
        why = f"the reference is random: two runs differ by {drawn_by:.2g}, so who draws nothing is right too"
    elif not inputs.numel():
        why = "no tensor among the inputs holds a number: any constant is as good"
    elif verify.same(inputs, ref.sets[0].inputs):
        said = "get_inputs gives the same values each time (have it draw others, under no seed of its own)"
        why = f"{said}: any constant is as good"
    else:
        dtypes = [leaf.torch_dtype for leaf in ref.output_leaves]
        ask = functools.partial(_exact_on, ref) if ref.room.keeps else None
        why = hygiene.why_degenerate(ref.sets[0], second, ref.precision, dtypes, ask, is_exact=ref.has_oracle)
        if why and ref.task.mode == "eval" and "BatchNorm" in ref.text:
            why = f"{why} (an untrained network whose norms are in eval mode lets little through: try --mode train)"
        elif why:
            trained = [each for each in ref.state if each not in ref.watched_state]
            why += hygiene.said_of_faint(buffers.now(ref, trained) if ref.room.keeps else {})
    ref.degenerate = bool(why)
    if why:
        ref.notes.append(Finding(check="degenerate_task", detail=f"{why}, so no speedup here is a win"))


def _differs_by_chance(
    ref: Reference, inputs: torch.Tensor, own: list[torch.Tensor], exact: list[torch.Tensor]
) -> float:
    """By how much it differs from itself by what it draws, and not by the order of its sums: in float64 too, of which
    the latter leaves nothing; without float64 by more than rounding may. 0 where two runs agree."""
    if not any(note.check == "nondeterministic" for note in ref.notes):
        return 0.0
    said = exact if ref.has_oracle else own
    least = [_OF_FLOAT64 if ref.has_oracle else verify.floor(ref.precision, leaf.dtype).norm for leaf in own]
    runs = range(RUNS if hygiene.is_few(own, inputs) else 1)
    again = (ref.oracle_outputs(own) if ref.has_oracle else ref.own_outputs(inputs) for _ in runs)
    found = [verify.compare_all(out, said) for out in again]
    each = (pair for errors in found for pair in zip(errors, least, strict=True))
    return max(error.norm if error.norm > most else 0.0 for error, most in each)


def _exact_on(ref: Reference, kind: str) -> list[torch.Tensor] | None:
    """The oracle's outputs on a new draw of that kind, the reference's own where it has none."""
    ref.draw("verify", [0], [kind])
    row = ref.verify_arena.rows[0]
    with contextlib.suppress(RefusalError):
        return ref.ask_oracle() if ref.has_oracle else ref.own_outputs(row.clone())
    return None
