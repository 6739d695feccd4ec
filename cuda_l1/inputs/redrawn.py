"""A module's weights with other values: what a tensor of them is drawn as, under which others are tried.

NOT covered: which of them a task is meant for (preparation.py), and how they are written and loaded (weights.py).
"""

from __future__ import annotations

from typing import Any

import torch

from cuda_l1.inputs.parts import (
    ALIKE,
    ALIKE_COLUMNS,
    DEAD,
    FAR_OUT,
    FEW,
    FEWEST,
    MIXED,
    MOVED,
    OUTLYING,
    THIN,
    alike,
    has_placed_zeros,
    permuted,
    with_dead,
)
from cuda_l1.inputs.rounding import ROUNDINGS, are_whole, rounded
from cuda_l1.inputs.squares import SQUARES, is_square
from cuda_l1.inputs.traits import (
    LEAST_IN_ORDER,
    SIGNED,
    SMALL_INTEGERS,
    WIDE_INTEGERS,
    has_both_signs,
    is_band,
    is_float8,
    is_one_value,
    is_sorted,
    is_symmetric,
    kept_as,
    rms,
)

BOLDEST, BOLD, CAUTIOUS, PERMUTED, SCALED = "boldest", "bold", "cautious", "permuted", "scaled"
NUDGED, TRADED_ROWS, TRADED_COLUMNS = "nudged", "traded rows", "traded columns"
TRADED = (TRADED_ROWS, TRADED_COLUMNS)
NEAREST, BETWEEN, NEARER, NEAR = "nearest", "between", "nearer", "near"
ALONE, FREE, FAR, STEEP = "alone", "free", "far", "steep"
OPENED, COUNTED, NUMBERED, LOOSE = "opened", "counted", "numbered", "loose"
REACHED = {"before what is asked": -1, "at what is asked": 0, "beyond what is asked": 1}
"""By how much what counts calls is off from a number that the text asks it for."""
WITH_ZEROS = (ALONE, FREE, LOOSE, FEW, *DEAD)
"""Some elements of these are zero, of LOOSE ones in what nobody trains."""
ENTIRE = (PERMUTED, SCALED, NUDGED, *TRADED, *DEAD, OPENED, COUNTED, NUMBERED, *REACHED)
"""Where some tensors alone are others, these are so throughout."""
LARGE, LARGEST, SMALL, NEGATIVE = "large", "largest", "small", "negative"
WHOLE = (BOLDEST, BOLD, CAUTIOUS, PERMUTED, SCALED)
"""In which order these are tried for all weights together."""
MOVED_BY = {NEAREST: 2.0**-14, BETWEEN: 2.0**-9, NEARER: 2.0**-7, NEAR: 2.0**-5}
"""By such a share of itself each number is larger or smaller at most: next to nothing, and by little."""
SCATTERED = "scattered"
"""Each number by a power of two of its own smaller, at the end of a name of `ROUNDINGS` too: it has as many bits as
before, and sums of them have more."""
_HALVINGS = 7
_AS = {FREE: ALONE, LOOSE: BOLDEST, OPENED: ALONE, FEW: ALONE, THIN: BOLDEST, FEWEST: BOLDEST}
_FAINT, _VISIBLE, _NEGATIVE, _ZEROED, _TURNED_ON, _LEANING, _STEP = 1e-3, 0.1, 1 / 3, 1 / 8, 1 / 4, 1 / 4, 1e-3
_STEEPER, _FAR_SHARE, _FAR_BY, _SMALLER, _SLOWER = 2.0, 1 / 4, 6.0, 64.0, 1 / 16
_OUTLYING_BY = (32.0, 64.0)
"""Between the two: the further, the more of a look at all rows sees it. Nearer, it hardly moves what sums
thousands of exponentials."""
_BELOW = 4.0
_LEAST_COUNT, _FEW_COUNTED, _MOST_COUNTED = 2, 5, 33
_REACHED = {LARGE: 64.0, LARGEST: 4096.0}
"""By the largest weight; exponentials of 64 are finite."""
_PACKED = 1 << 20
"""Wider integers as large hold several numbers each, and are no indices."""


def other_weights(value: Any, how: str, *, is_trained: bool) -> Any:
    """A tensor of the same kind, with other values, and none so small that it could be left out. Signs stay, and zeros
    that may mean something (variances, masks), but those of what `is_trained` are where training begins. What is sorted
    stays so, as the edges of bins, and what is symmetric, as a covariance.

    BOLD ones have the sign changed of what is the same number throughout, as the scales of norms are, and masks whose
    elements trade places; BOLDEST ones the sign too of what is drawn with one; CAUTIOUS ones neither. ALONE ones, which
    are others without the rest, are BOLDEST, and a frozen norm's scales have signs changed too, masks of numbers trade
    places, flags are others, a few elements of what is frozen are zero, and fewer of a trained matrix below zero, so
    that its mean is not; FREE ones are those, and neither sorted nor symmetric if they are trained, nor are LOOSE ones,
    without zeros. PERMUTED ones are CAUTIOUS but for masks, and the rows and columns of what is symmetric trade places;
    SCALED ones are a multiple: both for what must stay positive definite.
    FAR ones have some biases so far out that gates stay open, STEEP ones matrices whose products grow where they faded:
    what a recurrence forgets under weights as they are drawn it remembers under these. LARGE, LARGEST and SMALL ones
    reach limits that are set to weights, or behind a norm, under STICKY ones hardly anything follows a state but
    itself, ALIGNED ones are square matrices of nearly rank one, ORTHOGONAL ones rotate and fade nothing, and NEGATIVE
    ones leave nothing above zero of inputs that are. MIXED ones are CAUTIOUS, but for one (see `parts.mixed`), FEW ones
    ALONE, THIN and FEWEST ones BOLDEST, in few places (see `in_part`), OUTLYING ones CAUTIOUS and 32 to 64 times as
    large, where a row of what is trained may lie far out alone, and NUDGED ones a thousandth of their size off, each as
    far, as after a step. Of TRADED ones rows or columns trade places, so that no sum tells them, and a vector's
    extremes lie at its ends; of DEAD ones some rows are zero, and a column, or one of the two. OPENED ones are ALONE:
    for what begins closed; COUNTED ones as large as counts, where those began at zero, NUMBERED ones less, where those
    are one whole number, and MOVED ones single numbers, further up or down. Those of MOVED_BY are so far away, those of
    ROUNDINGS hold fewer bits, and SCATTERED ones are smaller by powers of two."""
    is_free = how in (FREE, LOOSE) and is_trained
    how = CAUTIOUS if how in MIXED else _AS.get(how, how)
    if not value.numel() or (how in FAR_OUT and not (is_trained and _has_rows(value))):
        return value
    if how in (ALIKE, ALIKE_COLUMNS):
        return kept_as(value, alike(value, int(how == ALIKE_COLUMNS)))
    if is_float8(value):
        return other_weights(value.float(), how, is_trained=is_trained).to(value.dtype)
    if value.dtype in SIGNED:
        return other_weights(value.view(SIGNED[value.dtype]), how, is_trained=is_trained).view(value.dtype)
    if value.is_complex():
        real = torch.view_as_real(value.resolve_conj()).contiguous()
        return torch.view_as_complex(other_weights(real, how, is_trained=is_trained))
    if how in (COUNTED, NUMBERED):
        return value if is_trained else _counted(value) if how == COUNTED else _numbered(value)
    if how in TRADED:
        return _moved_around(value, 0 if how == TRADED_ROWS else -1) if is_trained else value
    if how in DEAD:
        return with_dead(value, how) if is_trained and _has_rows(value) else value
    if how == SCALED:
        return value * (0.5 + torch.rand((), device=value.device)) if value.is_floating_point() else value
    if not value.is_floating_point():
        return _traded(value, how)
    if how in SQUARES:
        return SQUARES[how](value) if is_trained and is_square(value.shape) else value
    if how in MOVED_BY or how in ROUNDINGS or how.endswith(SCATTERED):
        return kept_as(value, moved_by(value, how)) if is_trained or not are_whole(value) else value
    if how in (NUDGED, *MOVED):
        return _nudged(value, how) if is_trained else value
    if how == PERMUTED and is_symmetric(value):
        return permuted(value)
    other = _drawn(value, how, is_trained=is_trained)
    is_loose = is_free or (how == ALONE and is_trained and _begins_symmetric(value))
    return other if is_loose else kept_as(value, other)


def _is_line(value: Any) -> bool:
    """Whether it is a vector, or a number, in whatever shape: `(heads, 1, 1)`."""
    return bool(max(value.shape, default=1) == value.numel())


def _are_decays(value: Any) -> bool:
    """Between 0 and 1, or some of them exactly that, as of `linspace(0, 0.6, n)`."""
    return bool(((value >= 0) & (value <= 1)).all()) and bool(((value > 0) & (value < 1)).any())


def _are_shares(value: Any) -> bool:
    several = value.shape[-1] > 1 and bool((value >= 0).all())
    return several and bool(((value.sum(-1) - 1).abs() < 1e-5).all())


def _begins_symmetric(value: Any) -> bool:
    """Symmetric as it is drawn, and no covariance: what is trained need not stay so."""
    return is_symmetric(value) and bool((torch.linalg.cholesky_ex(value.float()).info != 0).any())


def _traded(value: Any, how: str) -> Any:
    """Integers that hold numbers, and masks that are no bands, in other places; of one value some are others. So that
    no sum of them tells, bytes come again ALONE, and of what is packed the lower bits do. Keys in order stay so."""
    is_wide = value.dtype not in (*SMALL_INTEGERS, torch.bool)
    if value.numel() == 1:  # a flag, say
        return (1 - value.int()).to(value.dtype) if how == ALONE and 0 <= int(value) <= 1 else value
    if (is_wide and not _is_packed(value)) or is_band(value):
        return value
    if how == CAUTIOUS and value.dtype is torch.bool:
        return value
    if how != CAUTIOUS and is_one_value(value):
        some = torch.rand(value.shape, device=value.device) < 1 / 3
        return value ^ some if value.dtype is torch.bool else value + some.to(value.dtype)
    if is_wide and _are_in_order(value):
        return _between(value)
    if is_wide and how != CAUTIOUS:
        below = (1 << int(value.abs().max()).bit_length() // 2) - 1
        value = value & ~below | _again(value) & below
    elif how == ALONE and value.dtype is not torch.bool and _come_again(value):
        value = _again(value)
    return _rolled(value)


def _come_again(value: Any) -> bool:
    """Whether there are more of them than values; a permutation stays one."""
    return bool(value.numel() > 1 << 16 or len(value.unique()) < value.numel())


def _again(value: Any) -> Any:
    """Half of its elements, by chance, are others of them: some come several times, and some not at all."""
    some = torch.randint(2, value.shape, dtype=torch.uint8, device=value.device)  # indices would be eight times it
    return torch.where(some.bool(), _rolled(value), value)


def _are_in_order(value: Any) -> bool:
    return value.shape[-1] >= LEAST_IN_ORDER and bool((value[..., 1:] >= value[..., :-1]).all())


def _between(value: Any) -> Any:
    """Half of them, by chance, somewhere between where they are and the next one in their row."""
    room = (value[..., 1:] - value[..., :-1] - 1).clamp(min=0)
    further = (room * torch.rand(room.shape, dtype=torch.float64, device=value.device)).to(value.dtype).minimum(room)
    other = value.clone()
    other[..., :-1] += further * torch.randint_like(further, 2)
    return other


def _moved_around(value: Any, along: int) -> Any:
    """Its rows, or columns, in other places; numbers in order stay, and what may be a triangle."""
    if value.numel() < 2 or is_sorted(value) or (value.dim() > 1 and has_placed_zeros(value)):
        return value
    if _is_line(value):
        return _with_ends(value, is_rising=along != 0)
    if value.shape[along] < 2:
        return value
    by = int(torch.randint(1, value.shape[along], ()))
    return permuted(value) if is_symmetric(value) else value.roll(by, along)


def _with_ends(value: Any, *, is_rising: bool) -> Any:
    """A line in another order, with its extremes at its ends, the largest last if it is rising: where it decides which
    of several is the largest, those at the ends are that."""
    order = value.flatten().argsort(descending=not is_rising)
    between = order[1:-1][torch.randperm(value.numel() - 2, device=value.device)]
    return value.flatten()[torch.cat([order[:1], between, order[-1:]])].view(value.shape)


def _is_packed(value: Any) -> bool:
    are_powers = value & (value - 1) == 0  # which are what bits weigh
    return bool((value.abs() >= _PACKED).any()) and not bool(are_powers.all())


def _drawn(value: Any, how: str, *, is_trained: bool) -> Any:
    if not bool(value.any()):
        return _begun(value, how, is_trained=is_trained)
    may_fade = (how == FAR and not is_trained) or (how in (CAUTIOUS, FAR) and _is_line(value))
    if may_fade and _are_decays(value):  # which stay below one; far out some hardly let anything fade
        power = 0.5 + torch.rand_like(value)
        slower = (power < 1) | (value.numel() == 1)
        return value ** torch.where(slower, _SLOWER, power) if how == FAR else value**power
    scale = rms(value)
    if not is_trained and is_band(value):
        return value
    if is_trained:
        value = torch.where(value == 0, torch.randn_like(value) * scale, value)
    if _has_signs_changed(value, how, is_trained=is_trained):
        negative = torch.rand_like(value) < (_NEGATIVE if value.numel() > 1 else 1.0)
        value = torch.where(negative, -value, value)
    if how == ALONE and value.numel() > 1 and (is_trained or not (_is_line(value) and _are_decays(value))):
        value = _with_zeros(value)
    if how == ALONE and is_trained and value.dim() > 1:  # matrices whose mean is next to none in every other draw
        value = torch.where(torch.rand_like(value) < _LEANING, value.abs(), value)
    value = value * (_VISIBLE / scale if 0 < scale < _FAINT else 1.0)
    value = value * (0.5 + torch.rand_like(value))
    if how == NEGATIVE and is_trained:
        return value.abs() * -_BELOW if has_both_signs(value) else value
    if how == STEEP and is_trained and value.dim() > 1:
        return value * _STEEPER
    if how in _REACHED and is_trained:
        return _enlarged(value, how)
    if how == OUTLYING:
        least, most = _OUTLYING_BY
        return value * (least * (most / least) ** float(torch.rand(())))
    if how == SMALL and is_trained:
        return value / _SMALLER
    return value + _away(value) if how == FAR and is_trained and _is_line(value) else value


def _begun(value: Any, how: str, *, is_trained: bool) -> Any:
    """What starts at zero: a bias, a gate, a running mean; or counts and squares, which CAUTIOUS leave above zero; or
    flags held as numbers, some of which ALONE turns on."""
    drawn = torch.randn_like(value) * 0.1
    if how == NEGATIVE or (value.numel() == 1 and how == LARGE):
        drawn = -drawn.abs()
    if is_trained:
        drawn = drawn + _away(value) if how == FAR and _is_line(value) else drawn
        return _enlarged(drawn, how) if how in _REACHED else drawn
    if how == ALONE and value.numel() == 1:
        return torch.ones_like(value)
    if how == ALONE:
        chance = torch.rand_like(value)
        return torch.where(chance < _TURNED_ON, 1, torch.where(chance > 1 - _ZEROED, 0, drawn / 0.1))
    return drawn.abs() if how == CAUTIOUS else drawn


def _counted(value: Any) -> Any:
    """Numbers from two on of what began at zero; not of wide integers where they are several, which may be places."""
    is_wide = not value.is_floating_point() and value.dtype not in SMALL_INTEGERS
    if value.dtype is torch.bool or (is_wide and value.numel() > 1) or bool(value.any()):
        return value
    return torch.randint(_LEAST_COUNT, _FEW_COUNTED if is_wide else _MOST_COUNTED, value.shape).to(value)


def _numbered(value: Any) -> Any:
    """A wide integer that is one number above one (a seed, how often something is repeated, a word that stands for
    none): a lesser one, down to half of it, for what is sized by it has room for that."""
    is_one = value.numel() == 1 and value.dtype in WIDE_INTEGERS
    if not is_one or int(value) < _LEAST_COUNT:
        return value
    return value - int(torch.randint(1, int(value) // 2 + 1, ()))


def _away(value: Any) -> Any:
    """By how much a gate's bias may be off: one element each way, whatever chance says of the rest; a single number
    upwards, and large ones downwards."""
    away = torch.where(torch.rand_like(value) < _FAR_SHARE, torch.randn_like(value) * _FAR_BY, 0)
    some = torch.randperm(value.numel(), device=value.device)[:2]
    away.view(-1)[some] = away.new_tensor([_FAR_BY, -_FAR_BY])[: len(some)]
    return away


def _has_rows(value: Any) -> bool:
    return value.is_floating_point() and not is_float8(value) and value.dim() > 1 and len(value) > 1


def moved_by(value: Any, how: str) -> Any:
    """Each number by a share of itself of its own, see `MOVED_BY`, or to one of fewer bits, of `ROUNDINGS`, or
    SCATTERED."""
    if how.endswith(SCATTERED):
        value, how = _scattered(value), how.removesuffix(SCATTERED)
    if how in ROUNDINGS:
        return rounded(value, how)
    return value * (1 + MOVED_BY[how] * (torch.rand_like(value) - torch.rand_like(value))) if how else value


def _scattered(value: Any) -> Any:
    """By powers of two smaller, but for whole numbers."""
    if are_whole(value):
        return value
    halvings = torch.randint(_HALVINGS + 1, value.shape, device=value.device)
    return value * torch.ldexp(torch.ones_like(value.abs()), -halvings)


def _nudged(value: Any, how: str) -> Any:
    if how in MOVED:
        return value + MOVED[how] if value.numel() == 1 else value
    size = rms(value)
    return kept_as(value, value + torch.where(torch.rand_like(value) < 1 / 2, -size, size) * _STEP)


def _rolled(value: Any) -> Any:
    """Its elements in other places."""
    return value.reshape(-1).roll(int(torch.randint(1, value.numel(), ()))).view(value.shape)


def _enlarged(value: Any, how: str) -> Any:
    return value * min(_REACHED[how], max(1.0, _REACHED[how] / float(value.abs().max())))


def _with_zeros(value: Any) -> Any:
    """Its elements in other places where they are a mask of numbers; a few of them zero where none is."""
    if not has_placed_zeros(value):
        return value.masked_fill(torch.rand(value.shape, device=value.device) < _ZEROED, 0)
    return _rolled(value) if is_one_value(value[value != 0]) else value


def _has_signs_changed(value: Any, how: str, *, is_trained: bool) -> bool:
    # one frozen number is a decay, a limit or a temperature, which are positive by what they mean
    if how == LARGEST and value.numel() == 1:  # large ones have the other sign
        return False
    if how in (CAUTIOUS, PERMUTED, OUTLYING) or not (is_trained or (how == ALONE and value.numel() > 1)):
        return False
    if not is_trained and _are_shares(value):
        return False
    has_one_sign = is_trained and how in (BOLDEST, ALONE) and bool((value > 0).all() or (value < 0).all())
    return has_one_sign or is_one_value(value)
