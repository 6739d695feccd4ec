"""A stream of choices that is the same in every process and every Python version, and sizes for a class of devices.

Python promises that `random.Random(text).random()` stays the same between versions, and nothing of the kind for
`choice` or `shuffle`; so all choices are made from `random()` here.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeVar

Scale = Literal["cpu", "cuda"]
T = TypeVar("T")


class Budget(NamedTuple):
    """Base-2 logarithms of the least and the most that one call may do, so that it takes 20 us to a few ms."""

    elements: tuple[int, int]
    """Of a tensor that is passed over several times."""
    products: tuple[int, int]
    """Multiplications of a matrix product, a convolution or attention."""


BUDGETS: dict[Scale, Budget] = {
    "cpu": Budget(elements=(14, 18), products=(21, 26)),  # two cores: about 10 GB/s an operation, 50 G products/s
    "cuda": Budget(elements=(20, 24), products=(30, 34)),  # an H200: about 4 TB/s, 25 T products/s in float32
}


class Draw:
    """Choices from a seed. `scale` is the class of devices that sizes are for."""

    def __init__(self, seed: str, scale: Scale) -> None:
        self.scale = scale
        self._random = random.Random(seed)

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        return int(self._random.random() * n)

    def between(self, least: int, most: int) -> int:
        """A whole number from `least` to `most`, both included."""
        return least + self.below(most - least + 1)

    def chance(self, probability: float) -> bool:
        """True with that probability."""
        return self._random.random() < probability

    def pick(self, options: Sequence[T]) -> T:
        """One of them."""
        return options[self.below(len(options))]

    def several(self, options: Sequence[T], n: int) -> list[T]:
        """`n` different ones (all, where there are fewer), in an order that is drawn too."""
        left = list(options)
        return [left.pop(self.below(len(left))) for _ in range(min(n, len(left)))]

    def number(self, least: float, most: float) -> str:
        """A constant of two decimals, as text."""
        return f"{self.between(round(least * 100), round(most * 100)) / 100:.2f}"

    def elements(self) -> int:
        """How many elements a tensor may have."""
        return self._log(BUDGETS[self.scale].elements)

    def products(self) -> int:
        """How many multiplications a call may do."""
        return self._log(BUDGETS[self.scale].products)

    def _log(self, bounds: tuple[int, int]) -> int:
        # Three sizes an octave: all of them whole numbers, so that no two machines round differently.
        return (1 << self.between(bounds[0], bounds[1] - 1)) * self.pick((4, 5, 6, 7)) // 4
