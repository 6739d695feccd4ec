"""What calls leave in a module, as it is found between two turns of a race: nobody is told before that it is asked for.

It is asked for amid an ordinary block, and after calls on values that reach further than any before: without these a
state such as the largest number met would stay what it was, and beside them what ordinary calls leave is little.

NOT covered: modules that cannot be given other weights, for their states are not brought in line (race).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from cuda_l1.correctness import buffers, narrow, verify, watch
from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.inputs.distributions import FURTHEST
from cuda_l1.processes.process import honest
from cuda_l1.types import Status

if TYPE_CHECKING:
    from cuda_l1.timing.race import Race
    from cuda_l1.timing.turns import Record


def look(race: Race, *, is_usual: bool = True) -> None:
    """CandidateError where what the candidate keeps is not what eager does, after the same calls. Some of these are on
    values that no state may be meant for, and what eager has there that is no number, or overflows, stays so: whatever
    the candidate has in its place will do; then both begin anew, with calls on the task's own values. After `is_usual`
    ones under the task's own weights, so are slices of it that are small beside the rest and right after one call, of
    which a single look may see what such values left."""
    own, its = _both(race)
    _compare(race, own, its, is_usual=is_usual)
    if is_usual and not all(bool(verify.wide(part).isfinite().all()) for each in its.values() for part in _parts(each)):
        _look_after_own(race, anew=True)


def _look_after_own(race: Race, *, anew: bool = False) -> None:
    """After calls on the task's own values, with which all sides enter again."""
    race.enter_again(anew=anew)
    race.aside("own")
    _compare(race, *_both(race))


def _compare(race: Race, own: dict[str, torch.Tensor], its: dict[str, torch.Tensor], *, is_usual: bool = True) -> None:
    if said := narrow.state_differs(race.reference, own, its):
        raise _wrong(said)
    if is_usual and not race.weights and watch.state_lost(race.reference, own, its, of_race=True):
        race.aside("own")
        if said := watch.state_lost(race.reference, *_both(race), of_race=True):
            raise _wrong(said)


def _wrong(said: str) -> CandidateError:
    return CandidateError(Status.REJECTED, "state", f"right when verified, wrong when timed: {said}")


def _both(race: Race) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """What the candidate keeps, and eager, where that is a number."""
    own, its = _kept(race, race.own), honest(lambda: _kept(race, race.eager))
    for name in own.keys() & its.keys():
        _leave_open(own[name], its[name])
    return own, its


def _leave_open(own: torch.Tensor, its: torch.Tensor) -> None:
    """Take over what is not finite."""
    for mine, other in zip(_parts(own), _parts(its), strict=True):
        mine.copy_(torch.where(verify.wide(other).isfinite(), mine, other))


def _parts(kept: torch.Tensor) -> Sequence[torch.Tensor]:
    """One after the other: a cache of gigabytes would be ten times as large in float64."""
    return torch.split(kept.reshape(-1), verify.chunk(kept.device))


def look_twice(race: Race) -> None:
    """The same, under the task's own weights too, and again after calls far out. Before, all sides begin anew under
    other ones: what was met may stay as it is, and who looks for it in its first calls alone has it by then."""
    look(race)
    race.weights = 1
    _look_after_own(race, anew=True)
    if race.reference.watched_left:
        race.weights = 0
        _look_after_own(race, anew=False)
    for kind in FURTHEST:
        race.aside(kind)
    look(race, is_usual=False)


def _kept(race: Race, record: Record) -> dict[str, torch.Tensor]:
    """Of a side that is stopped."""
    ref, process = race.reference, record.side.process
    process.resume()
    kept, took_us = buffers.amid(record.side, ref.watched_state, ref.changes)
    record.state_us.append(took_us)
    process.stop_alone()
    return kept
