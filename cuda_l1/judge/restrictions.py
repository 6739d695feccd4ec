"""What is to be said of a candidate that makes it no worse: inputs that the reference takes and it does not."""

from __future__ import annotations

import torch

from cuda_l1.judge import verify
from cuda_l1.judge.arena import Layout
from cuda_l1.judge.contender import CandidateError, Contender
from cuda_l1.judge.process import RefusedError, SlowWorkerError, WorkerGoneError
from cuda_l1.judge.sets import is_promised
from cuda_l1.types import Finding


def of(side: Contender) -> list[Finding]:
    """All of them, and that it gives no two equal answers.

    Asked last: code that reads memory that is not its own may not survive inputs with gaps.
    """
    said = []
    if side.differs:
        same = f"two calls of the candidate on the same values differ by {side.differs:.2g} in the norm"
        said.append(Finding(check="nondeterministic", detail=same))
    if fails := _not_finite(side):
        said.append(Finding(check="finite_only", detail=f"where inputs are not finite: {fails}"))
    if fails := _strided(side):
        said.append(Finding(check="contiguous_only", detail=f"inputs with gaps fail: {fails}"))
    return said


def _not_finite(side: Contender) -> str | None:
    """What goes wrong where a few elements of the inputs are not finite, and the reference's outputs are."""
    try:
        for made in side.reference.sets:
            if not is_promised(made.kind, side.reference.task.source):
                side.check_on([made])
    except CandidateError as error:
        return error.detail
    except RefusedError as error:
        return f"{type(error).__name__}: {error}"[:300]
    return None


def _strided(side: Contender) -> str | None:
    """What goes wrong on inputs with gaps between their elements; None if nothing does, or there are none."""
    ref = side.reference
    spread = tuple(leaf.spread() for leaf in ref.input_leaves)
    if not spread or spread == ref.input_leaves:
        return None
    try:
        arena = side.lay("strided", Layout(spread, ref.output_leaves, 1, 1))
        for target, value in zip(arena.input(0), ref.leaves_of(ref.sets[0].inputs), strict=True):
            target.copy_(value)
        arena.poison()
        side.synchronize()
        side.run("strided", [0], side.config.run_timeout_s)
    except (RefusedError, SlowWorkerError, WorkerGoneError, torch.OutOfMemoryError) as error:
        return f"{type(error).__name__}: {error}"[:300]
    wanted = ref.sets[0]
    for leaf, out in enumerate(arena.output(0)):
        errors = verify.compare(out, wanted.expected[leaf])
        if not wanted.bounds[leaf].holds(errors):
            return f"error {errors.norm:.3g} in the norm"
    return None
