"""A task's source while it is being drawn: sizes, what `__init__` makes, what `forward` does, what the inputs are.

    s = Sketch(draw)
    rows, columns = s.matrix()                      constants ROWS, COLUMNS
    x = s.input(rows, columns)                      an input, drawn by get_inputs
    norm = s.keep("norm", f"nn.LayerNorm({columns.name})")
    s.say(f"{x} = {norm}({x})")
    s.source(x)                                     the text, with `return x`

Not covered: whether the result is a good task (screen) or a new one (generate).
"""

from __future__ import annotations

import re

from cuda_l1.train.families import layout
from cuda_l1.train.families.draw import Draw

COLUMNS = (48, 64, 96, 100, 128, 192, 200, 256, 320, 384, 512, 640, 768, 1000, 1024, 1536, 2048, 4096)
SIDES = (8, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64)
_INPUTS = "xyzuvw"


class Size(int):
    """A number that stands at the top of the source under a name: `f"{n}"` is the number, `n.name` the constant."""

    name: str


class Sketch:
    """See the module. Every method that gives a name gives one that is new."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self._sizes: dict[str, Size] = {}
        self._inputs: dict[str, str] = {}
        self._kept: dict[str, str] = {}
        self._body: list[str] = []
        self._names: set[str] = set()

    def size(self, name: str, value: int) -> Size:
        """A constant; a name taken gets a number behind it."""
        size = Size(value)
        size.name = self._new(name)
        self._sizes[size.name] = size
        return size

    def matrix(self, elements: int | None = None, names: tuple[str, str] = ("ROWS", "COLUMNS")) -> tuple[Size, Size]:
        """Sides of a matrix of about so many elements."""
        elements = elements or self.draw.elements()
        columns = self.draw.pick([c for c in COLUMNS if c * 4 <= elements])
        return self.size(names[0], max(4, elements // columns)), self.size(names[1], columns)

    def product(self) -> tuple[Size, Size, Size]:
        """Sides of a matrix product (rows, inner) @ (inner, columns)."""
        products = self.draw.products()
        sides = [c for c in COLUMNS if c >= 64 and c * c * 16 <= products]
        inner, columns = self.draw.pick(sides), self.draw.pick(sides)
        rows = min(max(8, products // (inner * columns)), self.draw.elements() * 4 // max(inner, columns))
        return self.size("ROWS", max(8, rows)), self.size("INNER", inner), self.size("COLUMNS", columns)

    def image(self) -> tuple[Size, Size, Size]:
        """(batch, channels, side) of a square image."""
        elements = self.draw.elements()
        channels = self.draw.pick((4, 8, 12, 16, 24, 32, 64))
        side = self.draw.pick([s for s in SIDES if s * s * channels <= elements])
        if self.draw.scale == "cuda":
            side *= self.draw.pick((1, 2, 4))
        batch = min(max(1, elements // (channels * side * side)), 256)
        return self.size("BATCH", batch), self.size("CHANNELS", channels), self.size("SIDE", side)

    def input(self, *shape: int, kind: str = "torch.randn", times: str = "") -> str:
        """An input of that shape; `times` is an expression that the draw is multiplied by."""
        name = self._new(_INPUTS[len(self._inputs)])
        self._inputs[name] = f"{kind}({', '.join(map(_named, shape))}){times}"
        return name

    def indices(self, most: int, *shape: int) -> str:
        """An input of whole numbers from 0 to most - 1, of two or more sides."""
        name = self._new("index")
        self._inputs[name] = f"torch.randint(0, {_named(most)}, ({', '.join(map(_named, shape))}))"
        return name

    def keep(self, name: str, expression: str) -> str:
        """Something that `__init__` makes."""
        name = self._new(name)
        self._kept[name] = expression
        return f"self.{name}"

    def weight(self, *shape: int, name: str = "weight", scale: float = 1.0) -> str:
        """A parameter with normal values; a matrix is scaled so that a product with it keeps its input's size."""
        factor = f" * {scale:.3g}" if scale != 1.0 else ""
        return self.keep(name, f"nn.Parameter(torch.randn({', '.join(map(_named, shape))}){factor})")

    def let(self, expression: str, name: str = "t") -> str:
        """A new local with that value."""
        name = self._new(name)
        self.say(f"{name} = {expression}")
        return name

    def say(self, line: str) -> None:
        """A line of `forward`; it may start with spaces."""
        self._body.append(line)

    def source(self, *returned: str) -> str:
        """The whole text, in a layout that is drawn; what `forward` does not read is left out."""
        body = [*self._body, f"return {', '.join(returned)}"]
        read = set(re.findall(r"\w+", "\n".join(body)))
        inputs = {name: value for name, value in self._inputs.items() if name in read}
        kept = [f"self.{name} = {value}" for name, value in self._kept.items() if name in read]
        text = set(re.findall(r"\w+", "\n".join([*kept, *inputs.values(), *body])))
        parts = layout.Parts({name: n for name, n in self._sizes.items() if name in text}, kept, inputs, body)
        how = self.draw.below(3)
        if how == 0:
            return layout.script(parts)
        return layout.benchmark(parts) if how == 1 else layout.documented(parts, self.draw)

    def _new(self, name: str) -> str:
        """The name, with a number behind it where it is taken."""
        number, new = 1, name
        while new.lower() in self._names:
            number += 1
            new = f"{name}{number}"
        self._names.add(new.lower())
        return new


def _named(side: int) -> str:
    return side.name if isinstance(side, Size) else str(side)
