"""What a session asks the reference before any candidate comes: input sets with what must come of them, what timed
outputs may differ by on each distribution, whether there are other weights, and whether the task is sound.

NOT covered: how the reference is asked (reference.py), and which distributions there are (sets.py, distributions.py).
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack

import torch

from cuda_l1.correctness import making, refusals, reweighted, sets, state, verify
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.rehearsal import PLAIN, LostError
from cuda_l1.correctness.sets import InputSet
from cuda_l1.errors import CannotJudgeError, TaskError
from cuda_l1.inputs import operations, traits
from cuda_l1.inputs.asks import names_of
from cuda_l1.inputs.distributions import SPECIAL, of_input, split_kind
from cuda_l1.inputs.draws import heads_of
from cuda_l1.inputs.fills import ENDS, FILLED, FILLS, STARTS
from cuda_l1.inputs.looks import Looks, look
from cuda_l1.inputs.told import may_say
from cuda_l1.machine import room
from cuda_l1.types import Finding, Task
from cuda_l1.wire.link import RefusalError
from cuda_l1.wire.values import decode

_MOST_OPENED, _MOST_FULL = 8, 2
"""So often at most a session is opened, and so often once more on a device that may have been full."""
_FAR_BESIDE = 8
"""Beside so many sets that have room there is room for one more."""
_LOOKS, _FEWEST_LOOKS, _DRAWN_BYTES = 16, 2, 1 << 23
"""So many draws are looked at beside the last one, or some at least, where they take more than so many bytes."""
_SMALL_BYTES = 1 << 19
"""Of an input that is looked at in all of them, where what such take is no more than twice that in all draws."""
_MEET_S = 2.0
"""For distributions of which no set is kept."""


def opened(stack: ExitStack, task: Task, device: str, make: Callable[..., Reference]) -> Reference:
    """The reference that `make` makes on that device, opened on that stack and ready for candidates; once more, with
    more care, where it lost its process, and where others had filled the device. TaskError where that happens again and
    again, and for a reference without one answer."""
    care, found_full = PLAIN, 0
    for _ in range(_MOST_OPENED):
        try:
            return stack.enter_context(_ready(make(care=care)))
        except LostError as lost:
            care = lost.care
        except CannotJudgeError as error:
            found_full += 1
            if found_full > _MOST_FULL or not refusals.is_for_memory(str(error)):
                raise
            room.wait_while_full(device)
    raise TaskError(f"task {task.name}: the reference gave no answer in time on {care.named}: keep it from such values")


@contextlib.contextmanager
def _ready(ref: Reference) -> Iterator[Reference]:
    with ref:
        with ref.blamed():
            with ref.lease.beside_others():
                ref.looks = looks(ref)
                count = ref.own_sets + bool(ref.state)
                leaves = ref.input_leaves, ref.output_leaves
                state.find_changes(ref)
                _prepare(ref, *sets.kinds(count, *leaves, ref.device, ref.text, ref.looks))
                state.see(ref)
                state.find_history(ref)
            ref.time_calls()
        ref.notes += ref.care.notes
        yield ref


def _prepare(ref: Reference, kinds: list[str], large: list[str]) -> None:
    """Make sets of these kinds, and meet those too large for one."""
    if ref.extra:
        said = f"{', '.join(ref.extra[:4])} of its state cannot be given other values: no candidate wins here"
        ref.notes.append(Finding(check="extra_state", detail=said))
    for number, kind in enumerate(kinds):
        if kind == "own":
            own = reweighted.make_heavy(ref, number) if number == ref.own_sets else making.make_set(ref, number, kind)
            ref.sets += [own] if own is not None else []
        else:
            left = sets.most_kept(ref.input_leaves, ref.output_leaves, ref.device) - len(ref.sets) - len(kinds) + number
            made = _make_of(ref, number, kind, 1 if large else min(max(left, 1), sets.SEVERAL))
            ref.sets += made[:1] if large else made  # the others come in races
    if ref.precision == "tf32" and ref.has_oracle and ref.room.keeps and not ref.noise:
        _make_far(ref, len(kinds) + len(sets.EXTREME), large)
    ref.bounds = [verify.widest([s.bounds[i] for s in ref.sets if s.kind == "own"])
                   for i in range(len(ref.output_leaves))]  # fmt: skip
    if ref.room.keeps:
        error = ref.error  # of what candidates are verified on
        count = sets.SLOTS if large else sets.LATER
        later = (making.make_set(ref, len(kinds) + each, "own") for each in range(count))
        ref.later = [made for made in later if made]
        ref.error = error
    if ref.has_other_weights and not ref.noise:
        reweighted.make_extreme(ref, len(kinds), are_few=bool(large) or ref.state_nbytes > sets.EXTREME_BYTES)
    if ref.has_other_weights and not (ref.noise or ref.degenerate):  # under some all that is left is rounding
        are_few = bool(large) or ref.state_nbytes > sets.PARTS_BYTES
        reweighted.make_parts(ref, len(kinds) + len(sets.EXTREME), are_few=are_few)
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
    """What its inputs are by the look of some draws, for few numbers are alike, or in order, by chance. What is large
    is so by the last, in its slot, and by how another begins; and so is all where such may say what others are."""
    small = [leaf.nbytes <= _SMALL_BYTES for leaf in ref.input_leaves]
    taken = sum(leaf.nbytes for leaf, is_small in zip(ref.input_leaves, small, strict=True) if is_small)
    most = min(_LOOKS, 2 * _SMALL_BYTES // max(taken, 1), _DRAWN_BYTES // max(ref.verify_layout.input_slot_nbytes, 1))
    before, kept = list[torch.Tensor](), list[list[torch.Tensor]]()
    for _ in range(max(most, _FEWEST_LOOKS) if taken else 1):
        leaves = ref.leaves_of(making.drawn(ref, "own"))
        before = before or heads_of(leaves)
        kept.append([leaf.clone() if is_small else leaf for leaf, is_small in zip(leaves, small, strict=True)])
    drawn = ref.leaves_of(making.drawn(ref, "own"))
    says = any(not is_small and may_say(leaf) for leaf, is_small in zip(drawn, small, strict=True))
    others = [
        [its if is_small else one for its, one, is_small in zip(leaves, drawn, small, strict=True)] for leaves in kept
    ]
    called = zip(names_of(ref.text, len(ref.order)), ref.order, strict=True)
    names = [name for name, (is_tensor, _) in called if is_tensor]
    made_with = [decode(value) for value in ref.init]
    return look(drawn, names, ref.text, [*made_with, *ref.constants], before, [] if says else others)


def drop_refused(
    ref: Reference,
    weights: int,
    rows: Iterable[tuple[str, torch.Tensor]],
    *,
    rehearses: bool = False,
    has_raised: bool = False,
) -> bool:
    """Have races draw no more of a distribution on one of whose `rows` (inputs of that kind) the reference raises under
    the weights of that index, on the CPU already if it `rehearses`; or makes of numbers what is none, as it does not of
    its own, if somebody `has_raised` there: a factorisation that raises where the reference's own has a negative root.
    Whether there is one."""
    before, is_of_numbers = len(ref.other_bounds), has_raised and _are_numbers(ref.sets[0].expected)
    with ref.under(weights):
        for kind, row in rows:
            ref.verify_arena.rows[0].copy_(row)
            may_lose = is_of_numbers and _are_numbers(ref.verify_arena.input(0))
            try:
                if rehearses:
                    ref.rehearse(slot=0)
                ref.run("verify", [0], ref.config.build_timeout_s)
                if may_lose and not _are_numbers(ref.verify_arena.output(0)):
                    ref.other_bounds.pop(kind, None)
            except RefusalError as refusal:
                if refusals.is_for_memory(refusal):
                    raise
                ref.other_bounds.pop(kind, None)
    ref.verify_arena.rows[0].copy_(ref.sets[0].inputs)
    return len(ref.other_bounds) < before


def _are_numbers(leaves: Iterable[torch.Tensor]) -> bool:
    """Whether none of them is infinite, or no number."""
    return all(bool(traits.with_arithmetic(leaf).isfinite().all()) for leaf in leaves)


def _make_of(ref: Reference, number: int, kind: str, most: int) -> list[InputSet]:
    """Sets of a distribution: of all inputs, or of some alone, which another's domain is no reason against, so many at
    most, or of what is tried instead. Inputs that are equal as they are drawn are not, where one is negated."""

    def whole() -> list[InputSet]:
        tried = (making.make_set(ref, number, each) for each in sets.of_all(kind, ref.looks))
        return list(itertools.islice(filter(None, tried), 1))

    alone = functools.partial(_make_alone, ref, number, kind, most)
    found = alone() or whole() if kind == "negated" else whole() or _make_together(ref, number, kind, most) or alone()
    tried = sets.instead(kind, are_ranked=operations.ranks(ref.text, ref.output_leaves))
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
    return out is None or not verify.all_hold(made.bounds, out, made.expected)


def _several(ref: Reference, kind: str) -> list[int]:
    """Inputs some of which may be of a distribution that all of them may not be of."""
    several = [index for index, leaf in enumerate(ref.input_leaves) if leaf.torch_dtype.is_floating_point]
    several = [index for index in several if index not in ref.looks.masks]
    return [] if kind in (*SPECIAL, *FILLS) or split_kind(kind)[1] is not None or len(several) < 2 else several


def _make_together(ref: Reference, number: int, kind: str, most: int) -> list[InputSet]:
    """A set on which all inputs but one are of such a distribution, or all that have both signs: what is divided by, or
    a deviation, is no reason against zeros in two others at once. And those that are left out alone. Not of signs,
    which each has alone."""
    several = _several(ref, kind)
    signed = [index for index in several if index in ref.looks.signed]
    others = [index for index in _from(several, number) if index not in signed] + _from(signed, number)
    but_one = [[index for index in several if index != other] for other in others[: sets.SEVERAL]]
    tried = [signed, *(some for some in but_one if some != signed)]
    tried = [some for some in tried if 1 < len(some) < len(several) and kind != "signs"]
    for some in tried:
        if made := making.make_set(ref, number, of_input(kind, *some)):
            return [made, *(_make_alone(ref, number, kind, most - 1, but=some) if most > 1 else [])]
    return []


def _make_alone(ref: Reference, number: int, kind: str, most: int, but: Sequence[int] = ()) -> list[InputSet]:
    """Sets on each of which one input alone is of such a distribution, so many at most, but for some; of signs one for
    each."""
    several = [index for index in _from(_several(ref, kind), number) if index not in but]
    tried = (making.make_set(ref, number, of_input(kind, index)) for index in several)
    return list(itertools.islice(filter(None, tried), sets.SEVERAL if kind == "signs" else most))


def _from(some: list[int], number: int) -> list[int]:
    """Those from one on that hangs on the number of a set: which come first is not for a draw to say, and for each
    distribution it is another one."""
    first = number % max(len(some), 1)
    return [*some[first:], *some[:first]]


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
        return verify.all_hold(ref.timed_bounds("own"), list(ref.verify_arena.output(position)), expected)

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
    until = ref.lease.clock() + (_MEET_S if ref.room.keeps else 0.0)
    for kind in sorted(ref.random.sample(large, len(large)), key=lambda kind: kind != "signs"):
        if sets.is_promised(kind, ref.text) and ref.lease.clock() < until:
            making.make_set(ref, number, kind, stays=False)
    if large:
        met = [kind for kind in large if kind in ref.other_bounds]
        left = [kind for kind in large if kind not in met]
        said = [f"too large to verify on {len(large)} of them"]
        said += [f"met while timed: {', '.join(met)}"] if met else []
        said += [f"not tried, or the reference is not meant for it: {', '.join(left)}"] if left else []
        ref.notes.append(Finding(check="distributions", detail="; ".join(said)))
