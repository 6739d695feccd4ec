"""What a call takes by whole turns, block by block: for what is paid for a speedup that calls alone show.

Whoever does the work of his calls elsewhere in a little more than half of the blocks has the median of quick blocks,
and there are too many others for what he hides to be certain. It is a doubt and no win (turns), but policies are paid
by the speedup in the middle of the interval. In a block what was quick and what was hidden stand together. Pure.

NOT covered: what of it is certain, or in doubt (turns).
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from cuda_l1.judge.timing import GAP
from cuda_l1.judge.turns import Record, beside_forgiven
from cuda_l1.types import Finding


def by_turns(own: Record, eager: Record, charged_us: float, *, is_cuda: bool) -> list[float]:
    """A call of each block, with what it is charged, and with all that passed beside the median calls beyond eager's in
    that block, but for what is forgiven: no part for itself, for on a busy machine both sides are late in some."""
    forgiven_us = beside_forgiven(eager, "cuda" if is_cuda else "cpu")

    def beyond_us(block: int) -> float:
        return _beside_us(own, block) - _beside_us(eager, block) - forgiven_us

    return [own.block_us(block) + max(charged_us, beyond_us(block)) for block in range(len(own.turns) // 2)]


def _beside_us(record: Record, block: int) -> float:
    """A call's share of all that a block's turns took but for their median calls, answers too."""
    both = record.turns[2 * block : 2 * block + 2]
    beside_us = sum(turn.hidden_us + turn.prepare_us + sum(turn.where_us) for turn in both)
    return beside_us / sum(len(turn.calls_us) for turn in both)


def said_of_turns(calls_us: Sequence[float], whole_us: Sequence[float], eager_us: Sequence[float]) -> list[Finding]:
    """What it says where calls are faster than eager's, and whole turns bear out less."""
    own, all_of_it, other = map(statistics.median, (calls_us, whole_us, eager_us))
    if own > other or all_of_it <= (1 + GAP) * own:
        return []
    detail = f"{all_of_it - own:.3g} us a call passed beside its calls, though not certainly: no part of its speedup"
    return [Finding(check="whole_turns", detail=detail)]
