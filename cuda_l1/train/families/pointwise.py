"""Chains of pointwise operations, as every family uses them between its own: no chain is constant or overflows.

A step says what it takes and what it gives: any sign, or nothing below zero (only then a logarithm or a root follows).
Steps that squash or grow are rationed, so that differences between inputs survive in float32.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from cuda_l1.train.families.draw import Draw
from cuda_l1.train.families.sketch import Sketch

Sign = Literal["any", "positive"]


class Step(NamedTuple):
    """`text` with {x} the value, {c} a constant around one, {s} a slope below one half."""

    takes: Sign
    gives: Sign
    text: str
    strong: bool = False
    """Squashes or grows: at most two in a chain."""


STEPS = (
    Step("any", "any", "{x} * {c}"),
    Step("any", "any", "{x} + {s}"),
    Step("any", "any", "{x} - {s}"),
    Step("any", "any", "{x} / {c}"),
    Step("any", "any", "F.leaky_relu({x}, {s})"),
    Step("any", "any", "F.elu({x})"),
    Step("any", "any", "F.celu({x}, {c})"),
    Step("any", "any", "F.selu({x})"),
    Step("any", "any", "F.silu({x})"),
    Step("any", "any", "F.gelu({x})"),
    Step("any", "any", "F.gelu({x}, approximate='tanh')"),
    Step("any", "any", "F.mish({x})"),
    Step("any", "any", "F.hardswish({x})"),
    Step("any", "any", "F.softshrink({x}, {s})"),
    Step("any", "any", "torch.clamp({x}, -{c}, {c})"),
    Step("any", "any", "torch.clamp({x}, min=-{c})"),
    Step("any", "any", "torch.where({x} > 0, {x}, {s} * {x})"),
    Step("any", "any", "{x} * torch.sigmoid({x})"),
    Step("any", "any", "{x} * torch.tanh(F.softplus({x}))"),
    Step("any", "any", "{x} / (1 + torch.abs({x}))", strong=True),
    Step("any", "any", "0.5 * {x} * (1 + torch.erf({x} / {c}))"),
    Step("any", "any", "torch.tanh({x})", strong=True),
    Step("any", "any", "torch.atan({x})", strong=True),
    Step("any", "any", "torch.sin({x})", strong=True),
    Step("any", "any", "torch.asinh({x})", strong=True),
    Step("any", "positive", "torch.relu({x})"),
    Step("any", "positive", "torch.abs({x})"),
    Step("any", "positive", "F.softplus({x})"),
    Step("any", "positive", "torch.sigmoid({x})", strong=True),
    Step("any", "positive", "F.hardsigmoid({x})", strong=True),
    Step("any", "positive", "{x} * {x}", strong=True),
    Step("any", "positive", "torch.square({x})", strong=True),
    Step("any", "positive", "torch.exp(-torch.abs({x}))", strong=True),
    Step("any", "positive", "torch.exp(torch.clamp({x}, max={c}))", strong=True),
    Step("positive", "any", "torch.log({x} + {c})"),
    Step("positive", "positive", "torch.log1p({x})"),
    Step("positive", "positive", "torch.sqrt({x} + {s})"),
    Step("positive", "positive", "torch.rsqrt({x} + {c})", strong=True),
    Step("positive", "positive", "1.0 / ({x} + {c})", strong=True),
    Step("positive", "positive", "{x} / (1.0 + {x})", strong=True),
)
MODULES = ("ReLU()", "GELU()", "SiLU()", "Tanh()", "Sigmoid()", "LeakyReLU(0.1)", "ELU()", "Mish()", "Hardtanh()",
           "Softplus()", "Hardswish()", "ReLU6()")  # fmt: skip
MIXES = ("{x} + {y}", "{x} - {y}", "{x} * {y}", "torch.maximum({x}, {y})", "torch.minimum({x}, {y})",
         "{x} * torch.sigmoid({y})", "torch.lerp({x}, {y}, {s})", "{x} + {c} * {y}", "{x} * torch.tanh({y})",
         "torch.where({y} > 0, {x}, {s} * {x})", "F.gelu({x}) * {y}", "{y} - {c} * {x}")  # fmt: skip
"""Of two tensors."""


def written(draw: Draw, text: str, **values: str) -> str:
    """A step's text with its constants drawn."""
    return text.format(**values, c=draw.number(0.5, 2.0), s=draw.number(0.05, 0.4))


def chain(s: Sketch, x: str, length: int, sign: Sign = "any") -> Sign:
    """So many steps on the local `x`, in place of it. Returns the sign of what `x` then is."""
    draw, strong = s.draw, 0
    last: Step | None = None
    for _ in range(length):
        fitting = [
            step for step in STEPS
            if step != last and (step.takes == "any" or sign == "positive") and not (step.strong and strong == 2)
        ]  # fmt: skip
        last = draw.pick(fitting)
        strong += last.strong
        s.say(f"{x} = {written(draw, last.text, x=x)}")
        sign = "positive" if last.gives == "positive" else "any"
    return sign


def activation(s: Sketch, x: str) -> str:
    """An expression: a function of x, or a module that `__init__` makes."""
    if s.draw.chance(0.4):
        return f"{s.keep('act', f'nn.{s.draw.pick(MODULES)}')}({x})"
    return written(s.draw, s.draw.pick([step for step in STEPS if step.takes == "any"]).text, x=x)


def mixed(s: Sketch, x: str, y: str) -> str:
    """An expression of two tensors whose shapes broadcast."""
    return written(s.draw, s.draw.pick(MIXES), x=x, y=y)
