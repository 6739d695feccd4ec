"""What a tensor is by its values: of one number, sorted, symmetric, a band, positions. Pure.

NOT covered: what an input is beside the others of its task (looks.py).
"""

from __future__ import annotations

from typing import Any

import torch

LEAST_IN_ORDER = _CORNER = 8
_LEAST_COUNTED, LEAST_NODES = 4, 16
_LOOKED_AT, MOST_PAIRS = 1 << 16, 1 << 24
"""How many elements say how two tensors vary, and how many pairs are held against one another."""
_SAMPLE, _LEAST_TIMES, _FEW_LEVELS = 1 << 12, 8, 16
_AS_MUCH, _PAIR, _MOST_ROWS = 1 / 8, 1 << 20, 2048
_FEW_PAIRS, _PADDED, _MANY_PADDED, _OF_SINES = 4.0, 3, 1 / 8, 0.02
"""So many equal ones are expected, of those that are drawn by chance, where none is a promise."""
WIDE_INTEGERS = (torch.int32, torch.int64)
"""Positions and counts."""
SMALL_INTEGERS = (torch.int8, torch.uint8, torch.int16)
"""What quantised weights and pictures are held in; no indices."""
SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}
"""Unsigned integers for which torch has hardly any arithmetic, and those of as many bits for which it has."""


def is_continuous(tensor: torch.Tensor) -> bool:
    """Whether float64 can say it better. An index has no oracle: there the reference's own choice is the truth."""
    return tensor.dtype.is_floating_point or tensor.dtype.is_complex


def is_one_value(value: Any) -> bool:
    """Whether all its elements are one number."""
    flat = value.reshape(-1)
    return all(bool((part == flat[0]).all()) for part in _sooner(flat))


def is_of_one_size(value: Any) -> bool:
    """Whether all of its numbers that are not zero are one number, but for the sign: ones and zeros, say."""
    parts = _sooner(value.reshape(-1))
    sizes = (part[part != 0].abs() for part in parts)
    return all(not len(each) or is_one_value(each) for each in sizes) and bool(parts[-1].any())


def _sooner(flat: Any) -> list[Any]:
    """Its first elements and then all: most tensors are told apart by the former."""
    return [flat[:_SAMPLE], flat] if flat.numel() > _SAMPLE else [flat]


def has_few_levels(value: Any) -> bool:
    """Whether its numbers are some few, each many times, as ratings are; of 16 bits, which hold few, some of those."""
    numbers = (torch.view_as_real(value) if value.is_complex() else value).reshape(-1)[:_SAMPLE]
    there = numbers[numbers != 0]
    most = there.numel() // _LEAST_TIMES
    return 0 < len(there.unique()) <= (most if value.element_size() > 2 else min(most, _FEW_LEVELS))


def whole_columns(value: Any) -> Any:
    """Of a table of numbers, for each column whether all of it is whole, as classes are that stand beside measurements;
    none where all columns are, or none."""
    width = value.shape[-1] if value.dim() else 1
    are_whole = torch.zeros(value.shape[-1:], dtype=torch.bool, device=value.device)
    if not value.is_floating_point() or is_float8(value) or value.numel() < max(width, 1) * LEAST_IN_ORDER:
        return are_whole
    rows = value.reshape(-1, width)
    for part in (rows[:LEAST_IN_ORDER], rows):  # most tables are told apart by the first
        are_whole = (part == part.round()).all(0)
        if not bool(are_whole.any()):
            return are_whole
    are_whole &= (rows != 0).any(0)
    return are_whole & ~are_whole.all()


def copied_along(value: Any) -> tuple[list[int], int] | None:
    """The dimensions along which what is no floating point is the same throughout, and the last along which it is not;
    None where there are no two such, and for rows in order, triangles and symmetric matrices, which copies of theirs in
    other places would not be."""
    if is_continuous(value) or value.dim() < 2 or not value.numel() or is_one_value(value):
        return None
    found = [n for n, extent in enumerate(value.shape) if extent > 1 and torch.equal(value, value.roll(1, n))]
    others = [n for n, extent in enumerate(value.shape) if extent > 1 and n not in found]
    if not found or not others or value.shape[others[-1]] < LEAST_IN_ORDER:
        return None
    first = value.select(found[0], 0).int()
    steps = value.int().diff(dim=others[-1])
    if bool((steps >= 0).all(others[-1]).any() or (steps <= 0).all(others[-1]).any()):
        return None
    is_square = first.dim() > 1 and first.shape[-1] == first.shape[-2]
    if is_square and (torch.equal(first, first.mT) or not (first.tril(-1).any() and first.triu(1).any())):
        return None
    return found, others[-1]


def has_both_signs(value: Any) -> bool:
    """Whether some of its numbers are above zero and some below; of complex ones, of their parts."""
    numbers = torch.view_as_real(value) if value.is_complex() else value
    return bool((numbers < 0).any()) and bool((numbers > 0).any())


def are_counts_of(counts: Any, owners: Any) -> bool:
    """Whether they say how many places belong to each, by what each place belongs to."""
    return torch.equal(owners.long().bincount(minlength=counts.numel()), counts.long())


def is_float8(value: Any) -> bool:
    """Whether it is of floating point in eight bits, in which nothing is computed."""
    return bool(value.is_floating_point()) and value.element_size() == 1


def with_arithmetic(value: Any) -> Any:
    """It, in float32 where it is of eight bits."""
    return value.float() if is_float8(value) else value


def is_symmetric(value: Any) -> bool:
    """Whether it is a square matrix of numbers, or a stack of such, symmetric but for rounding and not diagonal."""
    if not value.is_floating_point() or value.dim() < 2 or value.shape[-1] != value.shape[-2] or not value.numel():
        return False
    most, corner = 1e-5 * value.abs().max(), value[..., :_CORNER, :_CORNER]
    blocks = (corner, value)  # most matrices are told apart by the first
    return all(bool((block - block.mT).abs().max() <= most) for block in blocks) and bool(value.tril(-1).any())


def is_definite(value: Any) -> bool:
    """Whether it is symmetric and positive definite, and no larger than is soon told."""
    if value.element_size() < 4 or not is_symmetric(value) or value.shape[-1] > _MOST_ROWS:
        return False
    return bool((torch.linalg.cholesky_ex(value).info == 0).all())


def is_sorted(value: Any, *, has_ties: bool = False) -> bool:
    """Whether its rows are numbers that rise, or do not fall where it may have ties."""
    if not value.is_floating_point() or not value.dim() or value.shape[-1] < LEAST_IN_ORDER:
        return False
    rows = value.reshape(-1, value.shape[-1])
    if has_ties:
        return bool((rows[..., 1:] >= rows[..., :-1]).all())
    return all(bool((part[..., 1:] > part[..., :-1]).all()) for part in (rows[:1, :LEAST_IN_ORDER], rows))


def sorted_as(value: Any, other: Any) -> Any:
    """The other one, sorted along its rows if the rows of the first are."""
    return other.sort(dim=-1).values if is_sorted(value) else other


def is_band(value: Any) -> bool:
    """Whether it is a mask along diagonals: a triangle, say, which a formula may be made for."""
    marked = value[value != 0]
    if value.dim() < 2 or not 0 < marked.numel() < value.numel() or not is_one_value(marked):
        return False
    return torch.equal(value[..., 1:, 1:], value[..., :-1, :-1])


def kept_as(value: Any, other: Any) -> Any:
    """The other one, sorted or symmetric if the first is, and not by being one number."""
    if value.is_floating_point() and is_symmetric(value) and not is_one_value(value):
        return other.tril() + other.tril(-1).mT
    return sorted_as(value, other)


def repeats(value: Any) -> int:
    """What a table of sines or cosines, for rotations, says twice: 1 where its second half is the first, 2 where
    of each pair both are one number; 0 for neither."""
    if not value.is_floating_point() or not value.numel() or not value.dim():
        return 0
    if value.shape[-1] < 4 or value.shape[-1] % 2:
        return 0
    rows, half = value.reshape(-1, value.shape[-1]), value.shape[-1] // 2
    parts = (rows[:1], rows) if len(rows) > 1 else (rows,)  # most tensors are told apart by the first
    if not all(bool((part.abs() <= 1).all()) for part in parts):
        return 0
    if all(torch.equal(part[:, :half], part[:, half:]) for part in parts):
        return 1
    return 2 if all(torch.equal(part[:, ::2], part[:, 1::2]) for part in parts) else 0


def is_binary(value: Any) -> bool:
    """Whether it is numbers, zero or one everywhere."""
    return not value.is_complex() and value.numel() > 1 and bool(((value == 0) | (value == 1)).all())


def is_flags(value: Any) -> bool:
    """Whether it is booleans, or zeros and ones held as numbers, of places and not of pairs."""
    if value.dtype is not torch.bool and not (is_continuous(value) and is_binary(value)):
        return False
    return value.dim() < 2 or value.shape[-1] != value.shape[-2] or not may_be_of_pairs(value)


def may_be_of_pairs(leaf: Any) -> bool:
    """Whether a square mask may say which belong together: the same both ways, one thing along the diagonal or on one
    side of it, or a stack of none. A picture's is nothing of all that."""
    sides = leaf.tril(-1), leaf.triu(1)
    is_plain = leaf.dim() < 3 or is_one_value(leaf.diagonal(0, -2, -1)) or not all(bool(side.any()) for side in sides)
    return is_plain or torch.equal(leaf, leaf.mT)


def is_trivial(value: Any) -> bool:
    """Whether it is zeros throughout, a mask of one value (of booleans, numbers or integers), one zero, flag or length,
    or positions that count up: what any task could do without."""
    if value.is_complex():
        return is_trivial(torch.view_as_real(value))
    if not value.numel() or is_float8(value):
        return False
    if value.numel() == 1 and value.is_floating_point():  # a temperature, say, which other distributions change
        return not bool(value)
    return is_one_value(value) or counts_up(value)


def is_partly_trivial(value: Any) -> bool:
    """Whether it is, or its real or its imaginary part is."""
    return is_trivial(value) or (value.is_complex() and any(map(is_trivial, (value.real, value.imag))))


def has_rows_of_integers(value: Any, least: int) -> bool:
    """Whether it is rows of integers that may be positions or counts, so many in each at least."""
    return value.dtype in WIDE_INTEGERS and value.dim() > 0 and value.shape[-1] >= least and value.numel() > 0


def counts_up(value: Any) -> bool:
    """Whether it is rows of integers that rise by one, or fall: positions, where a single one is no edges of bins."""
    if value.dtype not in WIDE_INTEGERS or not value.dim() or value.shape[-1] < _LEAST_COUNTED:
        return False
    steps = value.diff(dim=-1)
    return bool((steps == 1).all() or (steps == -1).all())


def comes_again(value: Any) -> bool:
    """Whether one of its integers may come several times: they are in no order, and one is there twice in a row, unless
    that is not to be expected."""
    if not has_rows_of_integers(value, _LEAST_COUNTED) or not are_in_no_order(value):
        return False
    pairs = value.numel() * value.shape[-1] / (2.0 * max(int(value.max()) - int(value.min()), 1))
    return pairs < _FEW_PAIRS or bool((value.sort(-1).values.diff(dim=-1) == 0).any())


def are_in_no_order(value: Any) -> bool:
    """Whether no row of integers is in order or padded, none is a parent of later ones, and no pair is there both
    ways."""
    steps, places = value.diff(dim=-1), torch.arange(value.shape[-1], device=value.device)
    if is_one_value(value) or bool((steps >= 0).all(-1).any() or (steps <= 0).all(-1).any()):
        return False
    if padding_of(value) is not None or bool((value <= places).all()):
        return False
    is_of_pairs = value.dim() == 2 and len(value) == 2
    return not (is_of_pairs and torch.equal(*(_pairs(each) for each in (value, value.flip(0)))))


def is_apart(leaf: Any, other: Any) -> bool:
    """Whether another says nothing of it, by the look of one draw: as large, and neither is a function of the other
    place by place; or as many as rows, where these hold larger ones, or of a mask neither how many are set nor up to
    where; or of a graph's edges or nodes, and no more than chance says of these; or rows of another length, of which as
    much is in the next row of the first."""
    leaf, other = (each.view(SIGNED.get(each.dtype, each.dtype)) for each in (leaf, other))
    if leaf.shape == other.shape:
        if is_binary(leaf) and is_binary(other):
            return False
        return _vary_apart(leaf, other)
    if leaf.dim() > 1 and other.shape == leaf.shape[:-1] and is_binary(leaf):
        return not is_binary(other) and _say_nothing_of_rows(leaf != 0, other)
    if leaf.dim() > 1 and leaf.shape[-1] > 2 and other.shape == leaf.shape[:-1]:
        ends = (leaf.amax(-1), leaf.amin(-1), leaf[..., 0], leaf[..., -1], leaf.sum(-1))
        is_among = any(bool((its == other).float().mean() > 1 / 2) for its in ends)
        return not is_among and bool((leaf.amax(-1) > other).any())
    if leaf.dtype not in WIDE_INTEGERS:
        return False
    if leaf.dim() == other.dim() > 1 and leaf.shape[:-1] == other.shape[:-1]:
        is_of_rows = all(comes_again(each) and not is_one_value(each.sum(-1)) for each in (leaf, other))
        return is_of_rows and not any(_say_of_rows(*pair) for pair in ((leaf, other), (other, leaf)))
    leaf = leaf.mT if leaf.dim() == 2 and leaf.shape[1] == 2 else leaf
    if leaf.dim() != 2 or len(leaf) != 2 or int(leaf.min()) < 0 or bool((other.reshape(-1).long().diff() >= 0).all()):
        return False
    return _are_apart_from_edges(leaf.long(), other.reshape(-1))


def _vary_apart(one: Any, two: Any) -> bool:
    """Whether neither is a function of the other, place by place."""
    one, two = (each.reshape(-1)[:_LOOKED_AT].unique(return_inverse=True)[1] for each in (one, two))
    least = int(max(one.max(), two.max())) + 1
    return bool((one * (int(two.max()) + 1) + two).unique().numel() > least)


def _say_nothing_of_rows(mask: Any, other: Any) -> bool:
    """Whether numbers are neither a function of how many of each row are set, or up to where, nor beyond all of these
    or before them."""
    places = torch.arange(1, mask.shape[-1] + 1, device=mask.device)
    last, first = (mask * places).amax(-1), torch.where(mask, places, len(places) + 1).amin(-1)
    is_within = bool((last <= other).all() or (first > other).all())
    return not is_within and _vary_apart(mask.sum(-1), other) and _vary_apart(last, other)


def _are_apart_from_edges(edges: Any, other: Any) -> bool:
    """Whether labels of a graph's edges come at either end of it and in either direction, those of its nodes are not
    the same at both ends of an edge, nor how many each has; and whether some of its nodes are no counts of others."""
    most, (start, end) = int(edges.max()), edges
    if other.numel() == edges.shape[1]:
        return all(_are_all_there(other, part) for part in (2 * start > most, 2 * end > most, start < end))
    if most < other.numel() <= most + LEAST_NODES:
        ends = other[start], other[end]
        has_counts = any(are_counts_of(other, row) for row in edges)
        return not (torch.equal(*ends) or any(map(is_one_value, ends)) or has_counts)
    is_counts = int(other.sum()) in range(most + 1, most + LEAST_NODES + 1) or int(other.sum()) == edges.shape[1]
    are_nodes = int(other.min()) >= 0 and 7 * most <= 8 * int(other.max()) <= 8 * most
    return are_nodes and not is_counts and all(bool(torch.isin(other, each).any()) for each in (start, end))


def _are_all_there(one: Any, two: Any) -> bool:
    """Whether each of a few numbers is there beside each of some others."""
    (names, one), (others, two) = (each.unique(return_inverse=True) for each in (one, two))
    pairs = len(names) * len(others)
    return _LEAST_TIMES * pairs <= len(one) and (one * len(others) + two).unique().numel() == pairs


def _say_of_rows(leaf: Any, other: Any) -> bool:
    """Whether integers, or pairs of them, are those of another one's row, or at places there, rather than of the row
    after that."""
    leaf, other = (each.reshape(-1, each.shape[-1]).long() for each in (leaf, other))
    count = min(len(leaf), max(MOST_PAIRS // (leaf.shape[-1] * other.shape[-1]), 2))
    leaf, other = leaf[:count], other[:count]
    after, pairs = leaf.roll(1, 0), [each[:, 1:] * _PAIR + each[:, :-1] for each in (leaf, other)]
    if len(leaf) < 2 or any(
        abs(_share_in(its, each) - _share_in(its, each.roll(1, 0))) > _AS_MUCH
        for each, its in ((leaf, other), (pairs[0], pairs[1]))
    ):
        return True
    if int(other.min()) < 0 or int(other.max()) >= leaf.shape[-1]:
        return False
    its, theirs = (each.gather(-1, other).unique().numel() for each in (leaf, after))
    return bool(2 * its < theirs)


def _share_in(some: Any, rows: Any) -> float:
    return float((some[..., None] == rows[:, None]).any(-1).float().mean())


def are_sines(value: Any, other: Any) -> bool:
    """Whether they are the sines and cosines of some angles, or a multiple of those."""
    if other.shape != value.shape or other.dtype != value.dtype:
        return False
    squares = value.float().square() + other.float().square()
    return bool(((squares - squares.reshape(-1)[0]).abs() < _OF_SINES).all())


def is_one_in_each_row(value: Any) -> bool:
    """Whether each row has a single number that is not zero."""
    return value.dim() > 0 and bool(((value != 0).sum(-1) == 1).all())


def padding_of(value: Any) -> int | None:
    """What many rows of integers begin, or end, with several times; None where hardly any do."""
    for end in (value[..., : _PADDED + 1], value[..., -_PADDED - 1 :]):
        alike = (end == end[..., :1]).all(-1)
        if float(alike.float().mean()) > _MANY_PADDED:
            return int(end[..., 0][alike].mode().values)
    return None


def _pairs(value: Any) -> Any:
    return (value[0].long() * (int(value.max()) + 1) + value[1]).sort().values
