"""What a tensor is by its values: of one number, sorted, symmetric, a band, positions. Pure.

NOT covered: what an input is beside the others of its task (looks.py).
"""

from __future__ import annotations

from typing import Any

import torch

LEAST_IN_ORDER = _CORNER = 8
LEAST_COUNTED, LEAST_NODES = 4, 16
COUNTED_AT_ONCE = 1 << 24
_SAMPLE, LEAST_TIMES, _FEW_LEVELS = 1 << 12, 8, 16
_MOST_ROWS, _OF_SINES = 2048, 0.02
WIDE_INTEGERS = (torch.int32, torch.int64)
"""Positions and counts."""
SMALL_INTEGERS = (torch.int8, torch.uint8, torch.int16)
"""What quantised weights and pictures are held in; no indices."""
SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}
"""Unsigned integers for which torch has hardly any arithmetic, and those of as many bits for which it has."""


def how_many(marks: Any) -> int:
    """How many are set. `sum` takes eight bytes each, and this does on a GPU: there not all at once."""
    return sum(int(part.count_nonzero()) for part in marks.reshape(-1).split(COUNTED_AT_ONCE))


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
    most = there.numel() // LEAST_TIMES
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
    """The other one, sorted along its rows if the rows of the first are, and in pairs that are in order if its are."""
    if value.dtype in WIDE_INTEGERS and value.dim() == 2 and 2 in value.shape:
        return _in_pairs_as(value, other)
    return other.sort(dim=-1).values if is_sorted(value) else other


def _in_pairs_as(value: Any, other: Any) -> Any:
    """Two rows, or columns, of integers of which one is above the other in every place, though not all of it is: edges
    that lead to what comes later, where something begins and ends. No two become one."""
    along = 0 if len(value) == 2 else 1
    low, high = value.unbind(along)
    is_turned = bool((low > high).all())
    low, high = (high, low) if is_turned else (low, high)
    if low.numel() < LEAST_NODES or not bool((low < high).all()) or int(low.max()) <= int(high.min()):
        return other
    made = torch.stack(other.aminmax(dim=along), along)
    made = made.flip(along) if is_turned else made
    return torch.where((made.diff(dim=along) == 0), value, made)


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
    if value.is_complex() or value.numel() < 2:
        return False
    return all(bool(((part == 0) | (part == 1)).all()) for part in _sooner(value.reshape(-1)))


def is_flags(value: Any) -> bool:
    """Whether it is booleans, or zeros and ones held as numbers, of places and not of pairs."""
    if value.dtype is not torch.bool and not (is_continuous(value) and is_binary(value)):
        return False
    is_square = value.dim() > 1 and value.shape[-1] == value.shape[-2]
    return not is_square or not may_be_of_pairs(value.reshape(-1, *value.shape[-2:]))


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
    if value.dtype not in WIDE_INTEGERS or not value.dim() or value.shape[-1] < LEAST_COUNTED:
        return False
    steps = value.diff(dim=-1)
    return bool((steps == 1).all() or (steps == -1).all())


def are_sines(value: Any, other: Any) -> bool:
    """Whether they are the sines and cosines of some angles, or a multiple of those."""
    if other.shape != value.shape or other.dtype != value.dtype:
        return False
    squares = value.float().square() + other.float().square()
    return bool(((squares - squares.reshape(-1)[0]).abs() < _OF_SINES).all())


def is_one_in_each_row(value: Any) -> bool:
    """Whether each row has a single number that is not zero."""
    return value.dim() > 0 and bool(((value != 0).sum(-1) == 1).all())


def rms(value: Any) -> float:
    """The root of its mean square, which a few bits do not hold of small numbers."""
    size = float(torch.linalg.vector_norm(value, dtype=torch.float64))
    return float(size / value.numel() ** 0.5)
