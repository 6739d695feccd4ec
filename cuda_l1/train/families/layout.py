"""The text of a drawn task, laid out in one of three ways that modules are written in.

    script(parts)             sizes in capitals on top, no docstrings
    benchmark(parts)          sizes in lower case behind the class, a docstring, annotations
    documented(parts, draw)   as libraries write modules: typed arguments with defaults, handed on by name, docstrings

What is computed is the same in all of them. A policy that saw one layout alone wrote no code for the second, and one
that saw two lost its place in the constructors of the third (docs/results/training.md).
NOT covered: which layout a task has, and what it computes (sketch).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from cuda_l1.train.families.draw import Draw


class Parts(NamedTuple):
    """What a layout is made from; sizes stand in capitals everywhere."""

    sizes: dict[str, int]
    kept: list[str]
    """Lines of the constructor, `self.name = expression`."""
    inputs: dict[str, str]
    """Name of an input to how it is drawn."""
    body: list[str]
    """Lines of `forward`, the last one `return ...`."""

    def arguments(self) -> list[str]:
        """The sizes that the constructor takes."""
        return [name for name in self.sizes if any(re.search(rf"\b{name}\b", line) for line in self.kept)]

    def functional(self) -> list[str]:
        """The import that `forward` needs, or nothing."""
        return ["import torch.nn.functional as F"] if any("F." in line for line in self.body) else []

    def calls(self) -> str:
        """What `forward` calls by name, for a docstring."""
        found = dict.fromkeys(re.findall(r"\b(?:torch|F)\.([a-z]\w*)\(", "\n".join(self.body)))
        return ", ".join(found) or "a computation"

    def hinted(self) -> str:
        """Annotated arguments of `forward`, and what it returns."""
        returns = "" if "," in self.body[-1] else " -> torch.Tensor"
        return f"(self, {', '.join(f'{name}: torch.Tensor' for name in self.inputs)}){returns}"


class Option(NamedTuple):
    """An argument of PyTorch's own module that a task leaves at its default."""

    name: str
    kind: str
    default: str
    meaning: str


STRIDE, PADDING = (
    Option("stride", "int", "1", "Step of the window"),
    Option("padding", "int", "0", "Zeros on both sides"),
)
DILATION = Option("dilation", "int", "1", "Spacing between the window's elements")
GROUPS = Option("groups", "int", "1", "Number of blocked connections")
BIAS = Option("bias", "bool", "True", "Whether there is a learnable bias")
EPS = Option("eps", "float", "1e-5", "What is added to the variance")
OWN_STRIDE = Option("stride", "int", "None", "Step of the window, its own size where it is None")
OUTPUT_PADDING = Option("output_padding", "int", "0", "What one side of the output gets more")
INDICES = Option("return_indices", "bool", "False", "Whether to say where the greatest were")
CEIL = Option("ceil_mode", "bool", "False", "Whether the output's size is rounded up")
OPTIONS: dict[str, tuple[Option, ...]] = {
    r"Conv\dd": (STRIDE, PADDING, DILATION, GROUPS, BIAS),
    r"ConvTranspose\dd": (STRIDE, PADDING, OUTPUT_PADDING, GROUPS, BIAS),
    r"MaxPool\dd": (OWN_STRIDE, PADDING, DILATION, INDICES, CEIL),
    r"AvgPool\dd": (OWN_STRIDE, PADDING, CEIL),
    r"Linear": (BIAS,),
    r"\w*Norm\w*": (EPS,),
    r"C?ELU": (Option("alpha", "float", "1.0", "Scale of what is negative"),),
    r"LeakyReLU": (Option("negative_slope", "float", "0.01", "Slope of what is negative"),),
}
"""https://docs.pytorch.org/docs/stable/nn.html"""
LIBRARY_NAMES = {"CHANNELS": "IN_CHANNELS", "OUT": "OUT_CHANNELS"}


def script(parts: Parts) -> str:
    """See the module."""
    takes = "".join(f", {name.lower()}" for name in parts.arguments())
    sizes = [f"{name} = {n}" for name, n in parts.sizes.items()]
    lines = ["import torch", *parts.functional(), "from torch import nn", "", *sizes, "", "", "class Model(nn.Module):"]
    if parts.kept:
        made = [_lower(line, parts.arguments()) for line in parts.kept]
        lines += _method(f"__init__(self{takes})", ["super().__init__()", *made, ""])
    lines += _method(f"forward(self, {', '.join(parts.inputs)})", parts.body)
    drawn = f"    return [{', '.join(parts.inputs.values())}]"
    return "\n".join([*lines, "", "", "def get_inputs():", drawn, "", "", *_init_inputs(parts)]) + "\n"


def benchmark(parts: Parts) -> str:
    """See the module."""
    takes = "".join(f", {name.lower()}" for name in parts.arguments())
    lines = ["import torch", "import torch.nn as nn", *parts.functional(), "", "class Model(nn.Module):"]
    lines += ['    """', f"    Model that performs {parts.calls()}.", '    """']
    lines += _method(f"__init__(self{takes})", ["super(Model, self).__init__()", *parts.kept, ""])
    lines += _method(f"forward{parts.hinted()}", parts.body)
    lines += ["", *(f"{name} = {n}" for name, n in parts.sizes.items()), "", "def get_inputs():"]
    lines += [f"    return [{', '.join(parts.inputs.values())}]", "", "", *_init_inputs(parts)]
    return _lower("\n".join(lines) + "\n", parts.sizes)


def documented(parts: Parts, draw: Draw) -> str:
    """See the module. Which docstrings there are, and which defaults are spelt out, is drawn."""
    parts, options = _spelt_out(parts, draw)
    names = parts.arguments()
    takes = [f"{name}: int" for name in names] + [f"{o.name}: {o.kind} = {o.default}" for o in options]
    told = ["Args:", *(f"    {name} (int): The {name.lower().replace('_', ' ')} to use." for name in names)]
    told += [f"    {o.name} ({o.kind}, optional): {o.meaning}. Defaults to {o.default}." for o in options]
    told = told if takes else []
    on_class, on_init, on_forward = told and draw.chance(0.5), draw.chance(0.5), draw.chance(0.6)
    lines = ["import torch", "import torch.nn as nn", *parts.functional(), "", "class Model(nn.Module):"]
    lines += _indented(_docstring(f"Performs {parts.calls()}.", told if on_class else []))
    init = _docstring(f"Initializes {parts.calls()}.", told) if on_init and not on_class else []
    lines += _method(
        f"__init__({', '.join(['self', *takes])})", [*init, "super(Model, self).__init__()", *parts.kept, ""]
    )
    what = ["Args:", *(f"    {name} (torch.Tensor): Input tensor." for name in parts.inputs)]
    what += ["", "Returns:", "    torch.Tensor: Output tensor."]
    forward = _docstring(f"Applies {parts.calls()}.", what) if on_forward else []
    lines += _method(f"forward{parts.hinted()}", [*forward, *parts.body])
    lines += ["", *(f"{name} = {n}" for name, n in parts.sizes.items()), "", "def get_inputs():"]
    lines += [f"    {name} = {value}" for name, value in parts.inputs.items()]
    lines += [f"    return [{', '.join(parts.inputs)}]", "", *_init_inputs(parts)]
    return _lower("\n".join(lines) + "\n", parts.sizes)


def _spelt_out(parts: Parts, draw: Draw) -> tuple[Parts, list[Option]]:
    """The first module of each kind with its window's size and its options as arguments and, half the time, under
    PyTorch's own name, and a dimension that is the same throughout as an attribute."""
    options: list[Option] = []
    for line in parts.kept:
        found = re.fullmatch(r"self\.(\w+) = nn\.(\w+)\(([^()]*)\)", line)
        known = next((o for kind, o in OPTIONS.items() if found and re.fullmatch(kind, found[2])), ())
        if not found or not known or {o.name for o in known} & {o.name for o in options}:
            continue
        name, kind, given = found[1], found[2], [each for each in found[3].split(", ") if each]
        for at, each in enumerate(given):
            if each.isdigit() and re.search("Conv|Pool", kind) and "KERNEL_SIZE" not in parts.sizes:
                parts = parts._replace(sizes={**parts.sizes, "KERNEL_SIZE": int(each)})
                given[at] = "KERNEL_SIZE"
        values = dict(each.split("=") for each in given if "=" in each)
        tuples = draw.chance(0.3) and kind[-2:] in ("2d", "3d")
        for option in known:
            value = values.get(option.name, option.default)
            plain = value in ("None", "True", "False") or value[0].isdigit()
            if plain and (option.name in values or draw.chance(0.75)):
                if tuples and option in (STRIDE, PADDING, DILATION, OUTPUT_PADDING):
                    option, value = option._replace(kind="tuple"), f"({', '.join([value] * int(kind[-2]))})"
                options.append(option._replace(default=value))
                values[option.name] = option.name
        given = [each for each in given if "=" not in each] + [f"{key}={value}" for key, value in values.items()]
        kept = [f"self.{name} = nn.{kind}({', '.join(given)})" if each == line else each for each in parts.kept]
        parts = parts._replace(kept=kept)
        own = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind).lower()
        if draw.chance(0.5) and not any(f"self.{own}" in each for each in kept):
            parts = _renamed(parts, f"self.{name}", f"self.{own}")
    dims = set(re.findall(r"dim=(-?\d+|\()", "\n".join(parts.body)))
    if len(dims) == 1 and "(" not in dims and draw.chance(0.5):
        body = [re.sub(r"dim=-?\d+", "dim=self.dim", line) for line in parts.body]
        sizes = {**parts.sizes, "DIM": int(dims.pop())}
        parts = parts._replace(sizes=sizes, kept=[*parts.kept, "self.dim = DIM"], body=body)
    for name, other in LIBRARY_NAMES.items():
        if name in parts.arguments():
            parts = _renamed(parts, name, other)
    return parts, options


def _renamed(parts: Parts, name: str, other: str) -> Parts:
    def changed(text: str) -> str:
        return re.sub(rf"\b{re.escape(name)}\b", other, text)

    return Parts(
        {changed(size): n for size, n in parts.sizes.items()},
        [changed(line) for line in parts.kept],
        {each: changed(value) for each, value in parts.inputs.items()},
        [changed(line) for line in parts.body],
    )


def _docstring(first: str, rest: list[str]) -> list[str]:
    return ['"""', first, *(["", *rest] if rest else []), '"""']


def _init_inputs(parts: Parts) -> list[str]:
    return ["def get_init_inputs():", f"    return [{', '.join(parts.arguments())}]"]


def _indented(lines: list[str], depth: int = 4) -> list[str]:
    return [" " * depth + line if line else "" for line in lines]


def _method(head: str, lines: list[str]) -> list[str]:
    return [f"    def {head}:", *_indented(lines, 8)]


def _lower(text: str, names: list[str] | dict[str, int]) -> str:
    for name in names:
        text = re.sub(rf"\b{name}\b", name.lower(), text)
    return text
