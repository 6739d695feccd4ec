"""Numbers and tables in words, as a person reads them: 1 candidate, 2 replies, 12.34 µs, 6 min 12 s.

Times carry their unit, and what is unknown is `–`. Not covered: what a run's numbers mean (report).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cuda_l1 import foreign

UNKNOWN = "–"


def counted(count: int, noun: str) -> str:
    """The count and the noun, in the plural unless it is one."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun[:-1]}ies" if noun.endswith(("ly", "ry")) else f"{count} {noun}s"


def some_of(names: Sequence[str], most: int = 3) -> str:
    """The first few of them: `a, b, c, ...`."""
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def duration_us(microseconds: float | None) -> str:
    """A time as `12.34 µs`, `1.23 ms` or `1.23 s`."""
    if microseconds is None:
        return UNKNOWN
    for limit, unit in ((1e3, "µs"), (1e6, "ms")):
        if microseconds < limit:
            return f"{microseconds * 1e3 / limit:.2f} {unit}"
    return f"{microseconds / 1e6:.2f} s"


def duration_s(seconds: float) -> str:
    """A time as `3.2 s`, `6 min 12 s` or `2 h 5 min`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; `None.` without rows."""
    if not rows:
        return "None."
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(plain(cell) for cell in line) + " |" for line in lines)


def plain(text: str, longest: int = foreign.LONGEST_LINE) -> str:
    """Text on one line that Markdown takes as text: a candidate's message must not draw a table or a link."""
    return foreign.one_line(text, longest).replace("|", "\\|").replace("<", "&lt;").replace("](", "]\\(")


def environment_text(environment: Mapping[str, Any] | None, devices: Sequence[str]) -> str:
    """One paragraph of where it was measured."""
    facts = {name: value for name, value in (environment or {}).items() if value is not None}
    text = ", ".join(f"{name} {value}" for name, value in facts.items()) or "Nothing was measured"
    others = [device for device in devices if device != facts.get("device")]
    return plain(text + (f". Also measured on: {', '.join(others)}." if others else "."))
