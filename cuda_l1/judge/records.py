"""When a win is a record, which is judged again before it is believed, and what several words on it come to. Pure.

The paper's rule (section 2.4.4): above 3x, or more than twice the task's record, judge again with new seeds and accept
only within 10%.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from cuda_l1.timing import intervals
from cuda_l1.types import Evaluation, Finding, Interval, Speedup, Verdict

_RECORD, _GROWTH, _REPEATS = 3.0, 2.0, 2
_WITHIN = 1.10


def is_record(speedup: float, best: float) -> bool:
    """Whether a win of that speedup against eager, of a task whose best so far is that, must be judged again."""
    return speedup > _RECORD or (best > 1 and speedup > _GROWTH * best)


def settled(known: Sequence[Evaluation], words: Iterator[tuple[Evaluation, str | None]]) -> Evaluation:
    """What a record comes to, of which one or two words are `known`: more are taken, each with the other device that it
    is from, until two agree; no win if none do. Of two from one device the lower counts, for what stands out does so by
    luck too."""
    first, *later = known
    found, detail = [first], ""
    for word, device in itertools.islice(itertools.chain(((word, None) for word in later), words), _REPEATS):
        if word.speedup_eager is None:  # the later word is the one that counts: it did not pass, or we failed
            return word
        found.append(word)
        said = ", then ".join(f"{w.speedup_eager.value:.3g}x" for w in found if w.speedup_eager)
        detail = f"{said} against eager{f', again on {device}' if device else ''}"
        faster = [w for w in found if w.verdict is Verdict.FAST]
        earlier = next((w for w in faster if w is not word and word in faster and _agree(w, word)), None)
        if earlier is not None:
            note = Finding(check="repeated", detail=detail)
            lower = earlier if device else _lower_of(earlier, word)  # whose baselines are here
            return lower.model_copy(update={"notes": (*lower.notes, note)})
    return _apart(first, found[-1], detail)


def _agree(one: Evaluation, two: Evaluation) -> bool:
    """Within 10%, or within each other's intervals."""
    a, b = one.speedup_eager, two.speedup_eager
    assert a is not None
    assert b is not None
    near = abs(math.log(a.value / b.value)) <= math.log(_WITHIN)
    return near or (a.lo <= b.hi and b.lo <= a.hi)


def _lower_of(*words: Evaluation) -> Evaluation:
    """The one of the lowest speedup against eager."""
    return min(words, key=lambda word: word.speedup_eager.value if word.speedup_eager else 0.0)


def _apart(first: Evaluation, last: Evaluation, detail: str) -> Evaluation:
    """The first of several words none of which agree: no verdict, and an interval that holds the last one's too, also
    against the best baseline, which the last may not have met."""
    its, other, best = first.speedup_eager, last.speedup_eager, first.speedup
    assert its is not None
    assert other is not None
    assert best is not None
    alone = "they agree, but not all are FAST (other programs may have disturbed them): judge on a quieter machine"
    why = alone if _agree(first, last) else "too far apart to be believed"
    note = Finding(check="not_repeated", detail=f"{detail}: {why}")
    scale = best.value / its.value
    last_over_best = Interval(value=other.value * scale, lo=other.lo * scale, hi=other.hi * scale)
    over_best = Speedup(vs=best.vs, **dict(intervals.spanning(best, last_over_best)))
    told = {"verdict": Verdict.AMBIGUOUS, "speedup": over_best, "speedup_eager": intervals.spanning(its, other)}
    return first.model_copy(update=told | {"notes": (*first.notes, note)})
