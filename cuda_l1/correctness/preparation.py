"""What a session asks the reference before any candidate comes: input sets with what must come of them, what timed
outputs may differ by on each distribution, whether there are other weights, and whether the task is sound.

NOT covered: how the reference is asked (reference.py), and which distributions there are (sets.py, distributions.py).
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack

import torch

from cuda_l1.correctness import buffers, making, refusals, reweighted, sets, soundness, verify, watch
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
from cuda_l1.inputs.redrawn import ALONE
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
_FEW_LEFT_BYTES, _LEFT_S, _LEFTS = 1 << 22, 1.0, 4
"""Of a state that is looked at after calls on all sets, and for how long; and after how many by candidates."""
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
                _prepare(ref, *sets.kinds(count, *leaves, ref.device, ref.text, ref.looks))
                _see_state(ref)
                soundness.find_history(ref)
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


def _see_state(ref: Reference) -> None:
    """What its state is after a call, and what of it a call changes."""
    ref.seen_state = ref.state if ref.state_nbytes <= sets.EXTREME_BYTES else ref.watched_state
    was = buffers.now(ref, ref.seen_state) if ref.seen_state else {}
    left = buffers.after_a_call(ref, ref.weights, ref.seen_state)
    ref.lefts, ref.changes = [(ref.sets[0], left)], buffers.changed(was, left)
    if ref.has_other_weights and ref.watched_state:  # which may be what no call changes any more under its own
        with ref.under(1):
            was_other = buffers.now(ref, ref.watched_state)
            making.own_outputs(ref, 1)
            ref.changes |= buffers.changed(was_other, buffers.now(ref, ref.watched_state))
    _see_what_few_leave(ref, was)
    _see_what_becomes_of_flags(ref)
    ref.watched_state = [each for each in ref.state if each in ref.watched_state or each[0] in ref.changes]
    ref.watched_left = watch.of_state(ref)


def _see_what_few_leave(ref: Reference, was: dict[str, torch.Tensor]) -> None:
    """What of its buffers calls on other values alone change, as a count of units that give nothing, or leave otherwise
    than a call on the first set does, as flags of what was ever met: a set for each, as far as a second allows."""
    until, is_small = _clock(ref) + _LEFT_S, sum(value.nbytes for value in was.values()) <= _FEW_LEFT_BYTES
    some = [made for made in ref.sets[1:] if not made.weights and sets.is_promised(made.kind, ref.text)]
    for made in ref.random.sample(some, len(some)) if is_small else ():
        if _clock(ref) > until or (len(ref.lefts) > _LEFTS and {name for name, *_ in ref.watched_state} <= ref.changes):
            break
        left = watch.left_on(ref, made.inputs)
        again = {name for name in ref.changes & left.keys() if _is_new(ref, name, left[name])}
        names = buffers.changed(was, left) - ref.changes | again
        near = watch.left_on(ref, watch.moved(ref, made.inputs, 1, 1)) if names else {}
        names = {name for name in names if name in near and _is_settled(ref, left[name], near[name])}
        if names:
            ref.lefts.append((made, {name: left[name] for name in names}))
            ref.changes |= names


def _see_what_becomes_of_flags(ref: Reference) -> None:
    """What a call on the first set makes of flags some of which are not what they are: of those that calls only add to
    a first call may have set all."""
    left = ref.lefts[0][1]
    flags = [name for name, *_ in ref.watched_state if left[name].numel() > 1 and _may_be_flags(left[name])]
    if not flags or sum(left[name].nbytes for name in flags) > _FEW_LEFT_BYTES:
        return
    which, first = ref.free_index, ref.sets[0]
    ref.weights[which] = ref.save_weights(ALONE, (), flags)
    with ref.under(which):
        was = buffers.now(ref, [spec for spec in ref.watched_state if spec[0] in flags])
    left, near = (watch.left_on(ref, row, which=which) for row in (first.inputs, watch.moved(ref, first.inputs, 1, 1)))
    found = {name: left[name] for name in was if name in left and not torch.equal(left[name], was[name])}
    found = {name: value for name, value in found.items() if name in near and torch.equal(value, near[name])}
    if found:
        ref.lefts.append((first._replace(weights=which), found))
        ref.changes |= {*found}
    else:
        del ref.weights[which]


def _may_be_flags(value: torch.Tensor) -> bool:
    return value.dtype in (torch.bool, *traits.SMALL_INTEGERS) or traits.is_one_value(value)


def _is_new(ref: Reference, name: str, left: torch.Tensor) -> bool:
    """Whether no set of those that are kept leaves this as well, as far as anybody is held to it."""
    known = [its[name] for _, its in ref.lefts if name in its]
    return not any(verify.floor(ref.precision, left.dtype).holds(verify.compare(left, its)) for its in known)


def _is_settled(ref: Reference, left: torch.Tensor, near: torch.Tensor) -> bool:
    """Whether last places of inputs leave it as it is, or well within what passes where all values change a number. Not
    where it overflows: what becomes of that is another thing in another formula."""
    if not bool(verify.wide(left).isfinite().all()):
        return False
    floor = verify.floor(ref.precision, left.dtype)
    return torch.equal(left, near) or verify.Bound(*(each / 10 for each in floor)).holds(verify.compare(near, left))


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
    until = _clock(ref) + (_MEET_S if ref.room.keeps else 0.0)
    for kind in sorted(ref.random.sample(large, len(large)), key=lambda kind: kind != "signs"):
        if sets.is_promised(kind, ref.text) and _clock(ref) < until:
            making.make_set(ref, number, kind, stays=False)
    if large:
        met = [kind for kind in large if kind in ref.other_bounds]
        left = [kind for kind in large if kind not in met]
        said = [f"too large to verify on {len(large)} of them"]
        said += [f"met while timed: {', '.join(met)}"] if met else []
        said += [f"not tried, or the reference is not meant for it: {', '.join(left)}"] if left else []
        ref.notes.append(Finding(check="distributions", detail="; ".join(said)))


def _clock(ref: Reference) -> float:
    """Seconds, without those in which others had the device."""
    return time.monotonic() - ref.lease.gave_way_s
