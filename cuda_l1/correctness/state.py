"""What calls leave in the reference's state, which candidates are held to: after one on the first set, after ones on
others that change more, and from where flags are not what they were. Whether an answer hangs on it.

NOT covered: how a state is read and compared (buffers.py), and which slices of it are looked at alone (watch.py).
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch

from cuda_l1.correctness import buffers, making, sets, verify, watch
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.side import REQUEST_TIMEOUT_S
from cuda_l1.errors import TaskError
from cuda_l1.inputs import traits
from cuda_l1.inputs.distributions import FURTHEST
from cuda_l1.inputs.redrawn import ALONE

_FEW_LEFT_BYTES, _LEFT_S, _LEFTS = 1 << 22, 1.0, 4
"""Of a state that is looked at after calls on all sets, and for how long; and after how many by candidates."""
_CALLS = 16
"""So many calls at most are verified from one state."""


def find_changes(ref: Reference) -> None:
    """What of its buffers a call on the task's own values changes: the oracle is asked from where they were."""
    if ref.watched_state:
        making.drawn(ref, "own")
        ref.changes = _changed_by(ref, functools.partial(ref.run, "verify", [0], REQUEST_TIMEOUT_S))
        ref.begin_anew()


def _changed_by(ref: Reference, call: Callable[[], object]) -> set[str]:
    """What of its buffers that changes."""
    was = buffers.now(ref, ref.watched_state)
    call()
    return buffers.changed(was, buffers.now(ref, ref.watched_state))


def see(ref: Reference) -> None:
    """What its state is after a call, and what of it a call changes."""
    ref.seen_state = ref.state if ref.state_nbytes <= sets.EXTREME_BYTES else ref.watched_state
    if ref.seen_state:
        ref.load_weights(0)
    was = buffers.now(ref, ref.seen_state) if ref.seen_state else {}
    left = buffers.after_a_call(ref, ref.weights, ref.seen_state)
    ref.lefts, ref.changes = [(ref.sets[0], left)], buffers.changed(was, left)
    if ref.has_other_weights and ref.watched_state:  # which may be what no call changes any more under its own
        with ref.under(1):
            ref.changes |= _changed_by(ref, functools.partial(making.own_outputs, ref, 1))
    _see_what_few_leave(ref, was)
    _see_what_becomes_of_flags(ref)
    ref.watched_state = [each for each in ref.state if each in ref.watched_state or each[0] in ref.changes]
    ref.watched_left = watch.of_state(ref)


def _see_what_few_leave(ref: Reference, was: dict[str, torch.Tensor]) -> None:
    """What of its buffers calls on other values alone change, as a count of units that give nothing, or leave otherwise
    than a call on the first set does, as flags of what was ever met: a set for each, as far as a second allows."""
    until, is_small = ref.lease.clock() + _LEFT_S, sum(value.nbytes for value in was.values()) <= _FEW_LEFT_BYTES
    some = [made for made in ref.sets[1:] if not made.weights and sets.is_promised(made.kind, ref.text)]
    for made in ref.random.sample(some, len(some)) if is_small else ():
        is_enough = len(ref.lefts) > _LEFTS and {name for name, *_ in ref.watched_state} <= ref.changes
        if is_enough or ref.lease.clock() > until:
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
    known = ref.lefts[0][1]
    flags = [name for name, *_ in ref.watched_state if known[name].numel() > 1 and _may_be_flags(known[name])]
    if not flags or sum(known[name].nbytes for name in flags) > _FEW_LEFT_BYTES:
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


def find_history(ref: Reference) -> None:
    """TaskError for a reference that answers a call otherwise after one on other inputs, by what that left in it: there
    is no one answer that a candidate can be compared with. Asked after one call on the task's own values; where calls
    change its buffers, after one on each set, since values of another kind may be what it keeps. There many calls
    change more of an answer than one does, so that may be little, unless two runs differ anyway."""
    if ref.noise:
        return
    _see_what_few_change(ref)
    first = ref.sets[0]  # its own bounds: what others' errors are, such a state may have made
    own, again = (making.own_outputs(ref, 0) or [] if ref.changes else [] for _ in range(2))
    is_certain = bool(own) and all(map(torch.equal, own, again))
    strict = [verify.Bound(bound.norm / _CALLS, bound.element / _CALLS) for bound in first.bounds]
    for made in ref.sets if ref.changes else ref.sets[1:2]:
        ref.begin_anew()
        watch.outputs_on(ref, first.inputs, made.inputs)
        out = ref.own_outputs(first.inputs)
        expected = [leaf.to(ref.device) for leaf in first.expected]
        is_near = verify.hold_but_for_edges(first.bounds, out, expected)
        if not is_near or (is_certain and not verify.hold_but_for_edges(strict, out, own)):
            raise TaskError(
                f"task {ref.task.name}: the reference answers a call otherwise after one on other inputs "
                f"({made.name}): it keeps a state, so no candidate can be compared with it; "
                "have it take that as an input and return it"
            )
    ref.begin_anew()


def _see_what_few_change(ref: Reference) -> None:
    """The largest number met, say, which a call on the task's own values may leave as another left it."""
    if not ref.watched_state:
        return
    for made in (each for each in ref.sets if each.kind in FURTHEST and not each.weights):
        ref.load_weights(0)
        call = functools.partial(watch.outputs_on, ref, ref.sets[0].inputs, made.inputs)
        ref.changes |= _changed_by(ref, call)
    ref.load_weights(0)
    ref.verify_arena.rows[0].copy_(ref.sets[0].inputs)
