"""What is to be said of a candidate that makes it no worse: inputs that the reference takes and it does not."""

from __future__ import annotations

import torch

from cuda_l1.correctness import edges, verify
from cuda_l1.correctness.contender import Contender
from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.correctness.sets import is_promised
from cuda_l1.correctness.side import REQUEST_TIMEOUT_S
from cuda_l1.types import Finding
from cuda_l1.wire.arena import Layout
from cuda_l1.wire.link import RefusalError, SlowWorkerError, WorkerGoneError


def of(side: Contender) -> list[Finding]:
    """All of them, that it was built slowly, and that it gives no two equal answers.

    Asked last: code that reads memory that is not its own may not survive inputs with gaps.
    """
    said = [Finding(check="slow_build", detail=why) for why in side.process.slow_build()]
    if side.differs:
        same = f"two calls of the candidate on the same values differ by {side.differs:.2g} in the norm"
        said.append(Finding(check="nondeterministic", detail=same))
    for check, where, ask in (
        ("finite_only", "where inputs are not finite", _not_finite),
        ("contiguous_only", "inputs with gaps fail", _strided),
    ):
        spoilt = False
        try:
            fails = ask(side)
        except CandidateError as error:
            fails = error.detail
        except (RefusalError, SlowWorkerError, WorkerGoneError, torch.OutOfMemoryError) as error:
            fails, spoilt = f"{type(error).__name__}: {error}"[:300], True
        if fails:
            said.append(Finding(check=check, detail=f"{where}: {fails}"))
        if spoilt:  # a device that has failed, or a process that is gone, says nothing more of the candidate
            break
    return said


def _not_finite(side: Contender) -> None:
    """Raises what goes wrong where a few elements of the inputs are not finite, and the reference's outputs are."""
    for made in side.reference.sets:
        if not is_promised(made.kind, side.reference.text):
            side.check_on([made])


def _strided(side: Contender) -> str | None:
    """What goes wrong on inputs with gaps between their elements, where it is not raised; None if nothing does, or
    there are none."""
    ref = side.reference
    spread = tuple(leaf.spread() for leaf in ref.input_leaves)
    if not spread or spread == ref.input_leaves:
        return None
    side.process.post("compile_no_more", REQUEST_TIMEOUT_S)  # a compiler takes any strides, and seconds
    arena = side.lay("strided", Layout(spread, ref.output_leaves, 1, 1))
    for target, value in zip(arena.input(0), ref.leaves_of(ref.sets[0].inputs), strict=True):
        target.copy_(value)
    arena.poison()
    side.run("strided", [0], side.config.run_timeout_s)
    wanted = ref.sets[0]
    for leaf, out in enumerate(arena.output(0)):
        exact, bound = wanted.expected[leaf], wanted.bounds[leaf]
        errors, answer = (
            verify.compare(out, exact),
            edges.Answer(wanted.inputs, wanted.weights, leaf, out, exact, bound),
        )
        if not bound.holds(errors) and not edges.undecided(ref, answer):
            return f"error {errors.norm:.3g} in the norm"
    return None
