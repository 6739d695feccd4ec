"""What the judge's words are worth to a policy: from the evaluations of one group to one advantage each.

A group is what one prompt was answered with. `score` gives each answer its reward, or None where nobody can say
(our own failure): such an answer is left out and moves nothing. Code that is wrong, rejected or missing is worth 0, and
code to which a note denies the win (`NO_WIN`) no more than what is as fast as the baseline.
`advantages` compares the answers of a group. Pure arithmetic; two measures:

speedup   the paper's (CUDA-L1, arXiv 2507.14111, section 3.2, equation 6): time of eager over time of the candidate,
          truncated towards 1.00; standardised within the group, clipped at +-1.5, and standardised again by GRPO.
certain   ours: 1 + log of the LOWER end of the speedup's interval against the best baseline. A logarithm keeps one
          outlier from owning the group; the lower end pays only for what is certain; and differences are divided by
          no less than the measurement error, so that a group of equally fast answers does not turn noise into steps.

Not covered: the measuring (judge), and what is done with an advantage (train).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Literal, NamedTuple

from cuda_l1.types import NO_WIN, Evaluation, Status

Measure = Literal["speedup", "certain"]
CLIP = 1.5
"""The paper's k."""
LEAST = 0.1
"""What `certain` gives to code that is right and very slow: more than wrong code gets."""


class Reward(NamedTuple):
    """What one answer is worth, and half the width of its 95% interval in the same unit."""

    value: float
    error: float = 0.0


NOTHING = Reward(0.0)
"""For a reply without code, and for code that is wrong or was rejected."""


def score(evaluation: Evaluation, measure: Measure) -> Reward | None:
    """None: our own failure, or a task whose output does not depend on its inputs, so that no time means anything."""
    if evaluation.status is Status.INFRA_FAILED or evaluation.degenerate:
        return None
    if evaluation.status is not Status.PASSED:
        return NOTHING
    speedup = evaluation.speedup_eager if measure == "speedup" else evaluation.speedup
    if speedup is None or not 0 < speedup.lo <= speedup.hi < math.inf:
        return None
    # What is no win by its nature must not pay as one, or that is what a policy learns to write.
    most = 1.0 if evaluation.note(*NO_WIN) else math.inf
    if measure == "speedup":
        return Reward(min(_towards_one(speedup.value), most))
    # A record that was not confirmed has its doubt in the interval against eager.
    low = min(speedup.lo, evaluation.speedup_eager.lo) if evaluation.speedup_eager else speedup.lo
    return Reward(max(LEAST, 1 + math.log(min(low, most))), math.log(speedup.hi / low) / 2)


def advantages(group: Sequence[Reward | None], measure: Measure) -> list[float]:
    """One number an answer, 0 for those left out; all 0 where fewer than two can be compared or all are worth the same.

    The standard deviation is that of a sample (n - 1), as in TRL.
    """
    known = [reward for reward in group if reward is not None]
    values = [reward.value for reward in known]
    if measure == "speedup":
        compared = _standardised([max(-CLIP, min(CLIP, z)) for z in _standardised(values)])
    else:
        compared = _standardised(values, floor=_root_mean_square([reward.error for reward in known]))
    found = iter(compared)
    return [0.0 if reward is None else next(found) for reward in group]


def successes(batch: Sequence[Evaluation | None]) -> list[float]:
    """For learning from what succeeded alone (the paper's stage 2, REINFORCE without a baseline): the weight of each
    answer of a whole batch, 0 for all that did not pass, and for what passed a task whose output does not depend on its
    inputs: any code that writes it down does. The weights' mean is 1, so that the mean of the weighted losses is the
    mean loss of the successes, few or many."""
    passed = [each is not None and each.status is Status.PASSED and not each.degenerate for each in batch]
    return [len(passed) / sum(passed) if each else 0.0 for each in passed]


def _standardised(values: Sequence[float], floor: float = 0.0) -> list[float]:
    if len(values) < 2:
        return [0.0] * len(values)
    spread = max(statistics.stdev(values), floor)
    mean = statistics.fmean(values)
    return [(value - mean) / spread if spread > 0 else 0.0 for value in values]


def _root_mean_square(errors: Sequence[float]) -> float:
    return math.sqrt(statistics.fmean(error * error for error in errors)) if errors else 0.0


def _towards_one(ratio: float) -> float:
    """Two decimals, truncated towards 1.00 (section 2.4.4, rule 6): 1.118 is 1.11, 0.992 is 1.00."""
    # The tiny step keeps 1.15, stored as 114.999...%, from becoming 1.14.
    return math.floor(ratio * 100 + 1e-9) / 100 if ratio > 1 else math.ceil(ratio * 100 - 1e-9) / 100
