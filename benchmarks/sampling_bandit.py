"""Tasks whose best speed is known and a stand-in for the model, so that samplers can be compared without either.

A landscape gives every subset of TECHNIQUES techniques its log-speedup: the sum of its techniques' log-gains (so gains
multiply) and of what pairs of them add or take; some pairs cannot be built together, and in `trap` three techniques
that slow one by one win together. A candidate is such a subset; its code has a block of lines for each technique, its
labels are those of its techniques.

The model is a reader with a belief about each technique's log-gain: the truth, blurred. Shown exemplars, it updates the
belief as linear regression does with normal priors, on (exemplar, log of the measured score) and (reference, 0): two
exemplars that differ in one technique tell what it is worth, two that differ in six hardly do, a lucky score misleads.
It then starts from one exemplar (the fastest, mostly) or from nothing, keeps and adds techniques by its belief, and
fails the more often the more techniques it writes that it was not shown. It remembers nothing from prompt to prompt.

NOT covered: what a real model does. Everything here is an assumption; `LANDSCAPES` varies the ones that could decide.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

TECHNIQUES = 10
LABELS = ("kernel", "library", "graph", "compile", "algebra", "flags")
LINES_EACH = 4
MASKS = (np.arange(2**TECHNIQUES)[:, None] >> np.arange(TECHNIQUES)) & 1
"""[2**TECHNIQUES, TECHNIQUES]: row m has the bits of m."""
Floats = NDArray[np.float64]


class Landscape(NamedTuple):
    """What differs between the kinds of task and model."""

    name: str
    about: str
    interaction: float = 0.05
    """Spread of what a pair adds, in log-speedup."""
    broken_pairs: float = 0.05
    """Share of the pairs that cannot be built together."""
    lucky: float = 0.0
    """Share of measurements that are too good, by 3x to 1000x."""
    jackpot: bool = False
    """One technique, which nobody would guess, gives 20x to 100x in truth."""
    trap: bool = False
    knowledge: float = 0.5
    """Correlation of the model's belief with the truth before it has seen anything."""
    reads_scores: bool = True
    """False: it copies and mutates, and learns nothing from the scores but which exemplar is the fastest."""
    builds_on: float = 0.85
    """Share of replies that start from an exemplar; the others start from nothing."""
    from_fastest: float = 0.8
    """Share of those that start from the fastest exemplar shown; the others from any."""


LANDSCAPES = (
    Landscape("plain", "gains multiply, few interactions, honest scores"),
    Landscape("rugged", "strong interactions, one pair in five cannot be built", interaction=0.3, broken_pairs=0.2),
    Landscape("lucky", "as plain, and 3% of the scores are 3x to 1000x too good", lucky=0.03),
    Landscape("lured", "as lucky, and the model always starts from the fastest that it is shown", lucky=0.03,
              builds_on=1.0, from_fastest=1.0),
    Landscape("jackpot", "as plain, and one technique truly gives 20x to 100x", jackpot=True),
    Landscape("trap", "three techniques slow one by one and win together", trap=True),
    Landscape("expert", "as plain, and the model knows much beforehand", knowledge=0.9),
    Landscape("copyist", "as plain, and the model draws nothing from the scores", reads_scores=False),
    Landscape("deaf", "the model looks at no exemplar at all", builds_on=0.0),
)  # fmt: skip
_PRIOR_SD = 0.4
_NOISE_SD = 0.1
"""Of a score, as the reader takes it: what the additive picture leaves out."""
_TEMPERATURE = 0.12
"""Log-speedup by which a technique must be believed in to be chosen e times as often."""
_INERTIA = 0.3
"""Log-speedup by which keeping what is there is preferred to changing it."""
_FAILS_NEW, _FAILS_COPIED = 0.12, 0.01
"""Chance that one more technique breaks the code: written anew, or taken from an exemplar."""


class Problem(NamedTuple):
    """One task of a landscape."""

    landscape: Landscape
    truth: Floats
    """Log-speedup of each subset; -inf where it cannot be built."""
    belief: Floats
    """The model's guess of each technique's log-gain."""

    @property
    def target(self) -> float:
        """95% of the best log-speedup."""
        return 0.95 * float(self.truth.max())


def problem(landscape: Landscape, seed: int) -> Problem:
    """The same for every sampler: techniques that win, do nothing or lose, in a third of the cases each."""
    rng = np.random.default_rng(seed)
    kind = rng.permutation(np.arange(TECHNIQUES) % 3)
    sizes = np.array([0.35, 0.02, -0.25])[kind]
    gains = sizes * rng.exponential(size=TECHNIQUES)
    pairs = np.triu(rng.normal(0, landscape.interaction, (TECHNIQUES, TECHNIQUES)), 1)
    broken = np.triu(rng.random((TECHNIQUES, TECHNIQUES)) < landscape.broken_pairs, 1)
    blur = math.sqrt(1 / landscape.knowledge**2 - 1) * gains.std()
    belief = landscape.knowledge**2 * (gains + rng.normal(0, blur, TECHNIQUES))
    truth = MASKS @ gains + np.einsum("mi,ij,mj->m", MASKS, pairs, MASKS)
    truth[np.einsum("mi,ij,mj->m", MASKS, broken, MASKS) > 0] = -math.inf
    chosen = rng.choice(TECHNIQUES, 3, replace=False)
    if landscape.trap:
        held = MASKS[:, chosen].sum(axis=1)
        truth += np.array([0, -0.15, -0.3, 1.0])[held]
        belief[chosen] -= 0.1
    if landscape.jackpot:
        truth += MASKS[:, chosen[0]] * rng.uniform(math.log(20), math.log(100))
        belief[chosen[0]] = -0.25
    return Problem(landscape, truth, belief)


def measured(task: Problem, mask: int, rng: random.Random) -> float:
    """The score that the pool holds for a subset: the truth within about 3%, or a lucky one."""
    log = float(task.truth[mask]) + rng.gauss(0, 0.03)
    if rng.random() < task.landscape.lucky:
        log += rng.uniform(math.log(3), math.log(1000))
    return math.exp(log)


def replies(task: Problem, shown: Sequence[tuple[int, float]], count: int, rng: random.Random) -> list[int | None]:
    """`count` answers to one prompt that shows those (subset, score): a subset each, None where the code fails."""
    belief = _learned(task, shown)
    return [_reply(task, shown, belief, rng) for _ in range(count)]


def _learned(task: Problem, shown: Sequence[tuple[int, float]]) -> Floats:
    """The belief after reading the exemplars: the mean of a linear regression's posterior."""
    if not shown or not task.landscape.reads_scores:
        return task.belief
    rows = MASKS[[mask for mask, _ in shown]].astype(float)
    found = np.log([score for _, score in shown])
    within = rows @ rows.T * _PRIOR_SD**2 + np.eye(len(shown)) * _NOISE_SD**2
    learned: Floats = task.belief + _PRIOR_SD**2 * rows.T @ np.linalg.solve(within, found - rows @ task.belief)
    return learned


def _reply(task: Problem, shown: Sequence[tuple[int, float]], belief: Floats, rng: random.Random) -> int | None:
    start = seen = 0
    if shown and rng.random() < task.landscape.builds_on:
        fastest = max(shown, key=lambda pair: pair[1])
        start, _ = fastest if rng.random() < task.landscape.from_fastest else rng.choice(shown)
        for mask, _ in shown:
            seen |= mask
    else:
        belief = task.belief  # who starts from nothing has not read
    mask = 0
    for technique in range(TECHNIQUES):
        bit = 1 << technique
        liking = float(belief[technique]) + (_INERTIA if start & bit else -_INERTIA)
        if rng.random() < 1 / (1 + math.exp(-max(-50.0, min(50.0, liking / _TEMPERATURE)))):
            mask |= bit
    works = (1 - _FAILS_NEW) ** (mask & ~seen).bit_count() * (1 - _FAILS_COPIED) ** (mask & seen).bit_count()
    return mask if rng.random() < works and task.truth[mask] > -math.inf else None


def code(mask: int) -> str:
    """A text whose lines are those of the subset's techniques."""
    blocks = (f"technique_{t}(step={line})" for t in techniques(mask) for line in range(LINES_EACH))
    return "\n".join(["class ModelNew(nn.Module):", *blocks, f"# {mask}"])


def labels(mask: int) -> tuple[str, ...]:
    """The labels of the subset's techniques."""
    return tuple(sorted({LABELS[t % len(LABELS)] for t in techniques(mask)}))


def techniques(mask: int) -> list[int]:
    """Their numbers."""
    return [t for t in range(TECHNIQUES) if mask >> t & 1]
