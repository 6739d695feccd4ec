"""Operators of torch that the judge's loop calls: which these are, and that other code behind them is seen."""

from __future__ import annotations

import contextlib
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from cuda_l1.processes import operators
from cuda_l1.processes.outputs import deliver
from cuda_l1.wire import seal
from cuda_l1.wire.arena import Arena, Layout, Leaf
from cuda_l1.wire.values import flatten


class Seen(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Names of all operators that are called in here."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.names: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.add(str(func).removeprefix("aten.").removesuffix(".default"))
        return func(*args, **(kwargs or {}))


def test_all_that_the_loop_calls_is_looked_at() -> None:
    leaf = Leaf.of(torch.zeros(4, 8))
    _, structure = flatten([torch.zeros(1)])
    with contextlib.closing(Arena.create(Layout((leaf,), (leaf,), 2, 2), "cpu", 0)) as arena, Seen() as seen:
        pad = seal.Pad(arena.layout.input_slot_nbytes, "cpu", washes=True)
        pad.open(arena.rows[1], 7)
        (x,) = arena.input(1)
        deliver([x * 2], (structure, [False], [False]), arena.output(0), [[x]])
        torch.zeros(1)
    assert seen.names - {"mul.Tensor"} <= operators.registered().keys()
    assert {"bitwise_xor_.Tensor", "copy_"} <= seen.names


def test_other_code_behind_one_of_them_is_seen() -> None:
    usual = operators.registered()
    assert not operators.changed(usual, usual)
    library = torch.library.Library("aten", "IMPL")
    try:
        library.impl("as_strided", lambda *args: args[0], "Meta", allow_override=True)
        said = operators.changed(operators.registered(), usual)
    finally:
        library._destroy()
    assert said.startswith("aten::as_strided: ")
    assert __file__.rpartition("/")[2] in said
    assert operators.changed({}, usual), "who says nothing has something to hide"
