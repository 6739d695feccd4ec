"""What the 16-bit roundings within a reference leave undecided, where its contract is wider than they are.

Whoever sums in another order, or keeps what the reference rounds, gets some results on the other side of a bf16's or
fp16's step; and where the reference is compared with itself, or its oracle rounds too, its own error says nothing of
that. So it is run some times more, and each result of 16 bits is then one of its two neighbours, by chance. Of eight
bits that goes for what lies halfway between two alone, as whole numbers often do once they are scaled.

NOT covered: what operations that take no float32 round within (their results are moved by a last place, or stay where
they are of eight bits), roundings within operators of the task's own, and numbers of fp16 that are below 6e-5.
"""

from __future__ import annotations

import functools
import math
import re
import statistics
from collections.abc import Callable

import torch

from cuda_l1.correctness import buffers, verify
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.sets import InputSet
from cuda_l1.correctness.side import REQUEST_TIMEOUT_S
from cuda_l1.correctness.verify import Bound
from cuda_l1.inputs.rounding import EITHER_SIDE, EITHER_SIDE_KEPT
from cuda_l1.inputs.traits import is_continuous
from cuda_l1.processes import either
from cuda_l1.wire.link import RefusalError

_IN_16_BITS = re.compile(r"b?float16|\.half\(|autocast|float8|quanti[sz]e", re.IGNORECASE)
_LEAST_RUNS, _OF_FEW, _MOST_RUNS = 3, 12, 16
_FEW, _STEADY = 1024, 0.1
"""More runs of so few numbers, and where they move an output by more or less than their mean by so much of that: by
chance."""
_OF_NORM, _SPREADS, _OF_ELEMENT = 0.8, 4.0, 2.0
"""What passes: in the norm so much of the mean and so many deviations, and so many times the worst element. Rounding by
chance moves by 1.7 times what rounding to the nearest errs by: who rounds nothing differs by 0.6 of that, and who
rounds as often elsewhere by 0.8."""

Ask = Callable[[], list[torch.Tensor] | None]


def holds_16_bits(reference: Reference) -> bool:
    """Whether something of a task does: among inputs, weights and outputs, or by its text."""
    leaves = {str(leaf.torch_dtype) for leaf in (*reference.input_leaves, *reference.output_leaves)}
    dtypes = leaves | {dtype for _, _, dtype in reference.state}
    return any(_IN_16_BITS.search(text) for text in (*dtypes, reference.text))


def is_asked(reference: Reference) -> bool:
    """Whether it may round to 16 bits, as far as is known, below its contract."""
    if not reference.is_wide:
        reference.is_wide = reference.task.precision in ("bf16", "fp16") or not holds_16_bits(reference)
    return not reference.is_wide


def allowed(reference: Reference, own: list[torch.Tensor], ask: Ask | None = None) -> list[Bound]:
    """What passes of each output at least, of what lies in the slot under weights as they are, or of what `ask` asks
    about; there the reference gives `own`. Nothing of integers and flags: which may flip is asked apart (edges.py)."""
    nothing = [Bound(0.0, 0.0) for _ in own]
    runs: list[list[Bound]] = []
    while is_asked(reference) and len(runs) < _MOST_RUNS:
        try:
            out = reference.ask_oracle("", EITHER_SIDE) if ask is None else ask()
        except RefusalError as refusal:
            reference.is_wide |= either.NONE in str(refusal)
            return nothing
        except torch.OutOfMemoryError:
            return nothing
        if out is None:
            return nothing
        runs.append(list(map(_moved, out, own)))
        if len(runs) >= (_OF_FEW if min(leaf.numel() for leaf in own) <= _FEW else _LEAST_RUNS) and all(
            map(_is_steady, zip(*runs, strict=True))
        ):
            break
    return list(map(_widest, zip(*runs, strict=True))) if runs else nothing


def state_differs(
    reference: Reference, own: dict[str, torch.Tensor], wanted: dict[str, torch.Tensor], made: InputSet | None = None
) -> str:
    """Which part of a state is not what it should be after a call on that set, or after those of a race, for a person;
    empty where all is."""
    sets = [made] if made else [each for each in reference.sets if not each.weights]
    least = functools.partial(_of_state, reference, sets)
    return buffers.differs(own, wanted, reference.precision, least)


def _of_state(reference: Reference, sets: list[InputSet]) -> dict[str, Bound]:
    """What passes at least of its state, by name, where it has answered one of these."""
    found: dict[str, Bound] = {}
    for made in sets if is_asked(reference) else []:
        one_call = functools.partial(reference.run, "verify", [0], REQUEST_TIMEOUT_S)  # as `own_outputs` may not be
        own = _left(reference, made, one_call)
        moved = functools.partial(_left, reference, made, functools.partial(reference.ask_oracle, "", EITHER_SIDE_KEPT))
        bounds = allowed(reference, list(own.values()), functools.partial(_values, moved))
        for name, bound in zip(own, bounds, strict=True):
            found[name] = verify.widest([found.get(name, bound), bound])
    reference.verify_arena.rows[0].copy_(reference.sets[0].inputs)
    return found


def _left(reference: Reference, made: InputSet, ask: Callable[[], object]) -> dict[str, torch.Tensor]:
    """Its state, after it was asked so about that set under its own weights."""
    reference.verify_arena.rows[0].copy_(made.inputs)
    reference.load_weights(0)
    try:
        ask()
        return buffers.now(reference, reference.seen_state)
    finally:
        reference.load_weights(0)


def _values(ask: Callable[[], dict[str, torch.Tensor]]) -> list[torch.Tensor]:
    return list(ask().values())


def widened(bounds: list[Bound], least: list[Bound]) -> list[Bound]:
    """What passes by either."""
    return [verify.widest(list(pair)) for pair in zip(bounds, least, strict=True)]


def _moved(out: torch.Tensor, own: torch.Tensor) -> Bound:
    if not is_continuous(own):
        return Bound(0.0, 0.0)
    errors = verify.compare(out, own)
    return Bound(errors.norm, errors.element) if math.isfinite(errors.norm + errors.element) else Bound(0.0, 0.0)


def _is_steady(runs: tuple[Bound, ...]) -> bool:
    norms = [run.norm for run in runs]
    return statistics.pstdev(norms) <= _STEADY * statistics.mean(norms)


def _widest(runs: tuple[Bound, ...]) -> Bound:
    norms = [run.norm for run in runs]
    norm = _OF_NORM * statistics.mean(norms) + _SPREADS * statistics.pstdev(norms)
    return Bound(norm, max(norm, _OF_ELEMENT * max(run.element for run in runs)))
