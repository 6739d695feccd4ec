"""What a forward returned, on its way into the judge's memory: refused where it is no memory of its own, ready to read.

Used inside the worker only.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import torch

from cuda_l1.wire.arena import is_mapped, tells_mapped
from cuda_l1.wire.link import RefusalError
from cuda_l1.wire.values import fields_of, flattened, shortened


def deliver(out: Any, structure: Any, targets: list[Any], inputs: list[list[Any]]) -> list[Any]:
    """Copy an output's tensors into the judge's memory; RefusalError when they are not what was expected: of another
    `structure` (that of `flatten`, and by leaf whether the reference's is `borrowed` and whether it is a view of an
    input), or lent."""
    leaves, shape = flattened(out)
    expected, may_borrow, may_view = structure
    if shape != expected:
        raise RefusalError(
            "output", f"structure: forward returned {_shape_text(shape)}; expected {_shape_text(expected)}"
        )
    for index, (said, allowed) in enumerate(zip(borrows(leaves), may_borrow, strict=True)):
        if said and not allowed:
            raise RefusalError("output", f"plain: output {index} {said}, the reference's is not so: copy it")
    for index, (leaf, allowed) in enumerate(zip(leaves, may_view, strict=True)):
        if is_lent(leaf, inputs, may_view=allowed):
            raise RefusalError("output", f"plain: output {index} lies in an input, or memory not torch's: copy it")
    _deliver_leaves(leaves, targets)
    return leaves


def is_unmade(leaf: Any) -> bool:
    """Before anybody asks where it lies, which makes it."""
    return bool(leaf._is_zerotensor() or torch._C._is_cow_tensor(leaf))  # type: ignore[attr-defined]


def is_plain(leaf: Any) -> bool:
    """Whether it is a dense tensor of torch's own types, and no object that computes when it is looked at."""
    return type(leaf) in (torch.Tensor, torch.nn.Parameter) and leaf.layout is torch.strided


def borrows(leaves: list[Any]) -> list[str]:
    """By leaf, how it is no memory of its own, ready to read; empty where it is. Who writes to such a tensor, or reads
    it, pays for the copy, or the step, that was left out."""
    said = [""] * len(leaves)
    reaching: list[int] = []
    plain = [index for index, leaf in enumerate(leaves) if is_plain(leaf) and leaf.numel()]
    for index in plain:
        if is_unmade(leaves[index]):
            said[index] = "is made when it is read (zeros without memory, or a copy on write)"
    for index in sorted(plain, key=lambda index: leaves[index].data_ptr()):
        leaf = leaves[index]
        if leaf.is_neg() or leaf.is_conj():
            said[index] = "is negated or conjugated when it is read"
        if _lies_over_itself(leaf.shape, leaf.stride()):
            said[index] = "has elements that share memory (an expanded view?)"
        reaching = [other for other in reaching if leaf.data_ptr() < _end(leaves[other])]
        for other in reaching:
            if _lie_over_one_another(leaves[other], leaf):
                said[index] = said[other] = "shares its memory with another output"
        reaching.append(index)
    return said


def borrowed(leaves: list[Any]) -> list[int]:
    """By leaf, 0 for memory of its own, ready to read; 2 where what is read is not what lies there; else 1."""
    said = borrows(leaves)
    return [bool(how) + bool(how and _is_turned(leaf)) for how, leaf in zip(said, leaves, strict=True)]


def _is_turned(leaf: Any) -> bool:
    return is_unmade(leaf) or bool(leaf.is_neg() or leaf.is_conj())


def is_lent(leaf: Any, inputs: list[list[Any]], *, may_view: bool) -> bool:
    """Whether it lies in memory that torch has not allocated (numpy's, mapped, the judge's), or in one input of these
    calls where it may not. The first may be less than it seems: pages that are there twice, or not yet; two inputs as
    one. Who writes to the second changes what he gave."""
    if not is_plain(leaf) or not leaf.numel():
        return False
    lies_over_itself = _lies_over_itself(leaf.shape, leaf.stride())
    # the judge's memory is none of torch's: to go through all inputs of a turn takes longer than most deliveries
    is_told = not (may_view or lies_over_itself) and (not leaf.is_cuda or tells_mapped())
    if not is_told and is_view(leaf, inputs):  # one that lies over itself is no output at all, see `borrows`
        return not may_view and not lies_over_itself
    return is_mapped(leaf.data_ptr()) if leaf.is_cuda else not leaf.untyped_storage().resizable()


def is_view(leaf: Any, inputs: list[list[Any]]) -> bool:
    """Whether it lies within one input of these calls."""
    tensors = [value for values in inputs for value in values if is_plain(value)]
    return any(each.data_ptr() <= leaf.data_ptr() and _end(leaf) <= _end(each) for each in tensors)


class _Said(str):
    """What a key says of itself, and says again."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def settled(value: Any, *, are_copied: bool) -> Any:
    """The same in plain containers: no other, and no key, is asked for what is in it once the call is over. Or its
    tensors copied into memory of their own too."""
    if (fields := fields_of(value)) is not None:
        value = fields
    if isinstance(value, dict):
        return {_Said(repr(key)): settled(item, are_copied=are_copied) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [settled(item, are_copied=are_copied) for item in value]
    return value.clone() if are_copied and is_plain(value) else value


def _lies_over_itself(shape: Sequence[int], stride: Sequence[int]) -> bool:
    """Whether two elements may be one: a stride of zero, or windows that overlap."""
    reach = 0
    for step, extent in sorted((step, extent) for extent, step in zip(shape, stride, strict=True) if extent > 1):
        if step <= reach:
            return True
        reach += (extent - 1) * step
    return False


def _lie_over_one_another(first: Any, second: Any) -> bool:
    """The second begins within the first's reach. Asked of pieces that both consist of, whatever their dtypes."""
    between, sizes = second.data_ptr() - first.data_ptr(), (first.element_size(), second.element_size())
    piece = math.gcd(between, *sizes)
    own, its = (_in_pieces(leaf, size // piece) for leaf, size in zip((first, second), sizes, strict=True))
    return _share_places(*own, *its, between // piece)


def _in_pieces(leaf: Any, count: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Its shape and strides if each element were a row of so many."""
    return (*leaf.shape, count), (*(count * step for step in leaf.stride()), 1)


def _end(leaf: Any) -> int:
    """The address behind its last element."""
    return int(leaf.data_ptr() + _reach(leaf.shape, leaf.stride()) * leaf.element_size())


def _reach(shape: Sequence[int], stride: Sequence[int]) -> int:
    """Elements from the first one's place to behind the last one's."""
    return 1 + sum((extent - 1) * step for extent, step in zip(shape, stride, strict=True))


@functools.lru_cache(maxsize=256)
def _share_places(
    shape: tuple[int, ...], stride: tuple[int, ...], its_shape: tuple[int, ...], its_stride: tuple[int, ...], at: int
) -> bool:
    """Whether some element of one is an element of another that begins `at` elements later. Parts of one tensor lie
    beside one another, as gates do."""
    taken = torch.zeros(max(_reach(shape, stride), at + _reach(its_shape, its_stride)), dtype=torch.bool)
    taken.as_strided(shape, stride).fill_(True)
    return bool(taken.as_strided(its_shape, its_stride, at).any())


def _deliver_leaves(leaves: list[Any], targets: list[Any]) -> None:
    for index, (leaf, target) in enumerate(zip(leaves, targets, strict=True)):
        if not is_plain(leaf):
            kind = f"{type(leaf).__name__} ({leaf.layout})"
            raise RefusalError("output", f"plain: output {index} is a {kind}; expected a dense torch.Tensor")
        for what in ("shape", "dtype", "device"):
            found, expected = getattr(leaf, what), getattr(target, what)
            if found != expected:
                found, expected = (tuple(found), tuple(expected)) if what == "shape" else (found, expected)
                raise RefusalError("output", f"{what}: output {index} has {what} {found}; expected {expected}")
        target.copy_(leaf)


def deliver_again(kept: list[list[Any]], arena: Any) -> None:
    """Copy the outputs of earlier calls, all but the last one's, behind their first copies, as they are now."""
    for index, leaves in enumerate(kept[:-1]):
        try:
            _deliver_leaves(leaves, arena.output(len(kept) + index))
        except Exception as error:  # torch.compile's graphs refuse to show an output that was overwritten
            raise RefusalError("output", f"overwritten: {type(error).__name__}: {error}") from error


def write(leaves: list[Any], inputs: list[list[Any]]) -> None:
    """Change them, as somebody does who works on with a result in place: all that are no views of inputs."""
    begins = [each.untyped_storage().data_ptr() for values in inputs for each in values if torch.is_tensor(each)]
    for leaf in leaves:
        if leaf.untyped_storage().data_ptr() not in begins:
            with torch.inference_mode(leaf.is_inference()), torch.no_grad():
                leaf.logical_not_() if leaf.dtype is torch.bool else leaf.mul_(3).add_(1)


def _shape_text(shape: Any) -> str:
    if shape is None or isinstance(shape, str):
        return shape or "a tensor"
    if isinstance(shape, dict):
        items = zip(shape["keys"], map(_shape_text, shape["items"]), strict=True)
        return shortened(f"a dict of {', '.join(f'{key} ({said})' for key, said in items)}")
    return shortened(f"a container of {len(shape)} ({', '.join(map(_shape_text, shape))})")
