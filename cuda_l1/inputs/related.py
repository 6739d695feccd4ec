"""What inputs have to do with one another, and with a module's weights: nothing, as most tasks draw them. Here rows are
near those of another tensor, what integers name is the largest of its row, and integers are equal, or nothing but what
another input names. Used inside the worker only.

NOT covered: what is made of each input alone (distributions.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from cuda_l1.inputs import weights
from cuda_l1.inputs.bounds import split_bound
from cuda_l1.inputs.distributions import drawn_as, is_plain
from cuda_l1.inputs.integers import comes_again
from cuda_l1.inputs.named import are_keys
from cuda_l1.inputs.parts import CERTAIN, DELAYED, RELATED, definite_as, has_placed_zeros, inverted_as
from cuda_l1.inputs.traits import (
    SMALL_INTEGERS,
    WIDE_INTEGERS,
    is_continuous,
    is_float8,
    is_symmetric,
    kept_as,
    sorted_as,
    whole_columns,
)
from cuda_l1.inputs.trees import DEEP, grown
from cuda_l1.wire.arena import Leaf

BUT_CLASSES = " but for classes"
"""After a distribution: of what stands beside columns of whole numbers, which may be indices. Those stay."""
_LEAST_WIDTH = 4
_NEAR, _NEARER = 0.85, 0.95
"""What of a row is another one: what two near ones differ by must not be rounding."""
_OPPOSITE = 1 / 4
"""Of rows that are near another one, where there are both signs: so many are near what is opposite to it."""
_LEAST_SHARE = 1 / 4
_ALIGNED, _ALIKE, _ALMOST = 15 / 16, 255 / 256, 63 / 64
_MOST, _FAINT = 1 << 24, 1e-20
NAMED = "named alone with "
"""Before the number of an input: in some rows nothing but what that one names, and in some nothing of it."""
_OFTEN, _TRIES, _SURELY = 8, 4, 16.0
"""Of a thousand places the first has nearly half, and the last half of all a twelfth."""


def drawn(values: Sequence[Any], index: int, kind: str, seed: int, module: Any, definite: Sequence[int]) -> Any:
    """One of the inputs as `drawn_as`, where those that are `definite` stay so; or RELATED: of floating point with half
    of its rows near some of others', or of the module's weights, some of them those that another input names, or
    opposite to these, and with the largest of some where another input says;
    of integers some equal to those of another one. DELAYED: near the same rows of inputs of its shape, some places
    later. CERTAIN: of most rows with the largest where another input says, and far larger. NAMED: of integers rows of
    nothing but another input's. DEEP: of trees, and what moves along them (trees.py)."""
    value = values[index]
    if kind.endswith(BUT_CLASSES):
        other = drawn(values, index, kind.removesuffix(BUT_CLASSES), seed, module, definite)
        return torch.where(whole_columns(value).expand(value.shape), value, other)
    if kind.startswith(NAMED):
        return _of_named_alone(value, values[int(kind.removeprefix(NAMED))])
    if kind.startswith(DEEP):
        return grown(values, index, split_bound(kind)[1], seed)
    if kind not in (RELATED, DELAYED, CERTAIN):
        return drawn_as(value, kind, seed, stays_definite=index in definite)
    others = [other for other in values if other is not value]
    if kind == CERTAIN:
        return _named_surely(value, others) if is_plain(value) and index not in definite else value
    if kind == DELAYED:
        alike = [other for other in others if other.shape == value.shape]
        still = inverted_as if index in definite else definite_as
        return still(value, _near(value, alike, is_later=True)) if is_plain(value) and value.dim() else value
    if value.dtype in WIDE_INTEGERS or value.dtype in SMALL_INTEGERS:
        return _equal(value, values if seed % 2 else values[::-1])
    if not is_plain(value) or not value.dim() or not value.numel() or is_symmetric(value):
        return value
    made = _near(value, [*others, *weights.tensors_of(module).values()])
    made = made if value.is_complex() else _named_largest(made, others)
    return inverted_as(value, made) if index in definite else made


def _of_named_alone(value: Any, names: Any) -> Any:
    """An eighth of the rows nothing but what is named, as many but for one place, and as many nothing of it."""
    rows, width = value.reshape(-1, value.shape[-1]), value.shape[-1]
    named = names.reshape(-1, names.shape[-1]).expand(len(rows), -1)
    chance = torch.rand(len(rows), 1, device=value.device)
    theirs = named.gather(1, torch.randint(0, named.shape[1], rows.shape, device=value.device)).to(value.dtype)
    fits = (theirs >= value.min()) & (theirs <= value.max())
    one = torch.randint(0, width, (len(rows), 1), device=value.device)
    is_one = torch.arange(width, device=value.device) == one
    made = torch.where(fits & ((chance < 1 / 8) | ((chance < 1 / 4) & ~is_one)), theirs, rows)
    is_none = chance > 7 / 8
    for _ in range(_TRIES):
        is_theirs = torch.isin(made, names) if names.dim() == 1 else (made[..., None] == named[:, None]).any(-1)
        others = rows.reshape(-1)[torch.randint(0, rows.numel(), rows.shape, device=value.device)]
        made = torch.where(is_none & is_theirs, others, made)
    return made.view(value.shape)


def keep_spans(values: Sequence[Any], spans: Sequence[int]) -> None:
    """What begins ends no earlier in any draw: of pairs of integers the larger ones become the second's, in place."""
    for first, second in zip(spans[::2], spans[1::2], strict=True):
        low, high = torch.minimum(values[first], values[second]), torch.maximum(values[first], values[second])
        values[first].copy_(low)
        values[second].copy_(high)


def _near(value: Any, others: Sequence[Any], *, is_later: bool = False) -> Any:
    width, device = value.shape[-1], value.device
    pool = [rows for other in others if other.is_complex() == value.is_complex() for rows in _rows(other, width)]
    if width < _LEAST_WIDTH or not pool or has_placed_zeros(value):
        return value
    theirs = torch.empty_like(value).view(-1, width)
    rows_of = (each.reshape(-1) for each in others if each.dtype is torch.int64 and each.shape == value.shape[:-1])
    labels = next(rows_of, None)
    places, which = torch.arange(len(theirs), device=device), torch.randint(0, len(pool), (len(theirs),), device=device)
    for number, rows in enumerate(pool):
        its = places[which == number]
        at = its if is_later else torch.randint_like(its, 0, len(rows))
        if labels is not None:  # one row for each class, say
            at = torch.where((labels[its] >= 0) & (labels[its] < len(rows)) & _some_of(its), labels[its], at)
        if len(rows) == len(theirs) and not is_later:
            at = torch.where(_some_of(its), its, at)
        theirs[its] = rows[at].to(value.dtype)
    if not (is_later or value.is_complex()) and bool((value < 0).any()):
        theirs = torch.where(torch.rand(len(theirs), 1, device=device) < _OPPOSITE, -theirs, theirs)
    theirs = theirs.view(value.shape)
    theirs = theirs.roll(int(torch.randint(1, 1 + width // 3, ())), -1) if is_later else theirs
    if not value.is_complex() and not bool((value < 0).any()):
        theirs = theirs.abs()
    size, its = (torch.linalg.vector_norm(each, dim=-1, keepdim=True) for each in (value, theirs))
    theirs = theirs * (size / its.clamp_min(_FAINT))
    theirs = theirs if value.is_complex() else theirs.clamp(value.min(), value.max())
    made = value.lerp(theirs, _NEAR + (_NEARER - _NEAR) * float(torch.rand(())))
    some = torch.rand([*value.shape[:-1], 1], device=value.device) < 1 / 2
    return kept_as(value, torch.where(some, made, value))


def _some_of(places: Any) -> Any:
    """Of each whether it is one of some: a share that differs from draw to draw, and is never nothing."""
    share = _LEAST_SHARE + (1 - _LEAST_SHARE) * torch.rand((), device=places.device)
    return torch.rand(places.shape, device=places.device) < share


def _rows(other: Any, width: int) -> list[Any]:
    """Its rows, or columns, if they are as wide."""
    may_be = is_continuous(other) and not is_float8(other) and 0 < other.numel() <= _MOST and other.dim() > 0
    found = [other.detach().reshape(-1, width)] if may_be and other.shape[-1] == width else []
    if may_be and other.dim() == 2 and other.shape[0] == width != other.shape[1]:
        found.append(other.detach().mT)
    return found


def name_some(leaves: Sequence[Leaf]) -> bool:
    """Whether one of them may name one of each row of another."""
    names = [list(leaf.shape) for leaf in leaves if leaf.torch_dtype is torch.int64]
    scores = [list(leaf.shape) for leaf in leaves if leaf.torch_dtype.is_floating_point and len(leaf.shape) > 1]
    rows = [shape[:along] + shape[along + 1 :] for shape in scores for along in {len(shape) - 1, 1}]
    return any(_may_name(each, shape) for each in names for shape in rows)


def _may_name(names: Sequence[int], shape: Sequence[int]) -> bool:
    near = len(shape) > 1 and names[:-1] == shape[:-1] and abs(names[-1] - shape[-1]) <= 1
    return near or names in (shape, [*shape, 1])


def _named_surely(value: Any, others: Sequence[Any]) -> Any:
    """Where another input names one of each row, that is the largest of nearly all of them, and what it is larger by is
    much: as whoever has learnt long guesses. Of what has no signs, as shares, no more than the largest."""
    made = _named_largest(value, others, least=_ALMOST)
    return made * _SURELY if made is not value and bool((value < 0).any()) else made


def _named_largest(value: Any, others: Sequence[Any], least: float = 1 / 2) -> Any:
    """Where another input names one of each row, it trades places with the largest, in half of the rows, and in half
    of the items of a stack in nearly all: who guesses is right many times one after the other."""
    for other in others:
        for along in {value.dim() - 1, 1} if value.dim() > 1 else ():
            shape = list(value.shape)
            count = shape.pop(along)
            if (
                other.dtype is not torch.int64
                or count < 2
                or (said := _names_in(other, shape, are_words=along == len(shape) == 2)) is None
            ):
                continue
            names, first = said.unsqueeze(along), value.argmax(along, keepdim=True)
            items = torch.rand([*shape[:-1], *[1] * (len(shape) > 1)], device=value.device)
            shares = torch.where(items < 1 / 2, least, _ALMOST if len(shape) > 1 else least)
            some = (torch.rand(shape, device=value.device) < shares).unsqueeze(along)
            names = torch.where((names >= 0) & (names < count) & some, names, first)
            its, most = value.gather(along, names), value.gather(along, first)
            return value.scatter(along, first, its).scatter(along, names, most)
    return value


def _names_in(other: Any, shape: list[int], *, are_words: bool) -> Any:
    """What it names in rows of that shape, -1 where nothing: one in each, or, in half of texts of words, that of
    the next one, and it may have one more or less of them. None where it names nothing."""
    other = other[..., 0] if list(other.shape) == [*shape, 1] else other
    if not _may_name(list(other.shape), shape):
        return None
    if len(shape) < 2:
        return other
    ended = torch.cat([other, other.new_full([*shape[:-1], 2], -1)], -1)
    it, its_next = ended[..., : shape[-1]], ended[..., 1 : 1 + shape[-1]]
    return torch.where(torch.rand([*shape[:-1], 1], device=other.device) < are_words / 2, its_next, it)


def _equal(value: Any, values: Sequence[Any]) -> Any:
    """With a quarter of its integers taken from another input before it, within what it holds: of one of its shape in
    the same places, but nearly all in a quarter of the rows, in three eighths nearly all some places later, as where
    something was left out, and in a quarter what the other's are short of the last, so that both add up to that. In
    half of a stack's items all rows are so alike. Of one with rows of another length these, again and again; and of
    others anywhere, some of them often, as of those that are looked up, and these theirs. Else the first of them
    stays. Where there are several that is another one in each row, or in each item of a stack."""
    is_wide, its = value.dtype in WIDE_INTEGERS, next(n for n, other in enumerate(values) if other is value)
    if is_wide and comes_again(value):
        wide = [(n, other) for n, other in enumerate(values) if other.dtype in WIDE_INTEGERS and other.numel() > 1]
        pool = [each for n, each in wide if n < its or (n > its and (_is_apart(each, value) or not comes_again(each)))]
        pool = [each for n, each in wide if n != its and are_keys(each, value)] or pool  # it names nothing else
    else:
        may_be = not is_wide and value.numel() > 1
        pool = [each for each in values[:its] if may_be and _are_of_one_kind(each, value)]
    if not pool:
        return value
    apart = (value.dim() + 1) // 2 if value.dim() < 3 else value.dim() - 2
    which = torch.randint(0, len(pool), [*value.shape[:apart], *[1] * (value.dim() - apart)], device=value.device)
    made = value
    for number, other in enumerate(pool):
        made = torch.where(which == number, _some_equal(value, other), made)
    return sorted_as(value, made)


def _some_equal(value: Any, other: Any) -> Any:
    """With some of the other one's, see `_equal`."""
    shares = torch.tensor(1 / 4, device=value.device)
    if value.dim() == other.dim() > 1 and value.shape[:-1] == other.shape[:-1]:
        other = other[..., torch.arange(value.shape[-1], device=value.device) % other.shape[-1]]
    if other.shape != value.shape:
        other = other.reshape(-1)[_some_often(other.numel(), value.shape, value.device)]
    elif value.dim() > 1:
        one, two = torch.randint(1, 1 + max(value.shape[-1] // 3, 1), (2,)).tolist()
        chance = torch.rand([*value.shape[:-1], 1], device=value.device)
        nearly = torch.tensor(_ALIGNED, device=value.device)
        if value.dim() > 2:  # areas, and not only rows, are the same
            items = torch.rand([*value.shape[:-2], 1, 1], device=value.device)
            whole = items < 1 / 2
            chance, nearly = torch.where(whole, 2 * items, chance), torch.where(whole, _ALIKE, nearly)
        later = torch.where(chance < 1 / 4, other.roll(one, -1), other.roll(two, -1))
        same = torch.where(chance < 5 / 8, other, _last_of(value, other) - other)
        other, shares = torch.where(chance < 3 / 8, later, same), torch.where(chance < 7 / 8, nearly, shares)
    fits = (other >= value.min()) & (other <= value.max()) & (torch.rand(value.shape, device=value.device) < shares)
    return torch.where(fits, other.to(value.dtype), value)


def _is_apart(one: Any, two: Any) -> bool:
    """Whether their rows have nothing to do with one another: not as many, or a single one of another length."""
    return bool(one.shape != two.shape and (one.dim() < 2 or one.shape[:-1] != two.shape[:-1]))


def _some_often(count: int, shape: Any, device: Any) -> Any:
    """Places among so many, of which one is there again and again, the next ones less often, and the last hardly: as
    what is looked up, or joined, has it."""
    often = count * torch.rand(shape, device=device, dtype=torch.float64) ** _OFTEN
    return (often.long() + int(torch.randint(0, count, ()))) % count


def _are_of_one_kind(one: Any, two: Any) -> bool:
    """Whether they are of one type and one shape, but for how long rows are."""
    is_like = bool(one.dtype == two.dtype and one.dim() == two.dim())
    return is_like and bool(one.shape == two.shape or (one.dim() > 1 and one.shape[:-1] == two.shape[:-1]))


def _last_of(*values: Any) -> int:
    """The largest number of them, or of as many digits in base two or ten if that is next to it: what such a number is
    short of adds up to."""
    most = max(int(value.max()) for value in values)
    ends = (10 ** len(str(most)) - 1, 2 ** most.bit_length() - 1) if most > 0 else ()
    return next((end for end in ends if most >= _ALMOST * end), most)
