"""What a session asks the reference before any candidate comes: input sets with what must come of them, what timed
outputs may differ by on each distribution, whether there are other weights, and whether the task is sound.

NOT covered: how the reference is asked (reference.py), and which distributions there are (sets.py, distributions.py).
"""

from __future__ import annotations

import functools
import itertools
import re
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

import torch

from cuda_l1.judge import making, narrow, refusals, sets, traits, verify
from cuda_l1.judge.asks import names_of
from cuda_l1.judge.distributions import SPECIAL, of_input, split_kind
from cuda_l1.judge.fills import ENDS, FILLED, FILLS, STARTS
from cuda_l1.judge.link import RefusalError
from cuda_l1.judge.looks import Looks, heads_of, look
from cuda_l1.judge.parts import ALIKE, ALIKE_COLUMNS, FAR_OUT, FEW, FEWEST, OUTLYING, RELATED, THIN
from cuda_l1.judge.redrawn import ALONE, BOLDEST, CAUTIOUS, FAR, FREE, MIXED, NUDGED, STEEP, WHOLE, WITH_ZEROS
from cuda_l1.judge.sets import InputSet
from cuda_l1.judge.side import Held
from cuda_l1.judge.values import EITHER_SIDE, FACTORS
from cuda_l1.judge.verify import WORST_ERROR
from cuda_l1.types import Finding, Precision

if TYPE_CHECKING:
    from cuda_l1.judge.reference import Reference

_FAR_BESIDE = 8
"""Beside so many sets that have room there is room for one more."""
_MOST_KEPT = 8
"""Tensors that are tried as the one that stays as it is."""
_TRIES = 3
"""Draws of weights under which a recurrence remembers, until the reference errs by little under some."""
_SPARSE = ((FEWEST, THIN), (THIN, FEW), (FEWEST, THIN), (THIN, FEW))
"""Under which weights of one tensor, of another one where there are several, that are others in few places sets are
made: the first of each that tells."""
_MOST_FAR_OUT = 4
"""Matrices of which a row is, or many rows are the same: who counts on one may count on chance."""
_OF_FAR_OUT = 0.1
"""Of what passes: more the reference may not err by where a row of weights is far out."""
_ROUNDS: dict[Precision, str] = {"tf32": "float16 or TF32", "fp16": "float16 or TF32", "bf16": "bfloat16"}
"""What factors may be rounded to under a contract that the reference's own code need not use."""
_CHANGED = re.compile("float|complex|bool|int8")
"""Kinds of weights that others have other values of."""
_LOOKS, _FEW_BYTES = 16, 1 << 16
"""So many draws are looked at where the inputs of one are so few."""
_MEET_S = 2.0
"""For distributions of which no set is kept."""


def prepare(ref: Reference, kinds: list[str], large: list[str]) -> None:
    """Make sets of these kinds, and meet those too large for one. TaskError for a reference without one answer."""
    if ref.extra:
        said = f"{', '.join(ref.extra[:4])} of its state cannot be given other values: no candidate wins here"
        ref.notes.append(Finding(check="weights", detail=said))
    for number, kind in enumerate(kinds):
        if kind == "own":
            own = _make_heavy(ref, number) if number == ref.own_sets else making.make_set(ref, number, kind)
            ref.sets += [own] if own is not None else []
        else:
            made = _make_of(ref, number, kind)
            ref.sets += made[:1] if large else made  # the others come in races
    if ref.precision == "tf32" and ref.has_oracle and ref.room.keeps and not ref.noise:
        _make_far(ref, len(kinds) + len(sets.EXTREME), large)
    ref.bounds = [verify.widest([s.bounds[i] for s in ref.sets if s.kind == "own"])
                   for i in range(len(ref.output_leaves))]  # fmt: skip
    if ref.room.keeps and not large:
        error = ref.error  # of what candidates are verified on
        later = (making.make_set(ref, len(kinds) + each, "own") for each in range(sets.LATER))
        ref.later = [made for made in later if made]
        ref.error = error
    if ref.has_other_weights and not (ref.noise or large):
        _make_extreme(ref, len(kinds))
    if ref.has_other_weights and not (ref.noise or ref.degenerate):  # under some all that is left is rounding
        _make_parts(
            ref, len(kinds) + len(sets.EXTREME), 1 if large or ref.state_nbytes > sets.PARTS_BYTES else sets.PARTS
        )
    ref.writable = _writable(ref)
    _meet(ref, large, len(kinds))
    if ref.has_other_weights:
        drop_refused(ref, 1, ((kind, making.drawn(ref, kind)) for kind in list(ref.other_bounds)))
    ref.verify_arena.rows[0].copy_(ref.sets[0].inputs)


def _make_far(ref: Reference, number: int, large: list[str]) -> None:
    """A set far out, where one is meant: beside the others, or in the place of the last where few have room, which is
    too `large` then and comes in races."""
    has_room = not large or len(ref.sets) > _FAR_BESIDE
    given_up = [ref.sets.pop()] if not has_room and ref.sets[-1].kind != "own" else []
    far = making.make_far(ref, number)
    ref.sets += given_up if far is None else [far]
    large += [] if far is None else [each.kind for each in given_up]


def looks(ref: Reference) -> Looks:
    """What its inputs are by the look of two draws, and of more where they are few numbers, which are alike by
    chance. The last one lies in its slot."""
    is_few = ref.verify_layout.input_slot_nbytes <= _FEW_BYTES
    before = heads_of(ref.leaves_of(making.drawn(ref, "own")))
    drawn, *others = [
        ref.leaves_of(making.drawn(ref, "own").clone() if is_few else making.drawn(ref, "own"))
        for _ in range(_LOOKS if is_few else 1)
    ]
    called = zip(names_of(ref.text, len(ref.order)), ref.order, strict=True)
    names = [name for name, (is_tensor, _) in called if is_tensor]
    return look(drawn, names, ref.text, [*ref.init, *ref.constants], before, others)


def drop_refused(ref: Reference, weights: int, rows: Iterable[tuple[str, torch.Tensor]]) -> bool:
    """Have races draw no more of a distribution on one of whose `rows` (inputs of that kind) the reference raises under
    the weights of that index. Whether there is one."""
    before = len(ref.other_bounds)
    with ref.under(weights):
        for kind, row in rows:
            ref.verify_arena.rows[0].copy_(row)
            try:
                ref.run("verify", [0], ref.config.build_timeout_s)
            except RefusalError as refusal:
                if refusals.is_for_memory(refusal):
                    raise
                ref.other_bounds.pop(kind, None)
    ref.verify_arena.rows[0].copy_(ref.sets[0].inputs)
    return len(ref.other_bounds) < before


def _make_heavy(ref: Reference, number: int) -> InputSet | None:
    """The set under other weights, the boldest that the reference is meant for; shares that must sum to one may be the
    only ones that can but be mixed."""
    names = [name for name, _, _ in ref.state]
    kept = ref.random.sample(names, min(_MOST_KEPT, len(names))) if len(names) > 1 else []
    hows = [(how, "") for how in WHOLE]
    tame: tuple[InputSet, tuple[str, str], Held] | None = None
    for how, but in [*hows, *((how, name) for how in (*MIXED, CAUTIOUS) for name in kept)]:
        ref.weights[1], ref.others = ref.save_weights(how, but), (how, but)
        made = making.make_set(ref, number, "own", 1)
        if made and _says_more(ref):
            if but and how == CAUTIOUS:
                detail = f"{but} stays as it is under all others that the reference is sound under"
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
    return out is None or not making.all_hold([bound.beside(ref.error) for bound in first.bounds], out, first.expected)


def _make_of(ref: Reference, number: int, kind: str) -> list[InputSet]:
    """Sets of a distribution: of all inputs, or of some alone, which another's domain is no reason against, or of what
    is tried instead. Inputs that are equal as they are drawn are not, where one is negated."""

    def whole() -> list[InputSet]:
        made = making.make_set(ref, number, kind)
        return [made] if made else []

    alone = functools.partial(_make_alone, ref, number, kind)
    found = alone() or whole() if kind == "negated" else whole() or alone()
    tried = sets.instead(kind, are_ranked=sets.ranks(ref.text, ref.output_leaves))
    if found and (not tried or _tells(ref, found[0])):
        return found
    if split_kind(kind)[0] == FILLED and _is_mask(ref, number, kind):
        return found
    return found + [made for other in tried if (made := making.make_set(ref, number, other))]


def _is_mask(ref: Reference, number: int, kind: str) -> bool:
    """Whether what is filled by that kind may hide something: from a row's beginning, or up to its end, for all of it
    may not be hidden. Of several inputs each is asked alone."""
    if len(ref.looks.trivial) > 1 and split_kind(kind)[1] is None:
        return True
    made = (making.make_set(ref, number, kind.replace(FILLED, other)) for other in (STARTS, ENDS))
    return any(each is not None and _tells(ref, each) for each in made)


def _tells(ref: Reference, made: InputSet) -> bool:
    """Whether the reference's outputs on a set hang on what was filled in it: not so where zero counts as one. Of other
    kinds all do."""
    if split_kind(made.kind)[0] not in FILLS:
        return True
    row = made.inputs.to(ref.device, copy=True)
    for leaf, own in zip(ref.leaves_of(row), ref.leaves_of(ref.sets[0].inputs.to(ref.device)), strict=True):
        if traits.is_partly_trivial(own):
            leaf.copy_(own)
    out = making.own_outputs(ref, 0, row)
    return out is None or not making.all_hold(made.bounds, out, made.expected)


def _make_alone(ref: Reference, number: int, kind: str) -> list[InputSet]:
    """A set on which one input alone is of a distribution that all of them may not be of; of signs one for each."""
    several = [index for index, leaf in enumerate(ref.input_leaves) if leaf.torch_dtype.is_floating_point]
    several = [index for index in several if index not in ref.looks.masks]
    if kind in (*SPECIAL, *FILLS) or split_kind(kind)[1] is not None or len(several) < 2:
        return []
    tried = (making.make_set(ref, number, of_input(kind, index)) for index in ref.random.sample(several, len(several)))
    return list(itertools.islice(filter(None, tried), sets.SEVERAL if kind == "signs" else 1))


def _make_extreme(ref: Reference, number: int) -> None:
    """Sets under extreme weights, unless the reference errs under them by more than passes anyway: for a recurrence
    other such are drawn then."""
    recurs, ranks = sets.recurs(ref.text), sets.ranks(ref.text, ref.output_leaves)
    is_small, may_settle = ref.state_nbytes <= sets.EXTREME_BYTES, not ranks or sets.may_settle(ref.output_leaves)
    for which, kind in sets.EXTREME.items():
        is_for_recurrences = recurs and sets.WEIGHTS[which] in (FAR, STEEP)
        may = is_small and may_settle and sets.reaches(ref.text, sets.WEIGHTS[which])
        if not (is_for_recurrences or may):
            continue
        for _ in range(_TRIES if is_for_recurrences else 1):
            ref.weights[which] = ref.save_weights(sets.WEIGHTS[which])
            made = making.make_set(ref, number, kind, which)
            if made and (is_for_recurrences or not ranks or making.is_settled(ref, made)):
                ref.sets.append(made)
                ref.extreme.append(which)
                number += 1
                break
            del ref.weights[which]


def _make_parts(ref: Reference, number: int, most: int) -> None:
    """Sets on the first one's inputs, under its own weights but for some tensors: the boldest that these may be, for
    what is no weight of theirs may be why all weights together are tamer."""
    names = [name for name, _, dtype in ref.state if _CHANGED.search(dtype)]
    boldest = ALONE if sets.keeps_order(ref.text) else FREE
    for some in sets.parts(names, ref.random)[:most]:
        for how in dict.fromkeys((boldest, BOLDEST, ref.others[0])):
            made = _make_part(ref, number, how, some)
            if made:
                ref.parts.append(made)
                number += 1
                break
    if not names or most == 1:
        return
    seed, each = ref.draw_seed() & ~3, ref.random.sample(names, len(names))  # see `in_part` for what seeds say
    sparse = [([each[index % len(each)]], hows, seed + index) for index, hows in enumerate(_SPARSE)]
    others = [(names, (NUDGED,)), *_far_out(ref), *_related(ref)]
    for some, hows, under in [(names, (FEW, FEWEST), seed + 1), *sparse, *((*other, 0) for other in others)]:
        made = next(filter(None, (_make_part(ref, number, how, some, under) for how in hows)), None)
        if made:
            ref.parts.append(made)
            number += 1


def _far_out(ref: Reference) -> list[tuple[list[str], tuple[str, ...]]]:
    """Of some of its matrices a row, and of each all rows alike, where a task may bear that."""
    names = [name for name, shape, dtype in ref.state if len(shape) > 1 and shape[0] > 1 and dtype == "float32"]
    is_relaxed = ref.precision != ref.task.precision  # TF32 may err by more than the reference's own algorithm says
    if is_relaxed or (sets.ranks(ref.text, ref.output_leaves) and not sets.may_settle(ref.output_leaves)):
        return []
    bears = {OUTLYING: sets.may_lie_far_out(ref.text), ALIKE: not sets.keeps_order(ref.text)}
    bears[ALIKE_COLUMNS] = bears[ALIKE]
    some = ref.random.sample(names, min(_MOST_FAR_OUT, len(names)))
    logarithms = sets.are_logarithms(ref.text)
    return [
        ([name], (how,)) for how, may in bears.items() for name in some
        if may and not (how == OUTLYING and name.rpartition(".")[2] in logarithms)
    ]  # fmt: skip


def _related(ref: Reference) -> list[tuple[list[str], tuple[str, ...]]]:
    """Its matrices of which another one has the shape: as they are drawn they have nothing to do with one another."""
    shapes = [shape for _, shape, _ in ref.state]
    names = [name for name, shape, _ in ref.state if len(shape) > 1 and shapes.count(shape) > 1]
    return [(names, (RELATED,))] if names else []


def _make_part(ref: Reference, number: int, how: str, names: list[str], under: int = 0) -> InputSet | None:
    """One of them; None for what the reference is not meant for, or errs under by more than under its own weights."""
    first, bounds = ref.sets[0], ref.timed_bounds("own")
    which = ref.free_index
    ref.weights[which] = ref.save_weights(how, ref.others[1] if how == ref.others[0] else "", names, under)
    inputs, expected = first.inputs, first.expected
    if how in FAR_OUT:  # who knows the first set's by then takes care there
        inputs = ref.kept(making.drawn(ref, "own").clone())
        expected = making.own_outputs(ref, 0, inputs) or expected
    with ref.under(which):
        made = _sound(ref, InputSet("own", number, which, inputs, expected, bounds), how)
    if made is None:
        del ref.weights[which]
    return made


def _sound(ref: Reference, drawn: InputSet, how: str) -> InputSet | None:
    """A set on which the outputs are other than what is expected of it under the task's own weights, as they are; None
    where they are not, or the reference errs by too much."""
    out = making.own_outputs(ref, drawn.weights, drawn.inputs)
    if out is None or not sets.are_meant(out, drawn.expected) or making.all_hold(drawn.bounds, out, drawn.expected):
        return None
    exact = ref.exact_of(drawn.inputs, drawn.weights) if how != ref.others[0] and ref.has_oracle else None
    share = _OF_FAR_OUT if how in FAR_OUT else 1 / 3  # a candidate errs too
    strict = [verify.Bound(share * bound.norm, share * bound.element) for bound in ref.bounds]
    made = drawn._replace(expected=list(map(ref.kept, out)))
    if exact is not None and not (
        making.hold_but_for_edges(strict, out, exact)
        and _bears_rounding(ref, made, how, exact)
        and not (how in WITH_ZEROS and making.divides_by_zero(ref, made, exact))
    ):
        return None
    if how in FAR_OUT and sets.ranks(ref.text, ref.output_leaves) and not making.is_settled(ref, made):
        return None
    return _undecided(ref, made, out)


def _undecided(ref: Reference, made: InputSet, out: list[torch.Tensor]) -> InputSet | None:
    """It with what 16-bit roundings leave undecided there; None where that is too much."""
    ask = functools.partial(ref.exact_of, made.inputs, made.weights, "", EITHER_SIDE)
    least = narrow.allowed(ref, out, ask)
    bounds = narrow.widened(made.bounds, least)
    return made._replace(bounds=bounds) if all(each.norm <= WORST_ERROR for each in least) else None


def _bears_rounding(ref: Reference, made: InputSet, how: str, exact: list[torch.Tensor]) -> bool:
    """Whether who rounds as the contract allows passes with room, where a row is far out or many are alike: sums of the
    row's products may cancel, and the reference's own code, which rounds less, does not show what is left then."""
    kind = _ROUNDS.get(ref.precision)
    rounded = ref.rounded(made, kind, FACTORS) if kind and how in FAR_OUT else None
    half = [verify.Bound(bound.norm / 2, bound.element / 2) for bound in ref.bounds]
    return rounded is None or making.all_hold(half, rounded, exact)


def _writable(ref: Reference) -> list[int]:
    """Outputs that somebody may write to, and the others, and the next ones, are right all the same: no weight that is
    returned, and no view. Of many some may be told by none that is not."""
    every = list(range(len(ref.output_leaves)))
    if len(every) > sets.ONE_BY_ONE:
        if _are_writable(ref, every):
            return every
        every = ref.random.sample(every, sets.ONE_BY_ONE)
    return [leaf for leaf in every if _are_writable(ref, [leaf])]


def _are_writable(ref: Reference, leaves: list[int]) -> bool:
    """Asked by two calls in one slot, whose inputs the first may have changed."""
    row, first = ref.verify_arena.rows[0], ref.sets[0]

    def is_right(position: int, expected: list[torch.Tensor]) -> bool:
        return making.all_hold(ref.timed_bounds("own"), list(ref.verify_arena.output(position)), expected)

    row.copy_(first.inputs)
    try:
        expected = first.expected
        if ref.mutates_inputs:
            ref.run("verify", [0, 0], ref.config.build_timeout_s)
            expected = [leaf.clone() for leaf in ref.verify_arena.output(1)]
            row.copy_(first.inputs)
        ref.run("verify", [0, 0], ref.config.build_timeout_s, writes=leaves)
        if not is_right(1, expected):
            return False
        row.copy_(first.inputs)
        ref.run("verify", [0], ref.config.build_timeout_s)
        return is_right(0, first.expected)
    except RefusalError as refusal:
        if refusals.is_for_memory(refusal):
            raise
        return False
    finally:
        if ref.state:
            ref.load_weights(0)


def _meet(ref: Reference, large: list[str], number: int) -> None:
    """Learn what timed outputs may differ by on distributions that no set is kept of: candidates meet them in races
    alone. As many, in a drawn order after signs, which say most, as a few seconds allow, and none where edges cannot be
    told from errors."""
    until = _clock(ref) + (_MEET_S if ref.room.keeps else 0.0)
    for kind in sorted(ref.random.sample(large, len(large)), key=lambda kind: kind != "signs"):
        if sets.is_promised(kind, ref.text) and _clock(ref) < until:
            making.make_set(ref, number, kind, stays=False)
    if large:
        met = [kind for kind in large if kind in ref.other_bounds]
        left = [kind for kind in large if kind not in met]
        said = [f"too large to verify on {', '.join(large)}"]
        said += [f"met while timed: {', '.join(met)}"] if met else []
        said += [f"not tried, or the reference is not meant for it: {', '.join(left)}"] if left else []
        ref.notes.append(Finding(check="distributions", detail="; ".join(said)))


def _clock(ref: Reference) -> float:
    """Seconds, without those in which others had the device."""
    return time.monotonic() - ref.lease.gave_way_s
