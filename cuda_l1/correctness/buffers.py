"""What a call leaves in a module: buffers, which batch norm in train mode moves with every call, and parameters that it
changes in place.

NOT covered: what is not in the state_dict, and parameters of large modules (`sets.EXTREME_BYTES`).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterator, Mapping

import torch

from cuda_l1.correctness import verify
from cuda_l1.correctness.side import REQUEST_TIMEOUT_S, Held, Side
from cuda_l1.inputs import weights
from cuda_l1.inputs.weights import Spec
from cuda_l1.types import Precision


def after_a_call(
    side: Side, weights: Mapping[int, Held], some: Spec, held: Collection[str] = (), *, which: int = 0
) -> dict[str, torch.Tensor]:
    """The tensors of `some` (names, shapes, dtypes; in the state_dict's order), as `now` gives them, after one call on
    what lies in the first slot in which the side is verified, from its own weights, or those; it has its own again
    afterwards."""
    if not some:
        return {}
    side.load(weights, 0)
    if which:
        side.load(weights, which)
    left = dict[str, torch.Tensor]()
    side.run("verify", [0], REQUEST_TIMEOUT_S, last=lambda: left.update(amid(side, some, held)[0]))
    side.load(weights, 0)
    return left


def now(side: Side, some: Spec, held: Collection[str] = ()) -> dict[str, torch.Tensor]:
    """The tensors of `some` as they are; nothing of a side that wrote too little, for it does not hold itself what must
    be `held`: what calls change, and who makes it when the state_dict is asked for does not."""
    with _given() as fd:
        side.process.request("read_state", REQUEST_TIMEOUT_S, fd, **_asked(some, held))
        return _read(fd, some)


def amid(side: Side, some: Spec, held: Collection[str] = ()) -> tuple[dict[str, torch.Tensor], float]:
    """The same amid calls, and how many microseconds its answer took: before their end lets go of a result or collects
    what they left, which may run code of the module's own."""
    with _given() as fd:
        took_us = side.process.ask_amid("read_state", REQUEST_TIMEOUT_S, fd, **_asked(some, held))[1]
        return _read(fd, some), took_us


def changed(was: Mapping[str, torch.Tensor], left: Mapping[str, torch.Tensor]) -> set[str]:
    """Names of what is not as it was."""
    return {name for name, value in left.items() if name not in was or not torch.equal(value, was[name])}


@contextlib.contextmanager
def _given() -> Iterator[int]:
    """A file in memory into which a process writes them."""
    fd = os.memfd_create("cuda-l1-buffers", os.MFD_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)


def _asked(some: Spec, held: Collection[str]) -> dict[str, list[str]]:
    return {"names": [name for name, _, _ in some], "held": list(held)}


def _read(fd: int, some: Spec) -> dict[str, torch.Tensor]:
    """What a process that nobody trusts wrote: read and not mapped, for a file may be shortened. Nothing of one that is
    not as long as it should be."""
    block = bytearray(weights.nbytes_of(some))
    if os.fstat(fd).st_size != len(block):
        return {}
    done = 0
    while done < len(block):  # no call reads more than 2 GiB
        if not (more := os.preadv(fd, [memoryview(block)[done:]], done)):
            return {}
        done += more
    read = torch.frombuffer(block, dtype=torch.uint8) if block else torch.empty(0, dtype=torch.uint8)
    return weights.split(read, some, {name for name, _, _ in some})


def differs(
    own: dict[str, torch.Tensor],
    wanted: dict[str, torch.Tensor],
    precision: Precision,
    least: Callable[[], Mapping[str, verify.Bound]] = dict,
) -> str:
    """Which of them is not what it should be, for a person; empty where all are. `least`: what passes at least, by
    name, which is asked where one may not."""
    passes: Mapping[str, verify.Bound] | None = None
    for name, expected in wanted.items():
        if name not in own:
            return f"{name} cannot be read after a call"
        errors = verify.compare(own[name], expected)
        if verify.floor(precision, expected.dtype).holds(errors):
            continue
        passes = least() if passes is None else passes
        if name not in passes or not passes[name].holds(errors):
            return f"{name} is not what the reference makes of it: {errors.worst}"
    return ""
