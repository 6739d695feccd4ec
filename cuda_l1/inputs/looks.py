"""What the inputs of a task are by the look of some draws: which say nothing, which say what another one says, counts,
positions, masks. Pure.

NOT covered: what is made of each (distributions.py), and which distributions come of it (sets.py).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import torch
from torch.utils._pytree import tree_leaves

from cuda_l1.inputs import asks, counts, operations, writes
from cuda_l1.inputs.bits import end_of
from cuda_l1.inputs.draws import Draws
from cuda_l1.inputs.fills import come_again_alone, may_be_in_order, may_be_least, may_lead_on
from cuda_l1.inputs.groups import are_times
from cuda_l1.inputs.hidden import MayHide, how_hidden
from cuda_l1.inputs.integers import (
    are_tokens,
    comes_again,
    is_apart,
    is_new,
    names_rows,
    names_some_rows,
    padding_of,
    pads_by,
    spans_among,
)
from cuda_l1.inputs.named import are_keys, begin_chains, may_be_named_by
from cuda_l1.inputs.roles import Roles, roles_of
from cuda_l1.inputs.traits import (
    LEAST_IN_ORDER,
    LEAST_NODES,
    SMALL_INTEGERS,
    WIDE_INTEGERS,
    are_sines,
    copied_along,
    has_both_signs,
    has_few_levels,
    how_many,
    is_band,
    is_binary,
    is_continuous,
    is_definite,
    is_float8,
    is_of_one_size,
    is_one_in_each_row,
    is_one_value,
    may_be_of_pairs,
    repeats,
    whole_columns,
)
from cuda_l1.inputs.trees import moves_along, trees_among

_INTEGERS = (*WIDE_INTEGERS, *SMALL_INTEGERS)


class Looks(NamedTuple):
    """Indices of input tensors."""

    trivial: tuple[int, ...] = ()
    """See `traits.is_partly_trivial`; but for `summed`."""
    told: tuple[int, ...] = ()
    """Of no floating point, or masks, and not trivial, and known to whoever knows an earlier one: equal to it, but for
    one number, or in no order and one place later or earlier, or of masks its opposite, within it or around it."""
    counts: tuple[tuple[int, int], ...] = ()
    """Of one number throughout, which may be larger: no masks, and no extents, which are whole lengths. Each with
    what it must stay below, an extent or a number that the module is made with; 0 for nothing."""
    positions: tuple[int, ...] = ()
    """Rows that count up, or down, where nothing is written to places: of two in one place either may be the last."""
    masks: tuple[int, ...] = ()
    """Of floating point, called a mask or flags, and zero or one everywhere, or one or minus one where the task's text
    names a loss of such labels: nobody owes it other numbers."""
    fixed: tuple[int, ...] = ()
    """Of floating point, no masks and not trivial, and the same in two draws."""
    named: tuple[int, ...] = ()
    """Integers, booleans, and masks of numbers, the same in two draws, neither trivial nor said by others."""
    sparse: tuple[int, ...] = ()
    """Of these the masks."""
    equal: tuple[int, ...] = ()
    """Of floating point, and most of what is not zero is what lies beside it along some dimension, or all of one size
    or of a few numbers (but for bands and a single one in each row), or each is there twice and they are no sines and
    cosines; of others what is the same throughout along a dimension."""
    signed: tuple[int, ...] = ()
    """Of floating point, with numbers of both signs."""
    definite: tuple[int, ...] = ()
    """Symmetric and positive definite."""
    inverted: tuple[int, ...] = ()
    """Of these all, where the task's text factorises or inverts something: positive definite in all draws. And what it
    lays along a diagonal there, and is positive in all draws."""
    summed: tuple[int, ...] = ()
    """Counts that are one number, no lengths, and sum to an extent, in all or by row."""
    shares: tuple[tuple[int, int], ...] = ()
    """Those of which nothing else tells the sums (offsets, or which each belongs to), with bounds as of `counts`."""
    groups: tuple[tuple[int, int], ...] = ()
    """Integers in order, others in each draw, that nothing else says: which group each belongs to, or where groups
    begin, with what the largest of these must stay below."""
    hollow: tuple[tuple[int, int], ...] = ()
    """Of these those of which some may have none, where nothing is overwritten at places."""
    times: tuple[int, ...] = ()
    """Integers in order, others in each draw, that are neither places nor groups."""
    flags: tuple[int, ...] = ()
    """Zeros and ones that are others in each draw, which none calls a mask, no bands and not one in each row; and the
    numbers of a graph's edges."""
    kept: tuple[int, ...] = ()
    """Masks of floating point as above, and integers that may not come again: as they are drawn, where all inputs are
    others."""
    again: tuple[int, ...] = ()
    """Integers of which each may come several times, and that are no places at which something is overwritten."""
    ways: tuple[int, ...] = ()
    """Trees, neighbours and pairs, and what is padded, others in each draw: see `fills.may_lead_on`."""
    unordered: tuple[int, ...] = ()
    """Integers that nothing else tells and that may be in order: see `fills.may_be_in_order`."""
    tables: tuple[int, ...] = ()
    """Of integers that may come again those that name any of as many as they have rows."""
    digits: tuple[int, ...] = ()
    """Integers of 8 and 16 bits, others in each draw, that no other input tells, and no flags."""
    ends: tuple[tuple[int, int], ...] = ()
    """Of `again` and `digits` each with what it is below in all draws, where that is no power of two; 0 for others."""
    least: tuple[int, ...] = ()
    """Of `again` and `digits` those with rows, where `forward` does not ask for the least number of them: what a mask
    hides altogether has no one meaning."""
    uneven: tuple[int, ...] = ()
    """What `forward` calls a mask and is others in each draw, of rows, each of which keeps as many as it may."""
    hidden: tuple[tuple[int, str], ...] = ()
    """As what those are drawn that may hide all of a row, others in each draw, and that nothing else tells; what the
    task takes up to a limit; and lengths and positions."""
    classes: tuple[int, ...] = ()
    """Of floating point, with columns of whole numbers beside others."""
    tokens: tuple[tuple[int, float], ...] = ()
    """Integers, no row of them in order, each with a number that the task asks for and they are not drawn as, or are
    padded with; and of floating point with one that is beyond all that are drawn."""
    spans: tuple[int, ...] = ()
    """Pairs of integers, one after the other: the first never above the second, place by place, in any draw."""
    named_by: tuple[tuple[int, int], ...] = ()
    """Of `again` such as may have rows of nothing but what another input names, and that one: where a row of which
    nothing is left has a meaning."""
    deep: tuple[tuple[tuple[int, ...], int], ...] = ()
    """The children of trees, and what may decide where a walk through them goes on; and how deep these may not be."""
    missing: tuple[int, ...] = ()
    """Of floating point, which `forward` asks where they are no numbers."""
    is_left: bool = False
    """Whether padding lies where rows begin."""

    def stay(self, count: int) -> list[Sequence[int]]:
        """Of so many input tensors those that are as they are drawn where a distribution is of all: most; what is
        filled, which is what always says nothing, and by no chance of a draw; definite ones; and what is doubled. And
        `spans`, which stay that."""
        says = [number for number in range(count) if number not in self.trivial]
        return [self.kept, says, self.inverted, sorted({*says, *self.masks}), self.spans]


class _Seen(NamedTuple):
    """What `look` asks about, and what of it stands for more than one of the `Looks`."""

    draws: Draws
    names: Sequence[str]
    source: str
    limits: set[int]
    """Numbers that the task's module is made with."""
    roles: Roles
    asked: Mapping[str, Collection[float]]
    """By name of an input the numbers that the text asks for."""
    overwrites: bool
    """Whether something is overwritten at places."""
    unfixed: Sequence[int]
    """Of what says something that no other input says, what is others in each draw."""
    may_repeat: Sequence[int]
    """Of these, those that may hold the same places several times."""
    untold: Sequence[int]
    """Integers, flags and masks of these that nothing else may tell."""
    again: tuple[int, ...]
    digits: tuple[int, ...]


def look(
    drawn: Sequence[torch.Tensor], names: Sequence[str], source: str, init: Sequence[object] = (),
    before: Sequence[torch.Tensor] = (), others: Sequence[Sequence[torch.Tensor]] = (),
) -> Looks:  # fmt: skip
    """By the inputs of one draw, what the task's `forward` calls them, its text, what its module is made with, and the
    `heads_of` another draw. And by `others`, in which what is large may be the first one's: what few numbers are by
    chance, as two labels that are one number or times in order, they are not in most draws."""
    limits = {value for value in tree_leaves(list(init)) if type(value) is int}
    draws = Draws([drawn, *others])
    roles = roles_of(draws, names, source, before)
    overwrites = writes.overwrites(source, _dims(names, drawn))
    unfixed = [n for n in roles.plain if n not in roles.fixed]
    may_repeat = [n for n in unfixed if not overwrites or all(come_again_alone(each[n], each) for each in draws)]
    discrete = [n for n in unfixed if roles.hides[n] or not is_continuous(drawn[n])]
    untold = [n for n in discrete if not draws.beside([n], _is_told_of)]
    again = draws.beside(may_repeat, _may_come_again)
    digits = tuple(n for n in unfixed if drawn[n].dtype in SMALL_INTEGERS and not draws.always([n], is_binary))
    asked = asks.numbers(source, init)
    seen = _Seen(draws, names, source, limits, roles, asked, overwrites, unfixed, may_repeat, untold, again, digits)
    return _with_integers(_of_any_kind(seen), seen)


def _of_any_kind(seen: _Seen) -> Looks:
    """What says nothing or always the same, counts, masks and flags, and what is seen of numbers."""
    draws, roles, drawn, limits = seen.draws, seen.roles, seen.draws[0], seen.limits
    real, hides = roles.real, roles.hides
    named = [n for n in roles.fixed if _is_named(drawn[n], drawn, are_positions=roles.are_positions[n])]
    masks = draws.always((n for n in range(len(drawn)) if roles.is_mask[n]), _is_binary_but_for_signs)
    definite = draws.always(real, is_definite)
    along = [operations.inverted_diagonals(seen.source, are_square=each) for each in (False, True)]
    on_diagonals = (n for n in real if seen.names[n] in along[drawn[n].shape[-2:-1] == drawn[n].shape[-1:]])
    diagonals = draws.always(on_diagonals, _is_positive)
    free = {n: hides[n] for n in seen.untold if not seen.overwrites}
    changing = [*seen.untold, *roles.moved]
    those = MayHide(free, (*seen.may_repeat, *roles.trivial), seen.unfixed, changing, roles.are_positions, limits)
    return Looks(
        trivial=tuple(roles.trivial),
        told=roles.told,
        counts=counts.bounded(roles.trivial, drawn, limits, roles.is_mask),
        positions=tuple(() if writes.writes_to_places(seen.source) else roles.counted),
        masks=masks,
        fixed=tuple(n for n in roles.fixed if n in real),
        named=tuple(named),
        sparse=tuple(n for n in named if is_binary(drawn[n])),
        equal=tuple(n for n in roles.plain if draws.beside([n], _is_same_for_many, is_real=n in real)),
        missing=tuple(n for n in real if seen.names[n] and operations.asks_for_numbers(seen.source, seen.names[n])),
        signed=tuple(n for n in real if has_both_signs(draws.together(n))),
        definite=definite,
        inverted=(*definite, *diagonals) if operations.inverts(seen.source) else (),
        summed=tuple(roles.summed),
        shares=counts.of_shares(roles.summed, drawn, limits),
        flags=_of_some([n for n in seen.unfixed if not hides[n]], real, draws),
        uneven=draws.beside([n for n in seen.unfixed if hides[n]], _may_be_uneven),
        hidden=how_hidden(those, draws.asked, seen.names, seen.asked, seen.source),
        classes=draws.always(real, lambda leaf: bool(whole_columns(leaf).any())),
    )


def _with_integers(looks: Looks, seen: _Seen) -> Looks:
    """With what is seen of integers."""
    draws, names, source, plain, real = seen.draws, seen.names, seen.source, seen.roles.plain, seen.roles.real
    again, drawn, unfixed = seen.again, seen.draws[0], seen.unfixed
    integers = (*again, *seen.digits)
    stay = (n for n, leaf in enumerate(drawn) if leaf.dtype in _INTEGERS and n not in integers)
    tables = draws.always(draws.ever(seen.may_repeat, names_rows), names_some_rows)
    groups = counts.of_groups(unfixed, draws, seen.limits)
    deep = _of_trees(unfixed, real, draws, source, seen.limits)  # whose nodes are each named once, whatever is drawn
    tokens = {n: n in again for n in (*real, *draws.ever(plain, are_tokens))}
    return looks._replace(
        groups=groups,
        hollow=() if seen.overwrites else counts.of_those_empty(groups, draws, names),
        times=tuple(n for n in unfixed if all(are_times(each[n], each, counts.extents_of(each)) for each in draws)),
        kept=(*looks.masks, *stay),
        again=again,
        ways=() if seen.overwrites else draws.mostly([n for n in seen.untold if n not in again], may_lead_on),
        unordered=draws.beside(
            [n for n in seen.untold if n not in tables], may_be_in_order, overwrites=seen.overwrites
        ),
        tables=tables,
        digits=seen.digits,
        ends=tuple((n, end_of(draws.together(n))) for n in integers),
        least=tuple(n for n in integers if draws.mostly([n], may_be_least, asked=seen.asked.get(names[n], ()))),
        tokens=_tokens(tokens, draws, names, seen.asked),
        spans=spans_among([n for n in plain if all(n not in its for its, _ in deep)], draws),
        named_by=_by_others(again, plain, draws) if operations.may_hide_all(source) else (),
        deep=deep,
        is_left=operations.pads_on_the_left(source),
    )


def _of_trees(
    those: Sequence[int], real: Sequence[int], draws: Draws, source: str, limits: set[int]
) -> tuple[tuple[tuple[int, ...], int], ...]:
    """The children of trees, with what moves along these."""
    found = trees_among([n for n in those if n not in real], draws, source, limits)
    its = (moves_along([n for n in those if n not in real], draws[0], some, are_real=real) for some, _ in found)
    return tuple(((*some, *more), bound) for (some, bound), more in zip(found, its, strict=True))


def _by_others(those: Sequence[int], plain: Sequence[int], draws: Draws) -> tuple[tuple[int, int], ...]:
    pairs = ((n, by) for by in plain for n in draws.beside(those, may_be_named_by, by=by))
    return tuple((n, by) for n, by in pairs if n != by)


def _dims(names: Sequence[str], drawn: Sequence[torch.Tensor]) -> dict[str, int]:
    return {name: leaf.dim() for name, leaf in zip(names, drawn, strict=True)}


def _tokens(
    those: Mapping[int, bool], draws: Draws, names: Sequence[str], asked: Mapping[str, Collection[float]]
) -> tuple[tuple[int, float], ...]:
    """Of those, each with whether it may come again, by the draws that have no such number; no chain's beginning."""
    return tuple(
        (number, token)
        for number, is_free in those.items()
        if number not in draws.beside([number], begin_chains)
        for token in sorted(asked.get(names[number], ()))
        if draws.ever([number], is_new, token=token, is_free=is_free)
        or draws.beside([number], _may_be_shorter, token=token)
    )


def _is_binary_but_for_signs(leaf: torch.Tensor) -> bool:
    return is_continuous(leaf) and is_binary(leaf.abs())


def _is_same_for_many(leaf: torch.Tensor, drawn: Sequence[torch.Tensor], *, is_real: bool) -> bool:
    if not is_real:
        return not is_continuous(leaf) and copied_along(leaf) is not None
    if _are_equal(leaf) or (repeats(leaf) and not any(are_sines(leaf, other) for other in drawn)):
        return True
    is_of_few = is_of_one_size(leaf) or has_few_levels(leaf)
    return is_of_few and not is_band(leaf) and not is_one_in_each_row(leaf)


def _are_equal(leaf: torch.Tensor) -> bool:
    there = leaf != 0
    most = max(how_many(there), 1)
    beside = ((leaf.diff(dim=along) == 0) & there.narrow(along, 1, leaf.shape[along] - 1) for along in range(leaf.dim())
              if leaf.shape[along] > 1)  # fmt: skip
    return any(2 * how_many(same) >= most for same in beside)


def _is_positive(leaf: torch.Tensor) -> bool:
    """Whether all of it is, as nothing complex is."""
    return not (leaf.is_complex() or is_float8(leaf)) and bool((leaf > 0).all())


def _of_some(those: Sequence[int], real: Sequence[int], draws: Draws) -> tuple[int, ...]:
    """Which are flags, of which a promise would hold in all draws, or the numbers of edges."""
    flags = draws.ever(draws.always(those, is_binary), _are_flags)
    return (*flags, *draws.mostly([n for n in those if n in real and n not in flags], _is_of_edges))


def _are_flags(leaf: torch.Tensor) -> bool:
    return is_binary(leaf) and not is_band(leaf) and not is_one_in_each_row(leaf)


def _is_of_edges(leaf: torch.Tensor) -> bool:
    """Whether it is a square matrix with many zeros, at no places that a formula is made for."""
    if leaf.is_complex() or leaf.dim() < 2 or not leaf.shape[-1] == leaf.shape[-2] >= LEAST_NODES:
        return False
    is_sparse = 4 * int(leaf.count_nonzero()) < 3 * leaf.numel() and not is_band(leaf) and not is_one_in_each_row(leaf)
    return is_sparse and bool(leaf.tril(-1).any() and leaf.triu(1).any()) and not is_definite(leaf)


def _may_come_again(leaf: torch.Tensor, drawn: Sequence[torch.Tensor]) -> bool:
    """Whether its integers may come several times: no counts, whose sum is an extent, or one number for all rows, no
    keys that another one names, and where others may say what it is, no places or lengths."""
    others = [other for other in drawn if other is not leaf]
    if not comes_again(leaf) or any(are_keys(leaf, other) or pads_by(other, leaf) for other in others):
        return False
    sums, extents = leaf.sum(-1), counts.extents_of(drawn)
    if (sums.numel() > 1 and is_one_value(sums)) or int(leaf.sum()) in extents:
        return False
    return not _is_told_of(leaf, drawn) or int(leaf.max()) > max(extents)


def _is_told_of(leaf: torch.Tensor, drawn: Sequence[torch.Tensor]) -> bool:
    """Whether another input may say what it is, by a function of its own: numbers or flags."""
    others = (other for other in drawn if other is not leaf and other.numel() > 1)
    return any((not is_continuous(other) or is_binary(other)) and not is_apart(leaf, other) for other in others)


def _may_be_uneven(leaf: torch.Tensor, drawn: Sequence[torch.Tensor]) -> bool:
    """Whether a mask may keep any number of each row: it says of rows, and not of pairs, of which not all have as many,
    and nothing else says it."""
    if not _are_flags(leaf) or leaf.shape[-1] < LEAST_IN_ORDER or _is_told_of(leaf, drawn):
        return False
    if leaf.dim() > 1 and leaf.shape[-1] == leaf.shape[-2] and may_be_of_pairs(leaf):
        return False
    counts = (leaf != 0).sum(-1)
    return counts.numel() == 1 or not is_one_value(counts)


def _is_named(leaf: torch.Tensor, drawn: Sequence[torch.Tensor], *, are_positions: bool) -> bool:
    """Whether nothing else says what it is, and it is no triangle, pairs in order, inverse or counts, and no places but
    such as are called positions."""
    others = (other for other in drawn if other is not leaf and other.numel() > 1)
    if leaf.numel() < 2 or is_band(leaf) or not all(map(is_continuous, others)):
        return False
    if is_binary(leaf):
        return leaf.dim() < 2 or bool(leaf.tril(-1).any() and leaf.triu(1).any())
    if is_continuous(leaf):
        return False
    are_places = not are_positions and bool((leaf.diff(dim=-1) == 1).float().mean() > 1 / 2)
    are_ordered = leaf.dim() == 2 and len(leaf) == 2 and bool((leaf[0] < leaf[1]).all() or (leaf[0] > leaf[1]).all())
    places = torch.arange(leaf.numel(), device=leaf.device)
    is_inverse = leaf.dim() == 1 and torch.equal(leaf.sort().values, places) and torch.equal(leaf[leaf.long()], places)
    is_sum = int(leaf.sum()) in counts.extents_of(drawn)
    return not (are_places or are_ordered or is_inverse or is_sum)


def _may_be_shorter(leaf: torch.Tensor, drawn: Sequence[torch.Tensor], token: float) -> bool:
    """Whether its rows are padded with it, and may be so from an earlier place on: nothing else says how long they
    are."""
    is_padded = leaf.dim() > 1 and not is_continuous(leaf) and padding_of(leaf) == token
    return is_padded and not _is_told_of(leaf, drawn)
