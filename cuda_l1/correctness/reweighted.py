"""Input sets under other weights than a task's own: all of them together, extreme ones, and some tensors alone.

NOT covered: what these weights are (redrawn.py, parts.py), and sets under a task's own (preparation.py).
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable

import torch

from cuda_l1.correctness import digits, making, meaning, narrow, sets, slices, verify
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.sets import InputSet
from cuda_l1.correctness.side import Held
from cuda_l1.correctness.verify import WORST_ERROR
from cuda_l1.inputs import limits, operations
from cuda_l1.inputs.parts import ALIKE, ALIKE_COLUMNS, DEAD, FAR_OUT, FEW, FEWEST, MIXED, MOVED, OUTLYING, RELATED, THIN
from cuda_l1.inputs.redrawn import (
    ALONE,
    BOLDEST,
    CAUTIOUS,
    COUNTED,
    FREE,
    LARGE,
    LOOSE,
    NEGATIVE,
    NUDGED,
    NUMBERED,
    OPENED,
    REACHED,
    TRADED,
    WHOLE,
    WITH_ZEROS,
)
from cuda_l1.inputs.rounding import EITHER_SIDE
from cuda_l1.inputs.squares import ALIGNED, ORTHOGONAL, is_square
from cuda_l1.machine import room
from cuda_l1.types import Finding

_MOST_KEPT = 8
"""Tensors that are tried as the one that stays as it is."""
_TRIES = 3
"""Draws of weights under which a recurrence remembers, until the reference errs by little under some."""
_SPARSE = ((FEWEST, THIN), (THIN, FEW), (FEWEST, THIN), (THIN, FEW))
"""Under which weights of one tensor, of another one where there are several, that are others in few places sets are
made: the first of each that tells."""
_OF_FAR_OUT = 0.1
"""Of what passes: more the reference may not err by where a row of weights is far out."""
_CHANGED = re.compile("float|complex|bool|int8")
"""Kinds of weights that others have other values of."""
_MOST_ASKED = 64
"""Draws until it is known which tensors may not be bold, or say nothing: of so many half are asked alone."""
Asked = tuple[list[str], tuple[str, ...], int]


def make_heavy(ref: Reference, number: int) -> InputSet | None:
    """The set under other weights, the boldest that the reference is meant for; shares that must sum to one may be the
    only ones that can but be mixed."""
    names = [name for name, _, _ in ref.state]
    kept = ref.random.sample(names, min(_MOST_KEPT, len(names))) if len(names) > 1 else []
    hows: list[tuple[str, tuple[str, ...]]] = [(how, ()) for how in WHOLE]
    tame: tuple[InputSet, tuple[str, tuple[str, ...]], Held] | None = None
    for how, but in [*hows, *((how, (name,)) for how in (*MIXED, CAUTIOUS) for name in kept)]:
        ref.weights[1], ref.others = ref.save_weights(how, but), (how, but)
        made = making.make_set(ref, number, "own", 1)
        if made and _says_more(ref):
            if but and how == CAUTIOUS:
                detail = f"{but[0]} stays as it is under all others that the reference is sound under"
                ref.notes.append(Finding(check="weights", detail=detail))
            return made
        held = ref.weights.pop(1)
        if made and not tame:
            tame = made, (how, but), held
    if tame:
        made, ref.others, ref.weights[1] = tame
        detail = "outputs are the same under all others that were tried: who folds them once is not seen"
        ref.notes.append(Finding(check="weights", detail=detail))
        return made
    ref.has_other_weights = False
    detail = "the reference is not sound under any others that were tried: who folds them once is not seen"
    ref.notes.append(Finding(check="weights", detail=detail))
    return None


def _says_more(ref: Reference) -> bool:
    """Whether outputs under the other weights are others: not so for a multiple of what is divided by its norm."""
    first, out = ref.sets[0], making.own_outputs(ref, 1)
    return out is None or not verify.all_hold([bound.beside(ref.error) for bound in first.bounds], out, first.expected)


def make_extreme(ref: Reference, number: int, *, are_few: bool) -> None:
    """Sets under extreme weights, unless the reference errs under them by more than passes anyway: for a recurrence
    other such are drawn then. Where there are to be few, `sets.FEW_EXTREME` by chance of those that are for limits. No
    negative ones where TF32 is allowed: who cuts bits off errs one way, which sums of one sign add up."""
    recurs, ranks = operations.recurs(ref.text), operations.ranks(ref.text, ref.output_leaves)
    may_settle = _may_settle(ref)
    left = 0 if ref.state_nbytes > room.LENT_BYTES else sets.FEW_EXTREME if are_few else len(sets.EXTREME)
    has_square = any(is_square(shape) for _, shape, _ in ref.state)
    unasked = {*(() if has_square else (ALIGNED, ORTHOGONAL)), *((NEGATIVE,) if ref.precision == "tf32" else ())}
    kinds = [which for which in sets.EXTREME if sets.WEIGHTS[which] not in unasked]
    for which in ref.random.sample(kinds, len(kinds)):
        is_for_recurrences = recurs and sets.WEIGHTS[which] in sets.FOR_RECURRENCES
        is_drawn = left and may_settle and (sets.WEIGHTS[which] in sets.FOR_LIMITS or not are_few)
        if not is_for_recurrences and not (is_drawn and operations.reaches(ref.text, sets.WEIGHTS[which])):
            continue
        for _ in range(_TRIES if is_for_recurrences else 1):
            ref.weights[which] = ref.save_weights(sets.WEIGHTS[which], _not_enlarged(ref, sets.WEIGHTS[which]))
            made = making.make_set(ref, number, sets.EXTREME[which], which)
            if made and not is_for_recurrences and ranks:
                made = making.where_settled(ref, made)
            if made:
                ref.sets.append(made)
                ref.extreme += [which] if is_for_recurrences or not ranks else []  # a race's draws may have ties
                number, left = number + 1, left - (not is_for_recurrences)
                break
            del ref.weights[which]


def _may_settle(ref: Reference) -> bool:
    """Whether what a task chooses, if it ranks, may be asked for under such weights."""
    return not operations.ranks(ref.text, ref.output_leaves) or sets.may_settle(ref.output_leaves, ref.text)


def _not_enlarged(ref: Reference, how: str) -> list[str]:
    """What a recurrence takes for logarithms, under large weights: rates of e^64 say nothing of a limit, and beside a
    step at such a rate float32 holds none of the others of a running sum."""
    is_meant = how == LARGE and operations.recurs(ref.text)
    logarithms = operations.are_logarithms(ref.text) if is_meant else set()
    return [name for name, _, _ in ref.state if name.rpartition(".")[2] in logarithms]


def make_parts(ref: Reference, number: int, *, are_few: bool) -> None:
    """Sets on the first one's inputs, under its own weights but for some tensors: the boldest that these may be, for
    what is no weight of theirs may be why all weights together are tamer. And some where what begins closed is open,
    for a gate of zero hides all that lies behind it."""
    changed = [name for name, shape, dtype in ref.state if _CHANGED.search(dtype) or _may_be_flag(name, shape)]
    for asked in [*_bold(ref, changed, are_few=are_few), *_sparse_and_far_out(ref, changed, are_few=are_few)]:
        if made := _first(ref, number, asked):
            ref.parts.append(made)
            number += 1
    if opened := _opened(ref, number):
        ref.parts.append(opened)
        _make_behind(ref, opened, changed, are_few=are_few)


def _make_behind(ref: Reference, opened: InputSet, changed: list[str], *, are_few: bool) -> None:
    """Sets under other values of what was hidden, from where that set opened what hid it: all else is met under its own
    weights. Where nothing was, for a bias by another name hides nothing, one of all."""
    beside = [name for name in changed if name not in ref.weights[opened.weights].names]
    hidden = beside if are_few else _hidden(ref, beside)
    if hidden:
        others = [
            asked
            for asked in _sparse_and_far_out(ref, hidden, are_few=are_few)
            if not asked[2] or asked[1][0] in REACHED
        ]
        others = [asked for asked in others if not set(hidden).isdisjoint(asked[0])]
        every = [*_bold(ref, hidden, are_few=are_few), *ref.random.sample(others, len(others))]
    else:
        every = _bold(ref, changed, are_few=True)
    left = sets.FEW_OTHERS if are_few else sets.MOST_OPENED
    for asked in every:
        if left and (made := _first(ref, ref.parts[-1].number + 1, asked, opened)):
            ref.parts.append(made)
            left -= 1


def _hidden(ref: Reference, names: list[str]) -> list[str]:
    """Those that outputs say nothing of, or may say nothing of, for nobody asked."""
    bounds, expected = ref.timed_bounds("own"), ref.sets[0].expected

    def are_silent(some: list[str]) -> bool:
        out = _outputs_where(ref, CAUTIOUS, some)
        return out is not None and verify.all_hold(bounds, out, expected)

    visible = _alone(names, are_silent)[0]
    return [name for name in names if name not in visible]


def _may_be_flag(name: str, shape: list[int]) -> bool:
    """Whether it may be, of wide integers, which are places or counts where they are several."""
    return math.prod(shape) == 1 and not name.endswith("num_batches_tracked")


def _bold(ref: Reference, names: list[str], *, are_few: bool) -> list[Asked]:
    """Which tensors are others in which of several ways, the boldest first, and under which seed."""
    boldest = ALONE if operations.keeps_order(ref.text) else FREE
    tame = (ref.others[0], CAUTIOUS)
    delicate = set[str]() if are_few or len(names) <= sets.SEVERAL else _delicate(ref, names, boldest)
    found: list[Asked] = []
    for some in sets.parts(names, ref.random)[: 1 if are_few else sets.PARTS]:
        sturdy = [name for name in some if name not in delicate]
        if sturdy and len(sturdy) < len(some):
            found.append((some, _each((*tame,)), 0))
        found.append((sturdy or some, _each((boldest, *((LOOSE,) if boldest == FREE else ()), BOLDEST, *tame)), 0))
    return found


def _each(hows: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(hows))


def _delicate(ref: Reference, names: list[str], how: str) -> set[str]:
    """Those that may not be as bold, each by itself or with a few others, as what a logarithm is taken of: beside one
    nothing else would be bold either."""

    def bears(some: list[str]) -> bool:
        out = _outputs_where(ref, how, some)
        return out is not None and meaning.are_meant(out, ref.sets)

    return set[str]().union(*_alone(names, bears))


def _outputs_where(ref: Reference, how: str, names: list[str]) -> list[torch.Tensor] | None:
    """Its outputs on the first set where these alone are others."""
    which = ref.free_index
    ref.weights[which] = ref.save_weights(how, (), names)
    out = making.own_outputs(ref, which)
    del ref.weights[which]
    return out


def _alone(names: list[str], holds: Callable[[list[str]], bool]) -> tuple[set[str], set[str]]:
    """Those of which it does not hold alone, and those of which nobody knows after so many questions: it is asked of
    all at once, and of each half of those of which it does not hold."""
    found, asked = set[str](), [names] if names else []
    for _ in range(_MOST_ASKED):
        if not asked:
            break
        some = asked.pop()
        if holds(some):
            continue
        if len(some) == 1:
            found |= {*some}
        else:
            asked += [some[: len(some) // 2], some[len(some) // 2 :]]
    return found, set[str]().union(*asked)


def _first(ref: Reference, number: int, asked: Asked, after: InputSet | None = None) -> InputSet | None:
    """Of the ways that are asked for the first that a task bears."""
    names, hows, under = asked
    return next(filter(None, (_make_part(ref, number, how, names, under, after) for how in hows)), None)


def _opened(ref: Reference, number: int) -> InputSet | None:
    """The set under its own weights but that gates, adapters and flags that begin closed are open; None where there are
    none, or the task does not bear that."""
    names = [name for name, _, _ in ref.state]
    if not names or ref.state_nbytes > room.LENT_BYTES:
        return None
    made = _make_part(ref, number, OPENED, names, 0)
    if made is None:
        return None
    return made._replace(watched=[slices.none_of(leaf) for leaf in made.expected])


def _sparse_and_far_out(ref: Reference, names: list[str], *, are_few: bool) -> list[Asked]:
    """Which tensors are others in few places, how, and under which seed (see `parts.in_part`), and which are otherwise
    as they hardly ever are."""
    if not names or ref.state_nbytes > room.LENT_BYTES:
        return []
    seed, each = ref.draw_seed() & ~3, ref.random.sample(names, len(names))
    sparse = [([each[index % len(each)]], hows, seed + index) for index, hows in enumerate(_SPARSE)]
    others = [
        (names, (NUDGED,)),
        (names, DEAD),
        (names, (COUNTED,)),
        *_numbered(ref, names),
        *((names, (how,)) for how in TRADED),
        *_far_out(ref),
        *_moved(ref),
        *_related(ref),
    ]
    rare: list[Asked] = [*((*other, 0) for other in others), *_reached(ref)]
    if are_few:
        sparse, rare = sparse[:1], ref.random.sample(rare, min(sets.FEW_OTHERS, len(rare)))
    return [(names, (FEW, FEWEST), seed + 1), *sparse, *rare]


def _far_out(ref: Reference) -> list[tuple[list[str], tuple[str, ...]]]:
    """Of some of its matrices a row, and of each all rows alike, where a task may bear that."""
    names = [name for name, shape, dtype in ref.state if len(shape) > 1 and shape[0] > 1 and dtype == "float32"]
    is_relaxed = ref.precision != ref.task.precision  # TF32 may err by more than the reference's own algorithm says
    if is_relaxed or not _may_settle(ref):
        return []
    bears = {OUTLYING: operations.may_lie_far_out(ref.text), ALIKE: not operations.keeps_order(ref.text)}
    bears[ALIKE_COLUMNS] = bears[ALIKE]
    some = ref.random.sample(names, min(sets.MOST_FAR_OUT, len(names)))
    logarithms = operations.are_logarithms(ref.text)
    return [
        ([name], (how,)) for how, may in bears.items() for name in some
        if may and not (how == OUTLYING and name.rpartition(".")[2] in logarithms)
    ]  # fmt: skip


def _moved(ref: Reference) -> list[tuple[list[str], tuple[str, ...]]]:
    """Its single numbers, where a text has limits that large weights would reach, and does not bear these."""
    names = [name for name, shape, dtype in ref.state if math.prod(shape) == 1 and dtype == "float32"]
    is_asked = limits.limits_sizes(ref.text) and not operations.recurs(ref.text)
    is_reached = operations.reaches(ref.text, LARGE)
    return [(names, (how,)) for how in MOVED] if names and is_asked and not is_reached else []


def _reached(ref: Reference) -> list[Asked]:
    """What counts calls, at each of a few numbers that the text asks for: a schedule is elsewhere after thousands."""
    single = [name for name, shape, _ in ref.watched_state if math.prod(shape) == 1 and name in ref.changes]
    numbers = {name: len(said) for name in single if (said := ref.said["counts"].get(name.rpartition(".")[2]))}
    seed, many = ref.draw_seed(), min(max(numbers.values(), default=0), sets.SEVERAL)
    return [([*numbers], (how,), seed + index) for index in range(many) for how in REACHED]


def _numbered(ref: Reference, names: list[str]) -> list[tuple[list[str], tuple[str]]]:
    """Those that may be one whole number, apart from all else: what counts may be as many at once, and no size may."""
    single = {name for name, shape, dtype in ref.state if dtype in ("int64", "int32") and _may_be_flag(name, shape)}
    return [([name], (NUMBERED,)) for name in names if name in single][: sets.SEVERAL]


def _related(ref: Reference) -> list[tuple[list[str], tuple[str, ...]]]:
    """Its matrices of which another one has the shape: as they are drawn they have nothing to do with one another."""
    shapes = [shape for _, shape, _ in ref.state]
    names = [name for name, shape, _ in ref.state if len(shape) > 1 and shapes.count(shape) > 1]
    return [(names, (RELATED,))] if names else []


def _make_part(
    ref: Reference, number: int, how: str, names: list[str], under: int, after: InputSet | None = None
) -> InputSet | None:
    """One of them, its others those of the set `after` which it comes; None for what the reference is not meant for, or
    errs under by more than under its own weights."""
    before = after or ref.sets[0]
    which, inputs, expected = ref.free_index, before.inputs, before.expected
    if how in FAR_OUT:  # who knows the first set's by then takes care there
        inputs = ref.kept(making.drawn(ref, "own").clone())
        out = making.own_outputs(ref, before.weights, inputs)
        if out is None:
            return None
        expected = out
    with ref.under(before.weights):
        held = ref.save_weights(how, ref.others[1] if how == ref.others[0] else (), names, under)
    if not held.names:
        return None
    ref.weights[which] = _together(ref, ref.weights[after.weights], held) if after else held
    bounds = ref.timed_bounds("own")
    with ref.under(which):
        made = _sound(ref, InputSet("own", number, which, inputs, expected, bounds, after=after), how)
    if made is None:
        del ref.weights[which]
    return made


def _together(ref: Reference, first: Held, then: Held) -> Held:
    """What is other in one of the two, and in both as in the second."""
    layout, row = ref.weights_arena.layout, then.row.clone()
    blocks = row.view(torch.uint8).view(-1), first.row.view(torch.uint8).view(-1)
    for leaf, (begin, *_), (name, *_) in zip(layout.inputs, layout.columns(), ref.state, strict=True):
        if name in first.names and name not in then.names:
            mine, its = (leaf.view(block, begin) for block in blocks)
            mine.copy_(its)
    return Held(row, [name for name, _, _ in ref.state if name in {*first.names, *then.names}], is_part=True)


def _sound(ref: Reference, drawn: InputSet, how: str) -> InputSet | None:
    """A set on which the outputs are other than what is expected of it under the task's own weights, as they are; None
    where they are not, or the reference errs by too much."""
    out = making.own_outputs(ref, drawn.weights, drawn.inputs)
    if out is None or not meaning.are_meant(out, ref.sets) or verify.all_hold(drawn.bounds, out, drawn.expected):
        return None
    is_asked = how != ref.others[0] and ref.has_oracle
    exact = ref.exact_of(drawn.inputs, drawn.weights) if is_asked else None
    share = _OF_FAR_OUT if how in FAR_OUT else 1 / 3  # a candidate errs too
    strict = [verify.Bound(share * bound.norm, share * bound.element) for bound in ref.bounds]
    made = drawn._replace(expected=list(map(ref.kept, out)))
    if is_asked and not (
        exact is not None
        and verify.hold_but_for_edges(strict, out, exact)
        and (how not in FAR_OUT or digits.bear_rounding(ref, made, exact))
        and not (how in WITH_ZEROS and making.divides_by_zero(ref, made, exact))
    ):
        return None
    if (
        how in (*FAR_OUT, *DEAD, FREE)
        and operations.ranks(ref.text, ref.output_leaves)
        and not making.is_settled(ref, made)
    ):
        return None
    return _undecided(ref, made, out)


def _undecided(ref: Reference, made: InputSet, out: list[torch.Tensor]) -> InputSet | None:
    """It with what 16-bit roundings leave undecided there; None where that is too much."""
    ask = functools.partial(ref.exact_of, made.inputs, made.weights, "", EITHER_SIDE)
    least = narrow.allowed(ref, out, ask)
    bounds = narrow.widened(made.bounds, least)
    return made._replace(bounds=bounds) if all(each.norm <= WORST_ERROR for each in least) else None
