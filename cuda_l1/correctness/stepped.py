"""Whether an output that passes errs in steps: as much, and the same, where inputs and weights move by last places, and
otherwise where they move by little. Factors in fewer bits do so, however they are scaled or rounded; another formula
errs the same in both, and what float32 rounds errs otherwise in both, but for what a task itself takes in steps before,
and for what is added to one. Who rounds by chance never errs the same, and hardly at all where inputs and weights hold
no more bits than are kept, whatever their sizes.

NOT covered: tasks that hold 16-bit numbers or ask for them (beneath.py), and outputs of fewer than 64 elements.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

import torch

from cuda_l1.correctness import beneath, making, verify
from cuda_l1.correctness.beneath import Given
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.sets import InputSet
from cuda_l1.inputs.redrawn import BETWEEN, MOVED_BY, NEAR, NEARER, NEAREST, SCATTERED, moved_by
from cuda_l1.inputs.rounding import ALL_RESULTS, BESIDE_ONE, FACTORS
from cuda_l1.inputs.traits import is_continuous, kept_as

Answers = Callable[[torch.Tensor, int], list[torch.Tensor]]
"""A candidate's outputs on a row of inputs under weights of that index."""
_ASKED = ("default", "fp32")
"""TF32 takes factors in steps too."""
_SAME, _OTHER = 0.7, 0.5
"""Errors agree by so much at least where what is given is next to nothing away, and by so much at most where it is
farther."""
_ROUNDED_THE_SAME = 0.35
"""What eager rounds agrees by so much where its inputs alone are next to nothing away: a task takes them in steps, and
what float32 rounds after these stays. Elsewhere it does by chance."""
_LITTLE = 0.5
"""Of what an output differs by from one item to the next: a formula's errors may be others where it moved by more."""
_FARTHER = (NEAR, NEARER)
_AS_MUCH, _LESS = (0.3, 3.0), 8.0
"""Between so many times what the reference errs by with factors in a format, and so many times less where all that is
given fits in it: float32 errs by a thousandth of the first, and what another formula errs by hangs on neither."""
_TRIES = 4
"""Next to nothing is more than what two 16-bit numbers leave out of a float32, or a long sum of its terms; it is tried
so many times, for not all calls need err."""
_MANY_TRIES, _NEARLY_ALL = 16, 0.9
"""Of so many tries, before anybody is refused: in half of them at least it errs as much."""
_SMOOTH = 0.92
"""How far steps are seen that a smooth formula has none of: half way it errs the same by more than that, and what is
rounded to eight bits by less."""
_OF_ONE = 2.0
"""So many times what the reference errs by where each result is taken as what is added to one in float32: `log(1 + x)`
for small x, or `1 - p` for p near one, errs in steps, and is float32."""
_LEAST, _OF_SUMS = 3e-6, 3.5e-8
"""In the norm, and so many times the root of the longest sum's terms: taken one after another, the last are added in
steps, and a random walk of half last places errs by 1.4e-8 times that root."""


def found(
    reference: Reference, both: Sequence[InputSet], outs: Sequence[Sequence[torch.Tensor]], answers: Answers
) -> str:
    """The evidence that an output of these sets was computed below the contract, by its errors: of both as coarser
    factors foretell them, or of one in steps. Empty where there is none. For tasks of which `beneath.is_asked`."""
    return told(reference, beneath.all_given(reference, both, outs), answers)


def told(reference: Reference, given: Sequence[Given], answers: Answers) -> str:
    """The same of what is known beside eager's."""
    in_steps = (evidence(reference, each, answers) for each in given)
    return beneath.evidence(reference, given) or next(filter(None, in_steps), "")


def evidence(reference: Reference, given: Given, answers: Answers) -> str:
    """For a person: which output errs so on that set; empty where none does, or nothing can be said."""
    if reference.precision not in _ASKED or reference.work is None:
        return ""
    made, out, _, its, eager = given
    least = max(_LEAST, _OF_SUMS * reference.work.longest_sum**0.5)
    suspects = given.suspects(least)
    leaves = _that_stay(reference, given, answers, suspects)
    for how in _FARTHER if leaves else ():
        answered, exact = _at(reference, made, answers, how) or ([], [])
        for leaf in leaves if exact else ():
            agreement = _agreement(out[leaf], made.expected[leaf], answered[leaf], exact[leaf])
            if verify.moves(made.expected[leaf], exact[leaf]) > _LITTLE or abs(agreement) > _OTHER:
                continue
            if not _may_be_float32(reference, given, answers, leaf) and _is_steady(reference, given, answers, leaf):
                return (
                    f"output {leaf} errs by {its[leaf].norm:.3g} in the norm where eager errs by "
                    f"{eager[leaf].norm:.3g}, by the same where inputs and weights are next to nothing away, and "
                    f"otherwise ({agreement:.2g}) where they are {MOVED_BY[how]:.2g} of themselves away: they are "
                    "taken in steps, by fewer bits or beside a far larger term that cancels later"
                )
    return _by_chance(reference, given, answers, suspects)


def _by_chance(reference: Reference, given: Given, answers: Answers, leaves: list[int]) -> str:
    """For a person: which of these leaves errs by as much as factors in a coarser format do, and far less where there
    is nothing to round, also where numbers are of other sizes; empty where none does, or nothing can be said."""
    for kind in beneath.BELOW[reference.precision] if leaves else ():
        coarse = reference.exact_of(given.made.inputs, given.made.weights, kind, FACTORS)
        if coarse is None:
            continue
        errors = [each.norm for each in given.errors]
        alike = _that_err_as_much(leaves, errors, _norms(coarse, given.made.expected))
        held = _that_vanish(reference, given.made, answers, kind, alike, errors)
        for leaf in _that_stay_scattered(reference, given.made, answers, kind, list(held)):
            return (
                f"output {leaf} errs by {errors[leaf]:.3g} in the norm where eager errs by "
                f"{given.eager[leaf].norm:.3g}, as much as with factors of products in {kind}, and by {held[leaf]:.3g} "
                "where inputs and weights have no more bits than that holds"
            )
    return ""


def _that_stay_scattered(
    reference: Reference, made: InputSet, answers: Answers, kind: str, leaves: list[int]
) -> list[int]:
    """Those of the leaves that do both also where numbers are by powers of two smaller. A difference of large numbers
    that are nearly the same is exact in float32 where they have few bits, but neither are they the same there, so that
    it errs by little, nor are their sums exact."""
    if not leaves:
        return []
    with _moved(reference, made, SCATTERED) as (row, which):
        exact, coarse = reference.exact_of(row, which), reference.exact_of(row, which, kind, FACTORS)
        eager = making.own_outputs(reference, which, row)
        if exact is None or coarse is None or eager is None:
            return []
        errors, its, foretold = (_norms(each, exact) for each in (answers(row, which), eager, coarse))
    worse = [leaf for leaf in leaves if errors[leaf] > beneath.WORSE * its[leaf]]
    alike = _that_err_as_much(worse, errors, foretold)
    return list(_that_vanish(reference, made, answers, kind + SCATTERED, alike, errors))


def _that_err_as_much(leaves: list[int], errors: list[float], foretold: list[float]) -> list[int]:
    least, most = _AS_MUCH
    return [leaf for leaf in leaves if least * foretold[leaf] <= errors[leaf] <= most * foretold[leaf]]


def _that_vanish(
    reference: Reference, made: InputSet, answers: Answers, how: str, leaves: list[int], errors: list[float]
) -> dict[int, float]:
    """Those of the leaves that err by far less than these where inputs and weights hold fewer bits, and by how much."""
    asked = _at(reference, made, answers, how) if leaves else None
    held = _norms(*asked) if asked else []
    return {leaf: held[leaf] for leaf in leaves if held and _LESS * held[leaf] < errors[leaf]}


def _norms(out: Sequence[torch.Tensor], exact: Sequence[torch.Tensor]) -> list[float]:
    return [errors.norm for errors in verify.compare_all(out, exact)]


def _may_be_float32(reference: Reference, given: Given, answers: Answers, leaf: int) -> bool:
    """Whether a leaf that errs the same next to nothing away, and otherwise farther, may do so without fewer bits: by
    a formula that is smooth, in a task that takes its values in steps, so that what follows is rounded the same, or
    because of what it adds to one."""
    made, out, own, errors, _ = given
    want, error = made.expected[leaf], errors[leaf].norm
    middle = _at(reference, made, answers, BETWEEN)
    if middle is None or _agreement(out[leaf], want, middle[0][leaf], middle[1][leaf]) >= _SMOOTH:
        return True
    beside_one = reference.exact_of(made.inputs, made.weights, BESIDE_ONE, ALL_RESULTS)
    if beside_one is None or error <= _OF_ONE * verify.compare(beside_one[leaf], want).norm:
        return True

    def eager(row: torch.Tensor, which: int) -> list[torch.Tensor]:
        return making.own_outputs(reference, which, row) or []

    has_numbers = any(leaf.is_continuous for leaf in reference.input_leaves)
    for _ in range(_TRIES):
        near = _at(reference, made, eager, NEAREST, of_weights=not has_numbers)
        if not (near and near[0]) or _agreement(own[leaf], want, near[0][leaf], near[1][leaf]) >= _ROUNDED_THE_SAME:
            return True
    return False


def _is_steady(reference: Reference, given: Given, answers: Answers, leaf: int) -> bool:
    """Whether a leaf errs the same next to nothing away nearly as often as it errs as much. What a few numbers tell,
    a deviation for each of three rows, has the same signs in one of some tries by chance."""
    found = []
    for _ in range(_MANY_TRIES):
        near = _at(reference, given.made, answers, NEAREST)
        if near is None:
            return False
        found.append(_agreement(given.out[leaf], given.made.expected[leaf], near[0][leaf], near[1][leaf]))
    alike = [each for each in found if each]  # none where the size is another
    same = sum(each >= _OTHER for each in alike)
    return 2 * len(alike) >= _MANY_TRIES and same >= _NEARLY_ALL * len(alike)


def _that_stay(reference: Reference, given: Given, answers: Answers, leaves: list[int]) -> list[int]:
    """Those of the leaves that err the same next to nothing away."""
    made, out = given.made, given.out
    for _ in range(_TRIES if leaves else 0):
        near = _at(reference, made, answers, NEAREST)
        if near is None:
            return []
        each = [(leaf, _agreement(out[leaf], made.expected[leaf], near[0][leaf], near[1][leaf])) for leaf in leaves]
        if same := [leaf for leaf, agreement in each if agreement >= _SAME]:
            return same
    return []


def _at(
    reference: Reference, made: InputSet, answers: Answers, how: str, *, of_weights: bool = True
) -> tuple[list[torch.Tensor], list[torch.Tensor]] | None:
    """The outputs of who `answers` and the oracle's, where inputs, and weights, are so far away; None where that cannot
    be asked."""
    with _moved(reference, made, how, of_weights=of_weights) as (row, which):
        exact = reference.exact_of(row, which)
        return None if exact is None else (answers(row, which), exact)


@contextlib.contextmanager
def _moved(
    reference: Reference, made: InputSet, how: str, *, of_weights: bool = True
) -> Iterator[tuple[torch.Tensor, int]]:
    """A row of inputs, and the index of weights in here, that are so far away, and as sorted or symmetric as they
    were."""
    row = made.inputs.to(reference.device, copy=True).view(reference.verify_arena.rows.dtype)
    for leaf in reference.leaves_of(row):
        if is_continuous(leaf):
            leaf.copy_(kept_as(leaf, moved_by(leaf, how)))
    which = made.weights
    if of_weights and reference.has_other_weights and not made.weights:
        which = reference.free_index
        reference.weights[which] = reference.save_weights(how)
    try:
        yield row, which
    finally:
        if which != made.weights:
            del reference.weights[which]


def _agreement(out: torch.Tensor, exact: torch.Tensor, other: torch.Tensor, its: torch.Tensor) -> float:
    moved = verify.wide(other) - verify.wide(its) + verify.wide(exact.to(other.device))
    return verify.agreement(out, exact, moved)
