"""A module constructed from what `get_init_inputs` gives: a list in order, a dict by name, or both in a list.

NOT covered: whether such values can be sent to another process (wire/values.py).
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Sequence
from typing import Any


def made(kind: Any, given: Sequence[Any] | dict[str, Any]) -> Any:
    """One of that class. Two arguments, a list and a dict by name, may be what the constructor takes or, as KernelBook
    writes it, all that it takes in order and by name: they are the latter unless it takes only the former."""
    given = [[], given] if isinstance(given, dict) else given
    if len(given) == 2 and may_be_both(given):
        in_order, by_name = given
        are_names = all(isinstance(name, str) for name in by_name)
        if are_names and (_takes(kind, *in_order, **by_name) or not _takes(kind, *given)):
            return kind(*in_order, **by_name)
    return kind(*given)


def may_be_both(given: Sequence[Any]) -> bool:
    """Whether the first two may be arguments in order and by name."""
    return len(given) > 1 and isinstance(given[0], (list, tuple)) and isinstance(given[1], dict)


def _takes(kind: Any, /, *args: Any, **kwargs: Any) -> bool:
    with contextlib.suppress(TypeError, ValueError):
        return bool(inspect.signature(kind).bind(*args, **kwargs))
    return False
