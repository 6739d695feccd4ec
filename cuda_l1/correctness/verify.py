"""Is the output right? Pure comparison of tensors against a float64 oracle, and the bounds that decide.

Error is relative: of the whole output in the norm, and of each element against max(|oracle|, rms(oracle)), so that
zeros never pass and a single wrong element shows. The bound is a multiple of the reference's own error, with a floor
for each precision that lies below the error of the next coarser one (fp32 products differ from float64 by 1e-7 to
1e-5 in the norm, TF32 and fp16 by 2e-4 to 4e-4, bf16 by 2e-3 to 4e-3).

NOT covered: where the tensors come from, and whether they were honestly made.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch

from cuda_l1.inputs.traits import is_continuous
from cuda_l1.types import Precision

_CHUNK = {"cpu": 1 << 19, "cuda": 1 << 24}
"""How many values are looked at at once: what fits a CPU's cache takes a quarter of the time."""
# precision or output dtype: (norm, element)
_FLOORS: dict[str, tuple[float, float]] = {
    "float64": (1e-9, 1e-8),
    "float32": (1e-4, 1e-3),
    "tf32": (1e-3, 1e-2),
    "float16": (1e-3, 1e-2),
    "bfloat16": (8e-3, 6e-2),
}
_PRECISION_FLOOR: dict[Precision, str] = {
    "default": "float32", "fp32": "float32", "tf32": "tf32", "bf16": "bfloat16", "fp16": "float16",
}  # fmt: skip
_OF_FLOAT64 = 1e-12
_NORM_FACTOR, _ELEMENT_FACTOR = 3.0, 5.0
WORST_ERROR = 0.05
"""Of a reference, in the norm, on values that it is meant for."""
_BESIDE = 0.01
"""Of a number that a run may have where float64 has an infinite one: how far off it is still that number."""


class Errors(NamedTuple):
    """How far one output lies from what was expected."""

    norm: float
    """|out - expected| / |expected| in the 2-norm; infinite where it cannot be formed."""
    element: float
    """Largest |out - expected| / max(|expected|, rms(expected))."""
    worst: str
    """Where the worst element is, what it is and what it should be."""


class Bound(NamedTuple):
    """The largest errors that pass."""

    norm: float
    element: float

    def holds(self, errors: Errors) -> bool:
        """Whether both errors are within; NaN is not."""
        return errors.norm <= self.norm and errors.element <= self.element

    def missed_by(self, errors: Errors) -> str:
        """For a person: errors that are not within."""
        return (
            f"{errors.worst}; error {errors.norm:.3g} in the norm (at most {self.norm:.3g}), "
            f"{errors.element:.3g} in the worst element (at most {self.element:.3g})"
        )

    def beside(self, error: Errors) -> Bound:
        """What passes where what is compared with errs too."""
        return Bound(self.norm + error.norm, self.element + error.element)


_SURE = 0.99
"""Of a bound: what float32 rounds of a norm is less than the rest, of no more values than a chunk."""
_FAINT = 1e-15
"""Squares of what is smaller by as much as a bound says are lost in float32."""
_OF_MANY, _MOST_AT_EDGES = 10_000, 1 << 22
EXACT = Errors(0.0, 0.0, "")


def floor(precision: Precision, dtype: torch.dtype) -> Bound:
    """The bound below which no error counts, for a task's precision and an output's dtype."""
    coarser = max(_FLOORS[_PRECISION_FLOOR[precision]], _FLOORS.get(str(dtype).removeprefix("torch."), (0.0, 0.0)))
    return Bound(*coarser)


def bound(precision: Precision, dtype: torch.dtype, reference: Errors) -> Bound:
    """What passes, given the reference's own error; where that is float64's, the task is one of float64."""
    least = floor(precision, dtype)
    if dtype in (torch.float64, torch.complex128) and reference.norm <= _OF_FLOAT64:
        least = Bound(*_FLOORS["float64"])
    return Bound(
        max(least.norm, _NORM_FACTOR * reference.norm), max(least.element, _ELEMENT_FACTOR * reference.element)
    )


def moved_into(out: torch.Tensor, exact: torch.Tensor, nearby: Iterable[torch.Tensor]) -> torch.Tensor:
    """`out` with `exact` where it lies between that and the others, elsewhere as far from `exact` as it is from the
    nearest of them. All of one shape; what is no floating point must be one of them, complex numbers part by part.
    Between an infinite number and others lie none: it is one of them, or between the finite ones."""
    if exact.is_complex():
        out, exact, *nearby = (
            torch.view_as_real(each.to(exact.dtype).resolve_conj()) for each in (out, exact, *nearby)
        )
        return torch.view_as_complex(moved_into(out, exact, nearby))
    if not exact.dtype.is_floating_point:
        for each in nearby:
            out = torch.where(each == out, exact, out)
        return out
    got, finite = out.to(exact.dtype), torch.isfinite(exact)
    low, high = torch.where(finite, exact, math.inf), torch.where(finite, exact, -math.inf)
    for each in nearby:
        got = torch.where(got == each, exact, got)
        seen = torch.isfinite(each)
        low = torch.minimum(low, torch.where(seen, each, math.inf))
        high = torch.maximum(high, torch.where(seen, each, -math.inf))
    off = got - got.clamp(low, high)
    beside = torch.where(off.abs() < _BESIDE * torch.maximum(low.abs(), high.abs()), exact, got)
    return torch.where(torch.isfinite(got), torch.where(finite, exact + off, beside), got)


def compare(out: torch.Tensor, expected: torch.Tensor) -> Errors:
    """Errors of `out` against `expected` (same shape, any dtypes; that on any device). Not-finite values must stand in
    the same places."""
    if not is_continuous(expected):
        return _compare_exact(out, expected.to(out.device))
    if out.dtype == expected.dtype and same(out, expected):  # most timed outputs are eager's to the last bit
        return EXACT
    out, expected = out.reshape(-1), expected.reshape(-1)
    rms = rms_of(expected, out.device)
    squared, total, element, worst = 0.0, 0.0, 0.0, 0
    step = chunk(out.device)
    for start in range(0, out.numel(), step):
        got, want = wide(out[start : start + step]), wide(expected[start : start + step].to(out.device))
        difference = got - want
        size = float(torch.linalg.vector_norm(difference))
        if not math.isfinite(size):  # only then something in either is not finite
            finite = torch.isfinite(want)
            equal = (got == want) | (torch.isnan(got) & torch.isnan(want))
            if not bool((equal | finite).all()):
                index = int((~(equal | finite)).nonzero()[0, 0])
                return Errors(math.inf, math.inf, _place(start + index, got[index], want[index]))
            want, difference = torch.where(finite, want, 0.0), torch.where(finite, difference, 0.0)
            size = float(torch.linalg.vector_norm(difference))
        squared += size * size
        whole = float(torch.linalg.vector_norm(want))
        total += whole * whole
        if not size:
            continue
        relative = difference.abs()
        if rms > 0:
            relative.div_(want.abs().clamp_min_(rms))  # in place: on a CPU new memory costs ten times as much
        else:
            relative.masked_fill_(relative > 0, math.inf)
        if not math.isfinite(size):
            relative.nan_to_num_(math.inf, math.inf)
        if (largest := float(relative.max())) > element:
            element, worst = largest, start + int(relative.argmax())
    norm = math.sqrt(squared / total) if total > 0 else (0.0 if squared == 0 else math.inf)
    norm = math.inf if math.isnan(norm) else norm
    where = _place(worst, out[worst], expected[worst]) if out.numel() else ""
    return Errors(norm, element, where)


def compare_all(out: Sequence[torch.Tensor], expected: Sequence[torch.Tensor]) -> list[Errors]:
    """Errors of all outputs, by leaf."""
    return [compare(*leaf) for leaf in zip(out, expected, strict=True)]


def all_hold(bounds: Sequence[Bound], out: Sequence[torch.Tensor], expected: Sequence[torch.Tensor]) -> bool:
    """Whether each leaf is within its bound."""
    return all(bound.holds(compare(*pair)) for bound, *pair in zip(bounds, out, expected, strict=True))


def hold_but_for_edges(bounds: Sequence[Bound], out: Sequence[torch.Tensor], exact: Sequence[torch.Tensor]) -> bool:
    """Whether they do, but for one element in ten thousand of outputs that are no larger than some millions: where the
    reference compares or rounds, either side is right."""
    if all_hold(bounds, out, exact):
        return True
    return all_hold(bounds, [_without_edges(*leaf) for leaf in zip(bounds, out, exact, strict=True)], exact)


def _without_edges(bound: Bound, out: torch.Tensor, exact: torch.Tensor) -> torch.Tensor:
    if not is_continuous(exact) or not 0 < exact.numel() <= _MOST_AT_EDGES:
        return out
    off = are_off(out, exact, bound.element)
    return torch.where(off, exact.to(out.dtype), out) if _OF_MANY * int(off.sum()) <= off.numel() else out


def are_off(out: torch.Tensor, exact: torch.Tensor, most: float) -> torch.Tensor:
    """Which elements are, by more than `most` of themselves or of the root mean square, whatever is larger: a mask."""
    size = torch.where(torch.isfinite(exact), exact, 0).abs()
    least = rms_of(exact.reshape(-1), exact.device)
    return (out.to(exact.dtype) - exact).abs() > most * size.clamp_min(least)


def is_near(out: torch.Tensor, expected: torch.Tensor, allowed: Bound) -> bool:
    """Whether they are the same, or their errors certainly within; False for what only `compare` can say, which takes
    eight times as long: one reading of the difference, in the dtype that both have."""
    kind, count = expected.dtype, expected.numel()
    if out.dtype != kind or kind not in (torch.float32, torch.float64) or not count:
        return False
    if same(out, expected):
        return True
    largest = size = whole = 0.0
    parts = (torch.split(each.reshape(-1), chunk(out.device)) for each in (out, expected))
    for got, want in zip(*parts, strict=True):
        difference = got - want
        largest = max(largest, float(torch.linalg.vector_norm(difference, math.inf)))
        size = math.hypot(size, float(torch.linalg.vector_norm(difference)))
        whole = math.hypot(whole, float(torch.linalg.vector_norm(want)))
    rms = whole / math.sqrt(count)
    return _FAINT < rms < math.inf and size <= _SURE * allowed.norm * whole and largest <= _SURE * allowed.element * rms


def same(one: torch.Tensor, two: torch.Tensor) -> bool:
    """Whether they are equal in every element, of one shape and dtype, `two` on any device."""
    in_parts = one.is_cuda and one.numel() > chunk(one.device) and one.is_contiguous() and two.is_contiguous()
    if one.device == two.device and not in_parts:  # on a GPU it takes a byte an element
        return torch.equal(one, two)
    one, two = one.reshape(-1), two.reshape(-1)
    parts = zip(torch.split(one, chunk(one.device)), torch.split(two, chunk(one.device)), strict=True)
    return all(torch.equal(part, other.to(one.device)) for part, other in parts)


def _compare_exact(out: torch.Tensor, expected: torch.Tensor) -> Errors:
    wrong = out.reshape(-1) != expected.reshape(-1)
    count = int(wrong.sum())
    if not count:
        return EXACT
    index = int(wrong.nonzero()[0, 0])
    place = _place(index, out.reshape(-1)[index], expected.reshape(-1)[index])
    return Errors(count / wrong.numel(), math.inf, place)


def chunk(device: torch.device) -> int:
    """How many values are looked at at once on that device."""
    return _CHUNK[device.type]


def rms_of(expected: torch.Tensor, device: torch.device) -> float:
    """Root mean square of the finite of these values, which lie in one row, computed on that device; 0.0 of none."""
    squared, count, step = 0.0, expected.numel(), chunk(device)
    for start in range(0, expected.numel(), step):
        part = wide(expected[start : start + step].to(device))
        size = float(torch.linalg.vector_norm(part))
        if not math.isfinite(size):
            finite = torch.isfinite(part)
            size = float(torch.linalg.vector_norm(torch.where(finite, part, 0.0)))
            count -= int((~finite).sum())
        squared += size * size
    return math.sqrt(squared / count) if count else 0.0


def wide(tensor: torch.Tensor) -> torch.Tensor:
    """It in float64, or complex128."""
    return tensor.to(torch.complex128 if tensor.dtype.is_complex else torch.float64)


def _place(index: int, got: torch.Tensor, want: torch.Tensor) -> str:
    return f"element {index}: got {got.item():.7g}, expected {want.item():.7g}"


def widest(bounds: list[Bound]) -> Bound:
    """The bound that holds whatever one of them holds."""
    return Bound(max(b.norm for b in bounds), max(b.element for b in bounds))


_COARSEST_NORM = 3e-2
"""Several times the error of bf16 through a few layers."""
_SPREAD = 20.0


def is_rounding(errors: Errors) -> bool:
    """Whether errors that are too large may be a coarser precision's: small, and spread over all elements rather than
    gathered in a few (of a million normal errors the largest is five times the root mean square). Small wrong formulas
    look so too: a word on precision needs `held_in` or `agrees` beside it."""
    return errors.norm <= _COARSEST_NORM and errors.element <= _SPREAD * errors.norm


_FEW = 16
_LEAST_AGREEMENT = 0.5
_ALIKE = (0.4, 2.5)
_LEAST_COUNT = 64
_MOST_ROWS, _MOST_SAMPLED = 1 << 12, 1 << 20
_DRAWN = random.SystemRandom()


def held_in(out: torch.Tensor, expected: torch.Tensor, errors: Errors) -> torch.dtype | None:
    """The 16-bit format that holds every element of a wider `out` exactly, and the expected values not: it was
    computed there and cast back."""
    got, expected_ones = _sampled(out, expected)
    want = expected_ones.to(out.dtype).double()
    if out.dtype not in (torch.float32, torch.float64) or len(torch.unique(got)) <= _FEW:  # constants fit any
        return None
    for kind in (torch.bfloat16, torch.float16):
        fits, should = got.to(kind).double() == got, (want.to(kind).double() == want)[want != 0]
        if bool(fits.all()) and float(should.double().mean()) < 0.5 and errors.norm <= 4 * torch.finfo(kind).eps:
            return kind
    return None


def agrees(out: torch.Tensor, expected: torch.Tensor, rounded: torch.Tensor) -> bool:
    """Whether `out` errs as `rounded` does: what is expected of inputs and weights in a coarser format.

    Such errors are reproducible, element by element, while another formula's have nothing to do with them. What is the
    same for the whole batch or proportional to the output is taken off first: a dropped bias or constant is of that
    kind, and so may a rounded weight be. Measured (docs/log.md): wrong formulas agree by 0.24 at most, coarser
    products and convolutions by 0.7 to 1 mostly.
    """
    return agreement(out, expected, rounded) >= _LEAST_AGREEMENT


def agreement(out: torch.Tensor, expected: torch.Tensor, rounded: torch.Tensor, *, of_any_size: bool = False) -> float:
    """By how much, from -1 to 1; 0 where few elements err, and for errors of another size, unless it may be
    `of_any_size`.

    Sizes are of what is left without the parts that are taken off: a bias that is added after a rounding, and rounded
    again, makes most of an error, and that is the same for the whole batch."""
    got, want, its = _sampled(out, expected, rounded)
    one, other = got - want, its - want
    count = int(((one != 0) & (other != 0)).sum())  # zeros say nothing, and eight numbers agree by chance
    one, other = _unbiased(one, want), _unbiased(other, want)
    is_alike = of_any_size or _ALIKE[0] <= float(one.norm() / other.norm()) <= _ALIKE[1]  # not for NaN either
    if count < _LEAST_COUNT or not is_alike:
        return 0.0
    sizes = float(one.norm() * other.norm())
    return float((one * other).sum()) / sizes if sizes > 0 else 0.0


def moves(exact: torch.Tensor, other: torch.Tensor) -> float:
    """By how much an output did, beside what it differs by from item to item; what is the same for all is no move."""
    want, moved = _sampled(exact, other)
    move, size = moved - want, float((want - want.mean(0)).norm())
    return float((move - move.mean(0)).norm()) / size if size else math.inf


def _unbiased(error: torch.Tensor, want: torch.Tensor) -> torch.Tensor:
    error, want = error - error.mean(0), want - want.mean(0)
    square = want.square().sum()
    return error - (error * want).sum() / square * want if square > 0 else error


def _sampled(*alike: torch.Tensor) -> list[torch.Tensor]:
    """Samples in float64 of tensors of one shape, on the first one's device: the same places of all, and of each item
    of the batch the same. All, where there are not many; else drawn anew each time, for who knew them would be exact
    there alone."""
    items = next((extent for extent in alike[0].shape if extent > 1), 1)
    rows = [
        (torch.view_as_real(each.resolve_conj()) if each.is_complex() else each).reshape(items, -1) for each in alike
    ]
    every = _apart(items, items // _MOST_ROWS)
    shown = rows[0][every]
    some = _apart(shown.shape[1], shown.numel() // _MOST_SAMPLED)
    return [each[every][:, some].to(alike[0].device).double() for each in rows]


def _apart(extent: int, least: int) -> slice:
    """Places of so many that are `least` apart or up to twice as far; all where that is one."""
    if least < 2:
        return slice(None)
    step = min(_DRAWN.randrange(least, 2 * least), extent)
    return slice(_DRAWN.randrange(step), None, step)


def worst_of(errors: list[Errors]) -> Errors:
    """The largest errors over several outputs."""
    if not errors:
        return EXACT
    largest = max(errors, key=lambda e: (e.element, e.norm))
    return Errors(max(e.norm for e in errors), largest.element, largest.worst)
