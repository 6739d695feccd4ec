"""affine_folding: scales, shifts and batch norm of each channel go into the weights of the layer before them.

A linear layer, a convolution or a transposed one, and then any number of `* s`, `/ s`, `+ b`, `- b`, `x + x` with
numbers or one weight a channel, or batch norm in eval mode, is one layer with other weights; so are two linear layers
in a row. The new weights are made once, and anew when one that they come from changes. Not covered: groups of a
transposed convolution, factors that differ between positions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import fx, nn
from torch.nn import functional as F

from cuda_l1.transforms import match
from cuda_l1.transforms.match import kind, number, shape
from cuda_l1.transforms.program import DeclineError, Program, attribute, prepared
from cuda_l1.transforms.weights import NORMS

SETTINGS = ("stride", "padding", "dilation", "groups")
TRANSPOSED = ("stride", "padding", "output_padding", "groups", "dilation")
LAYERS: dict[type, tuple[Callable[..., Any], tuple[str, ...]]] = {
    nn.Linear: (F.linear, ()),
    nn.Conv1d: (F.conv1d, SETTINGS),
    nn.Conv2d: (F.conv2d, SETTINGS),
    nn.Conv3d: (F.conv3d, SETTINGS),
    nn.ConvTranspose1d: (F.conv_transpose1d, TRANSPOSED),
    nn.ConvTranspose2d: (F.conv_transpose2d, TRANSPOSED),
    nn.ConvTranspose3d: (F.conv_transpose3d, TRANSPOSED),
}
"""The function of each layer, and the settings that it takes after weight and bias."""


class Affine:
    """`scale * x + shift` of each channel, as the text of expressions in the weights they come from."""

    def __init__(self, channels: int):
        self.channels = channels
        self.scale, self.shift = "", ""
        self.paths: dict[str, str] = {}
        """Path of each weight, and its name in the text."""

    def name(self, path: str) -> str:
        short = path.replace(".", "_")
        return self.paths.setdefault(path, f"own_{short}" if short in ("weight", "bias") else short)

    def times(self, factor: str) -> None:
        self.scale = f"{self.scale} * {factor}" if self.scale else factor
        self.shift = f"({self.shift}) * {factor}" if self.shift else ""

    def over(self, divisor: str) -> None:
        self.scale = f"{self.scale or '1'} / {divisor}"
        self.shift = f"({self.shift}) / {divisor}" if self.shift else ""

    def plus(self, term: str, sign: str = "+") -> None:
        self.shift = f"{self.shift} {sign} {term}" if self.shift else (term if sign == "+" else f"-{term}")


def affine_folding(program: Program) -> str:
    """Fold what follows each layer into its weights."""
    done = [said for node in list(program.graph.nodes) if node.users and (said := _fold(program, node))]
    done += [said for node in list(program.graph.nodes) if node.users and (said := _merge(program, node))]
    if not done:
        raise DeclineError("no scale, shift or batch norm of channels after a layer, no linear layers in a row")
    return "; ".join(done)


def _fold(program: Program, node: fx.Node) -> str | None:
    layer: Any = program.module_of(node)
    if type(layer) not in LAYERS or kind(program, node) == "hooked" or len(node.args) != 1 or node.kwargs:
        return None
    transposed = LAYERS[type(layer)][1] == TRANSPOSED
    if getattr(layer, "padding_mode", "zeros") != "zeros" or (transposed and layer.groups > 1):
        return None
    sizes = shape(program, node) or ()
    channel = len(sizes) - 1 if isinstance(layer, nn.Linear) else len(sizes) - layer.weight.dim() + 1
    affine, last = Affine(sizes[channel]), node
    while (user := match.only_user(last)) is not None and _extend(program, affine, user, last, channel):
        last = user
    if last is node:
        return None
    with program.graph.inserting_before(last):
        new = _layer(program, node, layer, affine, transposed)
    match.replace(last, new)
    return f"what follows {node.target} went into its weights"


def _extend(program: Program, affine: Affine, user: fx.Node, value: fx.Node, channel: int) -> bool:
    """Whether `user` is a scale and shift of the value's channels; if so, put it on top of those before."""
    sizes = shape(program, value) or ()
    name, norm = kind(program, user), program.module_of(user)
    if isinstance(norm, nn.Module):
        return type(norm) in NORMS and channel == 1 and name != "hooked" and _norm(program, affine, user, norm)
    if shape(program, user) != sizes or user.kwargs:
        return False
    if name == "neg":
        affine.times("-1")
        return True
    if name not in ("add", "sub", "mul", "div") or len(user.args) != 2:
        return False
    left, right = user.args
    if left is right:
        affine.times("2") if name == "add" else None
        return name == "add"
    first = left is value
    term = _term(program, affine, right if first else left, sizes, channel)
    if term is None or (name == "div" and not first):
        return False
    if name == "sub" and not first:
        affine.times("-1")
    match name:
        case "mul":
            affine.times(term)
        case "div":
            affine.over(term)
        case "sub":
            affine.plus(term, "-" if first else "+")
        case _:
            affine.plus(term)
    return True


def _term(program: Program, affine: Affine, value: Any, sizes: tuple[int, ...], channel: int) -> str | None:
    """A number, or a weight with one element in all or one for each channel, as text."""
    if (constant := number(value)) is not None:
        return repr(constant) if constant >= 0 else f"({constant!r})"
    if kind(program, value) != "weight" or not match.is_floating(program, value):
        return None
    given = shape(program, value) or ()
    padded = (1,) * (len(sizes) - len(given)) + given
    if len(given) > len(sizes) or any(size != 1 for at, size in enumerate(padded) if at != channel):
        return None
    return f"{affine.name(str(value.target))}.flatten()"


def _norm(program: Program, affine: Affine, node: fx.Node, norm: Any) -> bool:
    """Batch norm in eval mode, with statistics that are buffers."""
    if program.task.mode != "eval" or not norm.track_running_stats:
        return False
    mean, variance = (affine.name(f"{node.target}.{name}") for name in ("running_mean", "running_var"))
    affine.plus(mean, "-")
    affine.times(f"torch.rsqrt({variance} + {norm.eps!r})")
    if norm.affine:
        affine.times(affine.name(f"{node.target}.weight"))
        affine.plus(affine.name(f"{node.target}.bias"))
    return True


def _layer(program: Program, node: fx.Node, layer: Any, affine: Affine, transposed: bool) -> fx.Node:
    """The layer with the scale and the shift in its weights."""
    function, settings = LAYERS[type(layer)]
    stem, path = str(node.target).replace(".", "_"), str(node.target)
    weight = bias = program.graph.get_attr(f"{path}.weight")
    if affine.scale:
        ones = ", 1" * (layer.weight.dim() - (2 if transposed else 1))
        vector = f"({affine.scale})" if not affine.paths else f"({affine.scale} * weight.new_ones({affine.channels}))"
        factor = vector if not affine.paths else f"{vector}.view({'1, ' if transposed else ''}-1{ones})"
        weight = _prepare(program, f"{stem}_scaled", "weight", f"{path}.weight", affine, f"weight * {factor}", factor)
    if layer.bias is not None:
        whole = (
            "bias" + (f" * ({affine.scale})" if affine.scale else "") + (f" + {affine.shift}" if affine.shift else "")
        )
        bias = _prepare(program, f"{stem}_shifted", "bias", f"{path}.bias", affine, whole, whole)
    elif affine.shift:
        whole = f"weight.new_zeros({affine.channels}) + {affine.shift}"
        bias = _prepare(program, f"{stem}_shifted", "weight", f"{path}.weight", affine, whole, whole)
    given = () if layer.bias is None and not affine.shift else (bias,)
    keywords = {name: getattr(layer, name) for name in settings}
    return program.graph.call_function(function, (node.args[0], weight, *given), keywords)


def _prepare(program: Program, name: str, own: str, path: str, affine: Affine, text: str, used: str) -> fx.Node:
    """`text` as a constant of the layer's own weight at `path` and those weights of the affine map that it uses."""
    others = {other: short for other, short in affine.paths.items() if short in used}
    make = f"lambda {', '.join([own, *others.values()])}: {text}"
    return prepared(program, name, make, [path, *others])


def _merge(program: Program, node: fx.Node) -> str | None:
    """Two linear layers in a row as one, where that takes fewer multiplications."""
    after = match.linear(program, node)
    before = match.linear(program, after[0]) if after else None
    if after is None or before is None or match.only_user(after[0]) is None:
        return None
    second, first = (attribute(program.model, layer[1]).shape for layer in (after, before))
    if second[0] * first[1] >= first[0] * first[1] + second[0] * second[1]:
        return None
    name = "_".join(layer[1].replace(".", "_") for layer in (before, after))
    with program.graph.inserting_before(node):
        weights = [before[1], after[1]]
        arguments = [before[0], prepared(program, name, "lambda first, second: second @ first", weights)]
        if after[2] or before[2]:
            arguments.append(_merged_bias(program, name, before, after))
        match.replace(node, program.graph.call_function(F.linear, tuple(arguments)))
    return f"{before[1].rpartition('.')[0] or before[1]} and the linear layer after it became one"


def _merged_bias(program: Program, name: str, before: Any, after: Any) -> fx.Node:
    if before[2] is None:
        return program.graph.get_attr(after[2])
    text, paths = "second @ bias", [before[2], after[1]]
    names = ["bias", "second"]
    if after[2] is not None:
        text, paths, names = f"{text} + shift", [*paths, after[2]], [*names, "shift"]
    return prepared(program, f"{name}_bias", f"lambda {', '.join(names)}: {text}", paths)
