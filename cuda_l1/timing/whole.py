"""What a call takes by whole turns, block by block: for what is paid for a speedup that calls alone show, and in doubt.

Whoever does the work of his calls elsewhere in a little more than half of the blocks has the median of quick blocks,
and there are too many others for what he hides to be certain. It is a doubt and no win, but policies are paid by the
speedup in the middle of the interval. In a block what was quick and what was hidden stand together. Pure.

NOT covered: what of it is certain, and which part of a turn it lies in (turns).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from cuda_l1.timing.intervals import logs, median_interval
from cuda_l1.timing.turns import Record, beside_forgiven
from cuda_l1.types import Finding

_ANSWERS = 2.0
"""So often what eager's usual answer takes to where its outputs lie may be luck of one process."""
_COUNTS = 0.05
"""From so much on, of a logarithm, what is taken of a speedup is said: equal code loses less (docs/log.md)."""


def by_turns(
    own: Record, eager: Record, charged_us: float, seen_us: float, *, is_cuda: bool
) -> tuple[list[float], float]:
    """A call of each block, with what it is charged or, if that is more, with all that passed beside the median calls
    beyond eager's in that block, but for what is forgiven: not part by part, for on a busy machine both are late in
    some. And with what the judge saw otherwise, and doubts. Beside it what of a call is in doubt: the most that passed
    there, where in the median that is more than is forgiven."""
    blocks = own.blocks
    answer_us = _ANSWERS * statistics.median([us for turn in eager.turns for us in turn.where_us] or [0.0])
    beyond_us = [_beside_us(own, block, answer_us) - _beside_us(eager, block, answer_us) for block in blocks]
    forgiven_us = beside_forgiven(eager, "cuda" if is_cuda else "cpu")
    whole_us = [own.block_us(block) + max(charged_us, beyond_us[block] - forgiven_us) + seen_us for block in blocks]
    all_of_it = median_interval(beyond_us)
    return whole_us, all_of_it.hi - charged_us if all_of_it.value > charged_us + forgiven_us else 0.0


def _beside_us(record: Record, block: int, answer_us: float) -> float:
    """A call's share of all that a block's turns took but for their median calls, and of what answers took beyond so
    much."""
    both = record.turns[2 * block : 2 * block + 2]
    late_us = sum(max(us - answer_us, 0.0) for turn in both for us in turn.where_us)
    calls = sum(len(turn.calls_us) for turn in both)
    return record.hidden_us(block) + record.prepare_us(block) + late_us / calls


def said_of_turns(calls_us: Sequence[float], whole_us: Sequence[float], eager_us: Sequence[float]) -> list[Finding]:
    """What it says where that takes something that counts of a speedup by the calls."""
    by_calls, by_whole = (statistics.median(logs(eager_us, us)) for us in (calls_us, whole_us))
    if max(by_whole, 0.0) > by_calls - _COUNTS:
        return []
    said = f"{math.exp(max(by_whole, 0.0)):.3g}x against eager by whole turns, {math.exp(by_calls):.3g}x by its calls"
    detail = f"{said}: what passed beside these, though not certainly, is no part of its speedup"
    return [Finding(check="whole_turns", detail=detail)]
