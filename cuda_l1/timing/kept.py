"""What calls leave in a module, as it is found between two turns of a race: nobody is told before that it is asked for.

It is asked for amid an ordinary block, and after calls on values that reach further than any before: without these a
state such as the largest number met would stay what it was, and beside them what ordinary calls leave is little.

NOT covered: modules that cannot be given other weights, for their states are not brought in line (race).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from cuda_l1.correctness import buffers, narrow, verify
from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.inputs.distributions import FURTHEST
from cuda_l1.processes.process import honest
from cuda_l1.types import Status

if TYPE_CHECKING:
    from cuda_l1.timing.race import Race
    from cuda_l1.timing.turns import Record


def look(race: Race) -> None:
    """CandidateError where what the candidate keeps is not what eager does, after the same calls. Some of these are on
    values that no state may be meant for, and what eager has there that is no number, or overflows, stays so: whatever
    the candidate has in its place will do."""
    own, its = _kept(race, race.own), honest(lambda: _kept(race, race.eager))
    for name in own.keys() & its.keys():
        _leave_open(own[name], its[name])
    if said := narrow.state_differs(race.reference, own, its, of_race=True):
        raise CandidateError(Status.REJECTED, "state", f"right when verified, wrong when timed: {said}")


def _leave_open(own: torch.Tensor, its: torch.Tensor) -> None:
    """Take over what is not finite, part by part: a cache of gigabytes would be ten times as large in float64."""
    parts = (torch.split(each.reshape(-1), verify.chunk(each.device)) for each in (own, its))
    for mine, other in zip(*parts, strict=True):
        mine.copy_(torch.where(verify.wide(other).isfinite(), mine, other))


def look_twice(race: Race) -> None:
    """The same, and again after calls far out."""
    look(race)
    for kind in FURTHEST:
        race.aside(kind)
    look(race)


def _kept(race: Race, record: Record) -> dict[str, torch.Tensor]:
    """Of a side that is stopped."""
    ref, process = race.reference, record.side.process
    process.resume()
    kept, took_us = buffers.amid(record.side, ref.watched_state, ref.changes)
    record.state_us.append(took_us)
    process.stop_alone()
    return kept
