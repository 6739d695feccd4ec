"""By what name a distribution goes whose integers stay below a number.

NOT covered: which numbers these are (counts.py, hidden.py, trees.py).
"""

from __future__ import annotations

_UNTIL = " below "


def below(kind: str, bound: int) -> str:
    """A distribution of what must stay below that number; 0 for none."""
    return f"{kind}{_UNTIL}{bound}" if bound else kind


def split_bound(kind: str) -> tuple[str, int]:
    """A distribution, and what it stays below; 0 for nothing."""
    name, _, bound = kind.partition(_UNTIL)
    return name, int(bound or 0)
