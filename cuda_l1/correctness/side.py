"""A worker process with the memory that it shares with the judge: what reference and contenders have in common.

NOT covered: what is asked of it (reference, contender), and timing (race).
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from cuda_l1.inputs import weights
from cuda_l1.inputs.weights import Spec
from cuda_l1.machine import room
from cuda_l1.processes import nursery
from cuda_l1.processes.process import WorkerProcess
from cuda_l1.wire import memory
from cuda_l1.wire.arena import Arena, Layout
from cuda_l1.wire.link import BEGIN, DELIVER, RUN, SWAP, nothing

REQUEST_TIMEOUT_S = 120.0


class Held(NamedTuple):
    """Weights, or some of them, that a side can be given."""

    row: torch.Tensor
    """As they are laid out in its memory for them."""
    names: list[str]
    """Those that lie there."""
    is_part: bool = False
    """Whether the others are its own, of index 0."""


class Side:
    """One process with its arenas."""

    process: WorkerProcess
    verify_arena: Arena
    """What it is verified in, attached as `verify`."""
    weights_arena: Arena
    """Through which it is given weights, attached as `weights`: from a file, 256 MB took 57 ms on an H200."""
    loaded = 0
    """Which of the reference's weights it has."""

    def __init__(self, device: str, constants: list[Any], order: list[list[Any]], structure: Any) -> None:
        self.device = device
        self.constants, self.order, self.structure = constants, order, structure
        self.arenas: list[Arena] = []

    def attach(self, name: str, layout: Layout, nbytes: int = 0, device: str = "") -> Arena:
        """Allocate an arena, of so many bytes at least, where the side is or on that device, and ask the process to map
        it (`process.settle` waits)."""
        device = device or self.device
        arena = Arena.create(layout, device, nbytes)
        self.arenas.append(arena)
        self.process.post(
            "attach", REQUEST_TIMEOUT_S, fd=arena.fd, name=name, layout=layout, constants=self.constants,
            order=self.order, nbytes=nbytes, device=nursery.within(device),
        )  # fmt: skip
        return arena

    def attach_weights(self, spec: Spec) -> None:
        """The arena through which it is given weights: on the host where they are too large to be there twice."""
        self._spec, layout = spec, weights.layout(spec)
        is_large = layout.nbytes > room.LENT_BYTES
        self.weights_arena = self.attach("weights", layout, device="cpu" if is_large else "")

    def lay(self, name: str, layout: Layout) -> Arena:
        """Another layout, under a name of its own, of the memory in which this side is verified: what is not used at
        the same time need not be there twice."""
        self.process.post(
            "attach", REQUEST_TIMEOUT_S, name=name, layout=layout, constants=self.constants, order=self.order,
            over="verify",
        )  # fmt: skip
        return self.verify_arena.laid(layout)

    def run(
        self, arena: str, slots: list[int], timeout_s: float, *, again: bool = False, writes: Sequence[int] = (),
        last: Callable[[], object] = nothing,
    ) -> float:  # fmt: skip
        """Untimed calls on the slots named, outputs into the output slots from 0 on; seconds of the shortest call. With
        `writes`, two calls: those leaves of the first one's output are written to, once it was copied and before the
        second one's is. The `last` thing is done while it still holds what its calls gave."""
        self.synchronize()  # what was laid out for it lies there
        self.process.enter(arena, self.structure, timeout_s, again=again, writes=writes)
        self.process.command(BEGIN, timeout_s)
        shortest = math.inf
        for slot in slots:
            self.process.command(slot, timeout_s)
            shortest = min(shortest, self.process.command(RUN, timeout_s) / 1e6)
            self.process.command(SWAP if writes else DELIVER, timeout_s)
        for word in (DELIVER, SWAP, DELIVER) if writes else ():
            self.process.command(word, timeout_s)
        last()
        self.process.leave(timeout_s)
        return shortest

    def load(self, every: Mapping[int, Held], which: int, loaded: int = 0, *, is_step: bool = False) -> None:
        """Give it the weights of that index, where it has those `loaded`; as an optimizer does, if it `is_step`."""
        held = every[which]
        if held.is_part and loaded:
            self.load(every, 0)
        self.post_load(held, is_step=is_step)
        self.process.settle()

    def post_load(self, held: Held, *, is_step: bool = False) -> None:
        """The same, where it has its own or is given all; `process.settle` waits."""
        self.weights_arena.rows[0].copy_(held.row)
        self.synchronize()
        self.process.post("load_state", REQUEST_TIMEOUT_S, spec=self._spec, names=held.names, is_step=is_step)

    def memory(self) -> memory.Memory | None:
        """What its process has as its own; None where the parent cannot reach it."""
        return memory.of(self.process.process.pid, self.process.shown, is_cuda=self.device.startswith("cuda"))

    def examine(self, what: str, timeout_s: float) -> dict[str, Any]:
        """What its process finds of a call on what lies in the first slot in which it is verified."""
        self.synchronize()  # it lies there
        return self.process.ask("examine", timeout_s, "found", dict, what=what, arena="verify", slot=0)

    def registered(self, timeout_s: float) -> dict[str, Any]:
        """What stands behind the operators that the judge's loop calls in its process (see `operators`)."""
        return self.process.ask("examine", timeout_s, "found", dict, what="operators")

    def registered_amid(self, timeout_s: float) -> dict[str, Any]:
        """The same amid a race, before anything tells it that this ends; nothing of what is no answer."""
        found = self.process.ask_amid("examine", timeout_s, what="operators")[0].get("found")
        return found if isinstance(found, dict) else {}

    def synchronize(self) -> None:
        """Wait until the parent's own work on the device is done."""
        if self.device.startswith("cuda"):
            torch.cuda.synchronize(self.device)

    def close(self) -> None:
        """End the process and free its arenas."""
        with contextlib.ExitStack() as every:
            for arena in self.arenas:
                every.callback(arena.close)
            self.arenas = []
            every.callback(self.process.close)
