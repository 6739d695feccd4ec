"""On which inputs outputs are verified: the task's own values several times over, and other distributions. Pure.

NOT covered: how they are drawn (distributions.py) and what must come of them (making.py).
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

import torch

from cuda_l1.correctness import slices, verify
from cuda_l1.inputs import asks, limits, operations
from cuda_l1.inputs.bounds import below
from cuda_l1.inputs.distributions import (
    A_LITTLE,
    APART,
    CROWDED,
    DISTRIBUTIONS,
    DOUBLED,
    FAINT,
    HALVES,
    LEANING,
    NANS,
    OUTLIERS,
    RAISED,
    RARE,
    RENAMED,
    REPEATED,
    ROLLED,
    ROWS_APART,
    SELDOM,
    SHARED,
    SPECIAL,
    WIDE,
    in_half,
    of_input,
    padded,
    split_kind,
    without_rows,
)
from cuda_l1.inputs.fills import (
    AGAIN,
    BLANK_PLANES,
    BLANK_SLICES,
    BLANKS,
    FILLED,
    FILLS,
    HIGH,
    IN_ORDER,
    LEAST,
    LOW,
    MANY_BITS,
    NOTHING,
    PARTED,
    SOME_AGAIN,
    STARTS,
    UNEVEN,
)
from cuda_l1.inputs.groups import EMPTIED, ONE_GAP
from cuda_l1.inputs.hidden import OF_LENGTHS
from cuda_l1.inputs.looks import Looks
from cuda_l1.inputs.parts import ALIKE, ALIKE_COLUMNS, CERTAIN, DELAYED, FEW, RELATED, SINGULAR, THIN
from cuda_l1.inputs.patterns import (
    ABOVE,
    BELOW,
    LULLS,
    OF_DIGITS,
    ORDERED,
    PATHS,
    QUIET,
    RANKED,
    SIDES,
    SMOOTH,
    WAYS,
    bears_one_way,
)
from cuda_l1.inputs.redrawn import FAR, LARGE, LARGEST, NEGATIVE, SMALL, STEEP
from cuda_l1.inputs.related import BUT_CLASSES, NAMED, name_some
from cuda_l1.inputs.squares import ALIGNED, OF_INPUTS, ORTHOGONAL, STICKY, bears_squares
from cuda_l1.inputs.traits import SMALL_INTEGERS
from cuda_l1.inputs.trees import DEEP
from cuda_l1.machine import room
from cuda_l1.wire.arena import Layout, Leaf

SLOTS, OUTPUTS = 2, 3
"""How many sets are verified at a time; the outputs of two calls, and those of the first as they are later."""
OWN = 3
"""Sets of the task's own values: two, and one under an address used before. One more for other weights."""
LATER = 2 * SLOTS
"""More of them, which a process meets when it is long at work: half amid a race, and the last `SLOTS` after it, which
no race has shown; where not every distribution has room `SLOTS` for both."""
ONE_BY_ONE = 8
"""So many outputs are written to alone."""
WEIGHTS = ("own", "other", FAR, STEEP, LARGE, SMALL, LARGEST, STICKY, ALIGNED, NEGATIVE, ORTHOGONAL)
"""By index, see `redrawn.other_weights`; those above are its own but for some tensors."""
EXTREME = {2: "own", 3: "small", 4: "own", 5: "own", 6: "own", 7: "small", 8: "small", 9: ABOVE, 10: "small"}
"""Weights under which a recurrence remembers, limits are reached, and nothing is above zero, by index, and what inputs
are then: driven hard, a recurrence forgets under steep ones too."""
EXTREME_BYTES, PARTS_BYTES = 64 << 20, 32 << 20
"""Of weights: larger ones are made extreme, and others in part, but a few times."""
FEW_EXTREME, FEW_OTHERS = 2, 2
"""So many weights that are extreme, and that are otherwise as they hardly ever are, where there are to be few."""
FOR_RECURRENCES, FOR_LIMITS = (FAR, STEEP, ALIGNED, ORTHOGONAL), (LARGE, LARGEST, SMALL)
"""Extreme weights that a recurrence has beside others, and those that there are where there are to be few."""
MOST_FAR_OUT, MOST_OPENED = 4, 8
"""Matrices of which a row is, or many rows are the same: who counts on one may count on chance. And sets under weights
of which what begins closed is open."""
PARTS, SEVERAL = 4, 4
"""How many times at most some tensors alone are others, and up to how many tensors each is once."""
_MOST = 8
"""Inputs that come alone for what each is."""
_Kind = TypeVar("_Kind", str, float)
_WITH_TIES = ("cubed", "large", "huge", "integers", "sparse", *BLANKS, ALIKE, ALIKE_COLUMNS, SIDES, SMOOTH, LULLS,
              DEEP, *SPECIAL)  # fmt: skip
_WITH_ZEROS = ("sparse", *BLANKS)
"""None of their numbers is larger than any of the task's own."""
_NEAR_EDGES = ("small", "tiny", FAINT)
"""Shares of small scores are nearly equal, so that even steps from near zero lie where they end."""
_ALONE = ("large", "huge", NOTHING)
_LEAST_DIMENSIONS = (
    {BLANK_PLANES: 3, BLANK_SLICES: 3, ALIKE: 2, ALIKE_COLUMNS: 2}
    | dict.fromkeys(PATHS, 2)
    | dict(zip(ORDERED, (1, 2, 3), strict=True))
)
_FOR_LIMITS = ("huge", "tiny")
_IN_HALVES = ("signs", "sparse")
_MILDER = {AGAIN: SOME_AGAIN, APART: ROWS_APART, RARE: SELDOM}
_PLAIN = Looks()
_NEARER = 16
"""So many times as near an output is to the answer that it is said to be: a replay is off by roundings alone."""
_BUDGET_BYTES = {"cpu": 512 << 20, "cuda": 4 << 30}
_LEAST_MANY, _MOST_MANY = 20, 65
"""Distributions there are for a task, mostly, and at most: where fewer have room there are few of all else."""
_FEW_PARTS = (3 + FEW_OTHERS, FEW_OTHERS)
_MANY_PARTS = (2 * PARTS + 13 + 3 * MOST_FAR_OUT + 1 + MOST_OPENED, 3 * MOST_FAR_OUT + MOST_OPENED)
"""Sets under some tensors alone (reweighted.py), at most, and how many of them may have inputs of their own."""


_ANY = verify.Bound(math.inf, math.inf)


class InputSet(NamedTuple):
    """One set of inputs to verify on, and what must come out."""

    kind: str
    """`own`, or one of `distributions.DISTRIBUTIONS`."""
    number: int
    weights: int
    """Index into `WEIGHTS`; beyond these its own but for some tensors."""
    inputs: torch.Tensor
    """A slot's row, on the device or, where that has no room for all sets, on the host; so is what is expected."""
    expected: list[torch.Tensor]
    bounds: list[verify.Bound]
    watched: Sequence[slices.Slices] = ()
    """By output leaf: slices too small for the bounds to see."""
    after: InputSet | None = None
    """With whose weights a call is made before; None for the task's own."""

    def leaving(self, opened: Sequence[bool]) -> InputSet:
        """The same where some outputs may be anything."""
        if not any(opened):
            return self
        bounds = [_ANY if each else bound for each, bound in zip(opened, self.bounds, strict=True)]
        watched = self.watched and [
            slices.none_of(leaf) if each else some
            for each, some, leaf in zip(opened, self.watched, self.expected, strict=True)
        ]
        return self._replace(bounds=bounds, watched=watched)

    @property
    def is_part(self) -> bool:
        """Whether its weights are the task's own but for some tensors, and its inputs the first set's."""
        return self.weights >= len(WEIGHTS)

    def is_answered_by(self, leaf: int, out: torch.Tensor, errs: verify.Errors) -> bool:
        """Whether that output, which `errs` so from another set's, is this one's, and by far nearer to it: sets may
        have nearly one answer. Nobody's where anything of that size is within the bounds."""
        bound, found = self.bounds[leaf], verify.compare(out, self.expected[leaf])
        return math.isfinite(bound.element) and bound.holds(found) and not _NEARER * found.norm > errs.norm

    @property
    def name(self) -> str:
        """For a message."""
        what = f"input set {self.number}" if self.kind == "own" else f"input set {self.number} ({self.kind} values)"
        return what + under(self.weights)


def under(weights: int) -> str:
    """For a message, where the weights of that index are not the task's own."""
    name = "some other" if weights >= len(WEIGHTS) else WEIGHTS[weights]
    return f" with {name} weights loaded in place" if weights else ""


def _fit(inputs: Sequence[Leaf], outputs: Sequence[Leaf], device: str) -> int:
    """How many sets have room in the memory that checks may take."""
    each = sum(leaf.nbytes for leaf in inputs) + 4 * sum(leaf.nbytes for leaf in outputs)
    return _BUDGET_BYTES[device.partition(":")[0]] // max(each, 1)


def most_kept(inputs: Sequence[Leaf], outputs: Sequence[Leaf], device: str) -> int:
    """How many sets there are at most of a task's own weights."""
    return min(_fit(inputs, outputs, device), _MOST_MANY)


def kept_nbytes(own: Layout, exact: Layout, weights: int, device: str, source: str) -> int:
    """What all sets take at most, with what must come of them: those of `kinds`, those that candidates meet late, and
    those under other weights than a task's, which has so many bytes of its own, each with all of them where some alone
    are others (the rest: `room.Sizes.taken`). `source` is the task's text."""
    fits = _fit(own.inputs, own.outputs, device)
    are_few = fits < _LEAST_MANY
    whole, parts, drawn = max(min(fits, _MOST_MANY), OWN + bool(weights)) + (SLOTS if are_few else LATER), 0, 0
    if weights:
        whole += FEW_EXTREME if are_few or weights > EXTREME_BYTES else len(EXTREME)
        whole += len(FOR_RECURRENCES) if operations.recurs(source) else 0
        parts, drawn = _FEW_PARTS if are_few or weights > PARTS_BYTES else _MANY_PARTS
    of_inputs, of_outputs = own.input_slot_nbytes, own.output_slot_nbytes
    lent = weights if weights <= room.LENT_BYTES else 0
    return whole * (of_inputs + exact.output_slot_nbytes) + parts * (of_outputs + lent) + drawn * of_inputs


def kinds(
    own: int, inputs: Sequence[Leaf], outputs: Sequence[Leaf], device: str, source: str, looks: Looks = _PLAIN
) -> tuple[list[str], list[str]]:
    """Which sets fit the memory that checks may take: `own` of the task's own first, then distributions. And the
    distributions that do not. `source` is the task's text."""
    fits = _fit(inputs, outputs, device)
    trivial = looks.trivial
    real = [n for n, leaf in enumerate(inputs) if leaf.is_continuous and n not in looks.masks]
    fills = [kind for kind in FILLS if kind != STARTS or not operations.is_causal(source)]
    others = [kind for kind in DISTRIBUTIONS if (trivial and kind in fills if kind in FILLS else real)]
    is_asked = {LEANING: bool(looks.signed), RANKED: operations.ranks(source, outputs) or operations.selects(source)}
    is_asked |= {FAINT: operations.keeps_size(source), CERTAIN: name_some(inputs)}
    is_asked |= dict.fromkeys((ABOVE, BELOW), bool(looks.signed) and operations.stops_at_zero(source))
    is_asked[DELAYED] = len({inputs[n].shape for n in real}) < len(real)
    is_asked |= dict.fromkeys(PATHS, operations.links(source)) | dict.fromkeys(QUIET, operations.fades(source))
    along = [n for n in real if bears_one_way(inputs[n].shape, has_both_signs=n in looks.signed)]
    is_asked |= dict.fromkeys(WAYS, operations.loops(source) and bool(along))
    squares = any(n in looks.signed and bears_squares(inputs[n].shape) for n in real)
    is_asked |= {kind: squares and operations.reaches(source, kind) for kind in OF_INPUTS}
    others = [kind for kind in others if is_asked.get(kind, True)]
    most = max((len(inputs[n].shape) for n in real), default=0)
    others = [kind for kind in others if most >= _LEAST_DIMENSIONS.get(kind, 0)]
    # one alone too: what hangs on two of them may be left out where the other is as it is drawn
    others += [of_input(kind, index) for kind in fills for index in trivial[:SEVERAL] if len(trivial) > 1]
    if not real and max(len(looks.again), len(looks.digits)) > 1:
        others.append(RELATED)
    others += _of_what_they_are(looks, inputs, real, source)
    others += [of_input(below(DEEP, bound), *some) for some, bound in looks.deep]
    others += [HIGH, LOW] if looks.again or looks.digits else []
    hollow = looks.hollow if operations.bears_empty(source) else ()
    for kind, those in (
        (RAISED, looks.counts),
        (SHARED, looks.shares),
        (CROWDED, (*looks.shares, *looks.groups)),
        (EMPTIED, hollow),
    ):
        others += [of_input(below(kind, bound), index) for index, bound in those[:_MOST]]
    others += [of_input(kind, index) for kind in _ALONE for index in real[:SEVERAL] if len(real) > 1]
    others += [of_input(NANS, index) for index in looks.missing[:SEVERAL] if len(real) > 1]
    near_one = [n for n in real if n not in looks.signed or inputs[n].torch_dtype.is_complex]
    others += [of_input(SIDES, index) for index in near_one[:SEVERAL] if len(real) > 1]
    tied = [kind for kind in others if has_ties(kind, source, outputs)]
    others = [kind for kind in others if kind not in tied]
    # a million cost exp(x - y) all its digits: for those who must look alone; and what hides may hide nothing beside it
    is_too_far = asks.stands_for_infinity(source) or not limits.limits_sizes(source)
    too_far = _FOR_LIMITS[:is_too_far] if limits.has_limits(source) else _FOR_LIMITS
    others, tied = ([kind for kind in some if split_kind(kind)[0] not in too_far] for some in (others, tied))
    room = max(fits - own, 0)
    if not may_settle(outputs, source):
        tied = [kind for kind in tied if kind.startswith(_WITH_ZEROS)]
    tied = tied[: max(room - len(others), 0)]
    return ["own"] * own + others[:room] + tied, others[room:]


def _of_what_they_are(looks: Looks, inputs: Sequence[Leaf], real: Sequence[int], source: str) -> list[str]:
    """Distributions of single inputs, for what these are."""
    in_part = dict.fromkeys((*looks.fixed, *looks.sparse, *(n for n in looks.equal if n in real)))
    guards = operations.cuts_off(source)  # as rows without any are guarded
    hidden = _in_turns(looks.hidden)[: 2 * _MOST]  # a mask hides in four ways, integers by many numbers
    tokens = _in_turns(looks.tokens)[: 2 * _MOST]  # of `ages > 65` there are two
    alone = [(ROLLED, looks.told), (REPEATED, looks.positions), (RENAMED, looks.named), (SINGULAR, looks.definite)]
    flags = tuple(n for n in looks.flags if n not in looks.again)
    alone += [(AGAIN, (*looks.again, *looks.ways, *looks.digits, *flags)), (UNEVEN, looks.uneven)]
    alone += [(IN_ORDER, looks.unordered), (LEAST, (*looks.least, *(looks.sparse if guards else ())))]
    alone += [(PARTED, looks.tables if operations.follows(source) else ()), (ONE_GAP, looks.times)]
    alone += [(kind, looks.digits) for kind in OF_DIGITS]
    alone += [(below(MANY_BITS, end), (n,)) for n, end in looks.ends[:_MOST] if operations.shifts_bits(source)]
    alone += [(RARE, looks.flags), (SELDOM, tuple(n for n in looks.flags if len(inputs[n].shape) == 1))]
    alone += [(APART, looks.equal), (FEW, (*in_part,)[:SEVERAL]), (THIN, looks.fixed[:SEVERAL])]
    found = [of_input(padded(token, is_left=looks.is_left, rows=guards), at) for at, token in tokens]
    may_hide = operations.may_hide_all(source)
    found += [of_input(kind, at) for at, kind in hidden if may_hide or kind.startswith(OF_LENGTHS)]
    found += [of_input(f"{NAMED}{by}", at) for at, by in looks.named_by[:_MOST]]
    # where rows are padding throughout, a look at any part of each finds some
    found += [of_input(padded(token, is_left=looks.is_left), at) for at, token in tokens[: guards * _MOST]]
    return found + [of_input(kind, index) for kind, some in alone for index in some[:_MOST]]


def _in_turns(those: Iterable[tuple[int, _Kind]]) -> list[tuple[int, _Kind]]:
    """Of each input the first, then of each the second, and so on: one with many leaves room for others."""
    counts, turns = Counter[int](), dict[tuple[int, _Kind], int]()
    for index, kind in those:
        counts[index] += 1
        turns.setdefault((index, kind), counts[index])
    return sorted(turns, key=turns.__getitem__)


def may_settle(outputs: Sequence[Leaf], source: str) -> bool:
    """Whether what is chosen may be asked for on such values: not where larger numbers may leave an integer's range, as
    they may if nothing is cut off."""
    return operations.cuts_off(source) or not any(leaf.torch_dtype in SMALL_INTEGERS for leaf in outputs)


def has_ties(kind: str, source: str, outputs: Sequence[Leaf]) -> bool:
    """Whether a task may have a free choice there: ties, or what is so large that others are nothing beside it."""
    tied = (*_WITH_TIES, *_NEAR_EDGES) if operations.finds_places(source) else _WITH_TIES
    tied = (*tied, OUTLIERS, CERTAIN) if operations.saturates(source) else tied
    if not kind.startswith(tied) or not is_promised(kind, source):  # what goes wrong there is a note
        return False
    return operations.ranks(source, outputs) and not operations.orders_equal_ones(source)


def of_all(kind: str, looks: Looks) -> list[str]:
    """As what a distribution is tried of all inputs, one after the other: where a table of numbers has columns that may
    be classes, of what stands beside these too."""
    may_stay = looks.classes and kind in DISTRIBUTIONS and kind not in FILLS
    return [kind, kind + BUT_CLASSES] if may_stay else [kind]


def instead(kind: str, *, are_ranked: bool = False) -> list[str]:
    """What is tried of a distribution that the task, which may rank values, is not meant for."""
    name, some = split_kind(kind)
    if name in _IN_HALVES and some is None:
        halves = [in_half(kind, number) for number in range(HALVES)]
        return halves if are_ranked or name != "signs" else [*halves, WIDE]
    if name == FILLED:
        return [DOUBLED if some is None else of_input(DOUBLED, *some)]
    if some is None:
        return []
    if without_rows(name) != name:
        return [of_input(without_rows(name), *some)]
    if name in _MILDER:
        return [of_input(_MILDER[name], *some)]
    return [of_input(A_LITTLE, *some)] if name.startswith(SHARED) else []


def written(writable: Sequence[int], rng: random.Random) -> list[list[int]]:
    """Which of these outputs are written to at once: each alone, or of many some, and all others together."""
    alone = rng.sample(writable, len(writable))
    some = ONE_BY_ONE if len(alone) <= ONE_BY_ONE else ONE_BY_ONE - 1
    return [*([leaf] for leaf in alone[:some]), *([alone[some:]] if alone[some:] else [])]


def is_promised(kind: str, source: str) -> bool:
    """Whether a task says what comes of such values: always, but where they are no numbers, or not finite, and its text
    does not speak of them."""
    speaks = SPECIAL.get(kind.removesuffix(BUT_CLASSES))
    return speaks is None or speaks.search(source) is not None


def parts(names: Sequence[str], rng: random.Random) -> list[list[str]]:
    """Which tensors alone are others, several times over. Whoever looks at one of them to know of another is seen: each
    comes alone, or, of many, one half of all or another, so that any two are apart in some of most sessions."""
    drawn = rng.sample(names, len(names))
    if len(drawn) <= SEVERAL:
        return [[name] for name in drawn]
    bits = [[bool(number >> bit & 1) for number in range(len(drawn))] for bit in range((len(drawn) - 1).bit_length())]
    halves = [
        [name for name, one in zip(drawn, bit, strict=True) if one is its] for bit in bits for its in (True, False)
    ]
    return rng.sample(halves, PARTS)
