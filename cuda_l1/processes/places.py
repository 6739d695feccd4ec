"""Where a forward's outputs lie in its process, as the worker says it when the parent asks.

What is said is believed as far as the parent finds there what is delivered (see whereabouts).
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Sequence
from typing import Any

from cuda_l1.processes.outputs import is_plain, is_unmade
from cuda_l1.wire.arena import Leaf
from cuda_l1.wire.memory import HANDLE_BYTES, place
from cuda_l1.wire.values import flatten


def places(out: Any, leaves: Sequence[Leaf]) -> bytes:
    """Of each tensor of an output its address and strides, in words of eight bytes; zeros for what will be refused when
    it is delivered."""
    return b"".join(
        bytes(8 * (1 + len(wanted.shape))) if leaf is None else _words(leaf.data_ptr(), leaf)
        for leaf, wanted in _ready(out, leaves)
    )


def places_on_gpu(out: Any, leaves: Sequence[Leaf]) -> bytes:
    """The same, each behind the handle of its memory, and from the beginning of that in place of an address; zeros also
    for memory that cannot be shown."""
    said = b""
    for leaf, wanted in _ready(out, leaves):
        part = bytes(HANDLE_BYTES + 8 * (1 + len(wanted.shape)))
        with contextlib.suppress(RuntimeError):
            if leaf is not None:
                lies = place(leaf.data_ptr())
                part = lies.handle + _words(lies.at, leaf)
        said += part
    return said


def _words(at: int, leaf: Any) -> bytes:
    return struct.pack(f"<{1 + leaf.dim()}q", at, *leaf.stride())


def _ready(out: Any, leaves: Sequence[Leaf]) -> list[tuple[Any, Leaf]]:
    """Each tensor of an output beside what is expected, None for what will be refused."""
    try:
        found = flatten(out)[0]
    except TypeError:
        found = []
    pairs = zip((*found, *(None for _ in leaves)), leaves, strict=False)
    return [(leaf if _lies_somewhere(leaf, len(wanted.shape)) else None, wanted) for leaf, wanted in pairs]


def _lies_somewhere(leaf: Any, dim: int) -> bool:
    return is_plain(leaf) and not is_unmade(leaf) and leaf.dim() == dim
