"""A module's weights by name, and as bytes in the order of a spec: name, shape and dtype of each."""

from __future__ import annotations

import math
import mmap
import os
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from cuda_l1.inputs.parts import ALIKE, ALIKE_COLUMNS, RELATED, has_placed_zeros, in_part, mixed
from cuda_l1.inputs.redrawn import ALONE, ENTIRE, FREE, LOOSE, OPENED, REACHED, other_weights
from cuda_l1.inputs.rounding import are_whole
from cuda_l1.inputs.traits import SIGNED, has_both_signs, is_float8, is_sorted, is_symmetric
from cuda_l1.wire.arena import Layout, Leaf
from cuda_l1.wire.values import seed_everything

_NEAR, _NEXT_TO_NOTHING, _SHUT = 0.5, 1e-3, -3.0
"""What of a weight is another one; and the largest number of a gate that is closed, or of its logits."""
Said = Mapping[str, Any]
"""What a task's text says of weights, see `operations.said_of_weights`."""
Spec = list[list[Any]]
"""Name, shape and dtype of tensors, in an order."""


def spec_of(module: Any) -> Spec:
    """The spec of all tensors in its state_dict."""
    return _spec(tensors_of(module).items())


def _spec(tensors: Iterable[tuple[str, torch.Tensor]]) -> Spec:
    return [[name, list(value.shape), str(value.dtype).removeprefix("torch.")] for name, value in tensors]


def nbytes_of(spec: Spec) -> int:
    """Bytes of the tensors of a spec, one behind the other."""
    return sum(math.prod(shape) * getattr(torch, dtype).itemsize for _, shape, dtype in spec)


def tensors_of(module: Any) -> dict[str, torch.Tensor]:
    """What of its state_dict is a tensor: a module's `get_extra_state` may be anything."""
    return {name: value for name, value in module.state_dict().items() if isinstance(value, torch.Tensor)}


def extra_of(module: Any) -> list[str]:
    """Names of what in its state_dict is no tensor and may hold some: what `get_extra_state` gives."""
    state = module.state_dict().items()
    return [name for name, value in state if not isinstance(value, torch.Tensor) and _hides(value)]


def _hides(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_hides, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_hides, value))
    return not isinstance(value, (str, int, float, bool, type(None), torch.dtype, torch.device))


def buffers_of(module: Any) -> list[str]:
    """Names of what is in its state_dict and no parameter."""
    return sorted(set(tensors_of(module)) & {name for name, _ in module.named_buffers()})


def saved(
    module: Any, seed: int | None, names: list[str] | None = None, *, how: str = "",
    but: Container[str] = (), held: Collection[str] = (), said: Said | None = None,
) -> dict[str, torch.Tensor]:  # fmt: skip
    """They by name, changed at random under a seed, as `redrawn.other_weights` says of `how`, all `but` some (see
    `parts.mixed`). Of those named, in that order, these alone; changed ones in some of their rows, with what is tied
    to them; of the `held` nothing that the module does not hold itself. What the task's text has `said` of them
    is which are factors of products and which are flags."""
    said = said or {}
    state = tensors_of(module) if names is None or seed is not None else _held(module, names, held)
    wanted = list(state) if names is None else [name for name in names if name in state or name not in held]
    if seed is None:
        return {name: state[name] for name in wanted}
    if names is not None:
        tied = {_place(state[name]) for name in names}
        wanted = [name for name in state if _place(state[name]) in tied]
    seed_everything(seed)
    parameters = dict(module.named_parameters(remove_duplicate=False))
    learned = {name for name, value in parameters.items() if value.requires_grad}
    trained = (learned or set(parameters)) | set(_of_layers(module))  # frozen as a whole, to be run
    trained |= {name for name in wanted if name not in trained and _is_as_trained(name, state[name], said)}
    if how == OPENED:
        wanted = [name for name in wanted if _is_closed(name, state[name], is_trained=name in parameters)]
    padded = dict(_paddings(module))
    drawn: dict[tuple[int, torch.Size], torch.Tensor] = {}  # what is tied stays tied
    for name in wanted:
        value = state[name]
        where = _place(value)
        if where not in drawn:
            its = ALONE if how in (FREE, LOOSE) and name not in learned else how  # what nobody trains stays in order
            if how in REACHED:
                other = _reached(name, value, how, said, seed)
            else:
                other = other_weights(value, its, is_trained=name in trained)
            if how in (ALONE, FREE, LOOSE, OPENED) and value.numel() == 1 and _is_said(name, said, "flags"):
                other = torch.zeros_like(value) if bool(value == 1) and name not in parameters else other
            is_whole = names is None or how in (ALIKE, ALIKE_COLUMNS, *ENTIRE)
            drawn[where] = other if is_whole else in_part(value, other, how, seed)
            if how == RELATED:
                others = [state[each] for each in wanted if each in learned]
                drawn[where] = _near(value, others) if name in learned else value
            if where in padded and not bool(value[padded[where]].any()):
                drawn[where] = drawn[where].index_fill(0, torch.tensor(padded[where], device=value.device), 0)
            if name in but:
                drawn[where] = mixed(value, how)
    return {name: drawn[_place(state[name])] for name in wanted}


def _of_layers(module: Any) -> Iterator[str]:
    """What somebody has trained, though nobody may go on: parameters of torch's own layers. One of a module's own that
    is frozen alone is a constant."""
    for prefix, part in module.named_modules(remove_duplicate=False):
        if type(part).__module__.startswith("torch.nn.modules."):
            yield from (f"{prefix}.{name}".removeprefix(".") for name, _ in part.named_parameters(recurse=False))


def _is_as_trained(name: str, value: torch.Tensor, said: Said) -> bool:
    """Whether it is what somebody has trained, or will, held as a constant: a matrix of both signs that is no mask and
    no covariance, and no rows in order (a spline's knots), or an identity that something is multiplied by."""
    if value.dim() < 2 or not value.is_floating_point() or is_float8(value) or not value.numel():
        return False
    if has_both_signs(value):
        return not has_placed_zeros(value) and not is_symmetric(value) and not is_sorted(value)
    is_square = value.dim() == 2 and len(value) == value.shape[1]
    return is_square and _is_said(name, said, "products") and torch.equal(value, torch.eye(len(value)).to(value))


def _is_said(name: str, said: Said, what: str) -> bool:
    return name.rpartition(".")[2] in said.get(what, ())


def _reached(name: str, value: torch.Tensor, how: str, said: Said, seed: int) -> torch.Tensor:
    """A count at one of the whole numbers that a text asks it for, or one off: under seeds that follow one another at
    each of them."""
    numbers = [each for each in said.get("counts", {}).get(name.rpartition(".")[2], ()) if float(each).is_integer()]
    if not numbers or value.numel() != 1 or value.dtype is torch.bool or not are_whole(value):
        return value
    return torch.full_like(value, int(numbers[seed % len(numbers)]) + REACHED[how])


def _is_closed(name: str, value: Any, *, is_trained: bool) -> bool:
    """Whether it may hide what others are, as it is: next to nothing (a gate, a scale of layers, an adapter), or a
    flag that is off. What is called a bias is added, and hides nothing, unless all of it is far below zero."""
    if not value.numel() or is_float8(value) or value.dtype in SIGNED:
        return False
    if is_trained and value.is_floating_point() and float(value.max()) < _SHUT:
        return True
    if "bias" in name.rpartition(".")[2]:
        return False
    if value.is_floating_point() or value.is_complex():
        largest = float(value.abs().max())
        return largest <= _NEXT_TO_NOTHING if is_trained else value.numel() == 1 and not largest
    return value.numel() == 1 and not int(value) and not name.endswith("num_batches_tracked")


def _near(value: torch.Tensor, others: list[torch.Tensor]) -> torch.Tensor:
    """A matrix near the first other one of its shape, and as large as it was; the first of them stays as it is."""
    first = next((other for other in others if other.shape == value.shape and other.dtype == value.dtype), value)
    if value.dim() < 2 or not value.is_floating_point() or not bool(first.any()) or first is value:
        return value
    return value.lerp(first * (value.norm() / first.norm()), _NEAR)


def _paddings(module: Any) -> Iterator[tuple[tuple[int, torch.Size], int]]:
    """Embeddings with the row that stands for padding, which is zero and is not trained."""
    for part in module.modules():
        if isinstance(part, (torch.nn.Embedding, torch.nn.EmbeddingBag)) and part.padding_idx is not None:
            yield _place(part.weight), part.padding_idx


def _place(value: torch.Tensor) -> tuple[int, torch.Size]:
    """By which tensors are known to be tied."""
    return value.data_ptr(), value.shape


def write(fd: int, values: Collection[torch.Tensor]) -> None:
    """Their bytes into a file, which is closed then, one tensor behind the other."""
    size = sum(value.numel() * value.element_size() for value in values)
    os.ftruncate(fd, size)
    if size:
        with mmap.mmap(fd, size) as mapped:
            block, offset = torch.frombuffer(mapped, dtype=torch.uint8), 0
            if any(value.is_cuda for value in values):
                block.zero_()  # all threads touch new pages; the driver does it with one
            for value in values:
                end = offset + value.numel() * value.element_size()
                block[offset:end].copy_(_plain(value).reshape(-1).view(torch.uint8))
                offset = end
            del block
    os.close(fd)


def _plain(value: torch.Tensor) -> torch.Tensor:
    return value.detach().resolve_conj().resolve_neg().contiguous()


def _held(module: Any, names: list[str], alone: Collection[str] = ()) -> dict[str, Any]:
    """Those named as the module holds them: its `state_dict` is code of its own, and may make them when it is asked. So
    it is asked for those that are not held, and never for what is taken as it is held `alone`, and as it was before."""
    held = dict(_tensors_in(module))
    if all(name in held for name in names):
        return held
    held |= {name: held[name].clone() for name in alone if name in held}
    return {name: value for name, value in tensors_of(module).items() if name not in alone} | held


def _tensors_in(module: Any, prefix: str = "") -> Iterator[tuple[str, torch.Tensor]]:
    """Its parameters and buffers, read past all code of its own: what walks over a dict of another class runs that."""
    own = _dict_of(module)
    for kept in ("_parameters", "_buffers"):
        for name, value in _items_of(own.get(kept)):
            if type(value) in (torch.Tensor, torch.nn.Parameter):
                yield prefix + name, value
    for name, part in _items_of(own.get("_modules")):
        if isinstance(part, torch.nn.Module):
            yield from _tensors_in(part, f"{prefix}{name}.")


_dict_of = torch.nn.Module.__dict__["__dict__"].__get__
"""A module's own attributes, whatever its class says that they are."""


def _items_of(kept: Any) -> list[tuple[str, Any]]:
    return list(dict.items(kept)) if isinstance(kept, dict) else []


def layout(spec: Spec) -> Layout:
    """Memory for what the spec says."""
    # not `Leaf.of`: what is asked after a tensor without memory loads sympy, 2.5 s of a process's first task
    leaves = (Leaf(tuple(shape), torch.empty(shape, device="meta").stride(), dtype) for _, shape, dtype in spec)
    return Layout(tuple(leaves), (), 1, 0)


def loaded(lie: Sequence[torch.Tensor], spec: Spec, names: Iterable[str], mine: dict[str, Any]) -> dict[str, Any]:
    """Copies of the tensors of the spec as they `lie`, of those named and of `mine` that agree in name and shape, or
    have none before the first call (`nn.LazyLinear`): what is loaded says it then."""
    named = set(names)
    return {
        name: value.clone()
        for value, (name, shape, _) in zip(lie, spec, strict=True)
        if name in named and name in mine and (is_lazy(mine[name]) or list(mine[name].shape) == shape)
    }


def put(module: Any, state: dict[str, torch.Tensor], *, is_step: bool = False) -> None:
    """Load them in place, as they are; with all others as they lie there into a module that takes no part of them. If
    it `is_step`, as an optimizer changes them: written to where they lie, and the module is not told."""
    if is_step and _write_to(module, state):
        return
    try:
        module.load_state_dict(state, strict=False)
    except Exception:
        others = tensors_of(module)
        if len(others) == len(state):
            raise
        module.load_state_dict(others | state, strict=False)


def _write_to(module: Any, state: dict[str, torch.Tensor]) -> bool:
    """Whether all of them could be: what a module's own `state_dict` makes when it is asked lies somewhere else."""
    made, held = tensors_of(module), _held(module, list(state))
    if not all(name in held and _place(held[name]) == _place(made[name]) for name in state):
        return False
    with torch.no_grad():
        for name, value in state.items():
            held[name].copy_(value)
    return True


def split(block: torch.Tensor, spec: Spec, wanted: Container[str]) -> dict[str, torch.Tensor]:
    """The tensors that are wanted, by name, of bytes in which those of the spec follow one another: as they lie there,
    or copies where they do not lie as their dtype needs it."""
    state, offset = {}, 0
    for name, shape, dtype in spec:
        kind = getattr(torch, dtype)
        end = offset + math.prod(shape) * kind.itemsize
        if name in wanted:
            its = block[offset:end]
            state[name] = (its.clone() if offset % kind.itemsize else its).view(kind).reshape(shape)
        offset = end
    return state
