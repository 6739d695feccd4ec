"""Some draws of a task's inputs: what holds in all of them, in most, or ever. In some few numbers are by chance what
they are not in others. Pure.

NOT covered: what may hold (traits.py, integers.py), and how many there are (preparation.py).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence

import torch

_HEAD, _ASKED = 1 << 16, 7
"""Elements that tell one draw from another, and draws of which most say what an input is."""


def heads_of(drawn: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """By tensor, the elements that tell one draw from another."""
    return [leaf.reshape(-1)[:_HEAD].clone() for leaf in drawn]


def _holds_mostly(asked: Sequence[Callable[[], bool]]) -> bool:
    """Whether more than half say so; no more are asked than that takes."""
    counts, least = [0, 0], len(asked) // 2 + 1
    for ask in asked:
        counts[ask()] += 1
        if counts[True] == least or counts[False] > len(asked) - least:
            break
    return counts[True] == least


def _odd(draws: list[Sequence[torch.Tensor]]) -> list[Sequence[torch.Tensor]]:
    """Some of them, of which most are one way or the other."""
    return draws[: min(len(draws) - 1 | 1, _ASKED)]


class Draws(list[Sequence[torch.Tensor]]):
    """Some of them; what is large may be one tensor in all."""

    @property
    def asked(self) -> list[Sequence[torch.Tensor]]:
        """Those of which most say what an input is."""
        return _odd(self)

    def always(self, some: Iterable[int], holds: Callable[[torch.Tensor], bool]) -> tuple[int, ...]:
        """Of which of some inputs it holds in all draws."""
        return tuple(number for number in some if all(holds(each[number]) for each in self._apart(number)))

    def ever(self, some: Iterable[int], holds: Callable[..., bool], **said: object) -> tuple[int, ...]:
        """Of which of some inputs it holds in any draw."""
        return tuple(number for number in some if any(holds(each[number], **said) for each in self._apart(number)))

    def mostly(self, some: Iterable[int], holds: Callable[..., bool], **said: object) -> tuple[int, ...]:
        """Of which of some inputs it holds in most draws."""
        return self.beside(some, lambda leaf, _: holds(leaf, **said))

    def beside(self, some: Iterable[int], holds: Callable[..., bool], **said: object) -> tuple[int, ...]:
        """Of which of some inputs it holds, beside the others of its draw, in most draws."""
        return tuple(
            n
            for n in some
            if _holds_mostly([functools.partial(holds, each[n], each, **said) for each in _odd(self._apart(n))])
        )

    def together(self, number: int) -> torch.Tensor:
        """The beginnings of an input in all draws, in one row."""
        return torch.cat(heads_of([each[number] for each in self._apart(number)]))

    def _apart(self, number: int) -> list[Sequence[torch.Tensor]]:
        """Those that have that input each its own."""
        return list({id(each[number]): each for each in self}.values())
