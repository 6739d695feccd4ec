"""hoisted_projection: linear layers of every step's input, in a loop over time, as one product before the loop.

Tracing has unrolled the loop: the steps are `x[0]`, `x[1]`, … or `x[:, t]`. All the linear layers that take such a step
go through one product for all steps and layers; those that take the state of a step are merged into one a step.
"""

from __future__ import annotations

import operator
from typing import Any

from torch import fx

from cuda_l1.transforms import match
from cuda_l1.transforms.match import kind, shape
from cuda_l1.transforms.program import DeclineError, Program
from cuda_l1.transforms.weights import linear_of, merged

Step = tuple[fx.Node, int, int]
"""A sequence of three dimensions, which of them is time, and the index of the step from the front."""


def hoisted_projection(program: Program) -> str:
    """Project the inputs of all steps at once; merge what remains in each step."""
    groups: dict[tuple[fx.Node, int], dict[int, list[fx.Node]]] = {}
    for node in program.graph.nodes:
        layer = match.linear(program, node)
        step = step_of(program, layer[0]) if layer else None
        if step is not None:
            source, dimension, index = step
            groups.setdefault((source, dimension), {}).setdefault(index, []).append(node)
    count = 0
    for (source, dimension), steps in groups.items():
        if len(steps) > 1:
            _hoist(program, source, dimension, steps)
            count += len(steps)
    if not count:
        raise DeclineError("no loop over time whose steps put the input through linear layers")
    program.propagate()
    restack(program)
    merged(program)
    return f"input projections of {count} steps in one product before the loop, those of the state merged in each step"


def step_of(program: Program, node: Any) -> Step | None:
    """Of `x[t]`, `x[:, t]`, `x[:, t, :]`, `x.select(1, t)` or `x.unbind(1)[t]` with x of three dimensions."""
    name = kind(program, node)
    source: Any = node.args[0] if name in ("getitem", "select") else None
    if name == "getitem" and kind(program, source) == "unbind":
        dimension, index = match.argument(program, source, 1, "dim", 0), node.args[1]
        source = source.args[0]
    elif name == "getitem":
        parts = node.args[1] if isinstance(node.args[1], tuple) else (node.args[1],)
        where = [i for i, part in enumerate(parts) if isinstance(part, int)]
        if len(where) != 1 or any(part != slice(None) for i, part in enumerate(parts) if i not in where):
            return None
        dimension, index = where[0], parts[where[0]]
    elif name == "select" and len(node.args) == 3:
        dimension, index = node.args[1:]
    else:
        return None
    sizes = shape(program, source) or ()
    if len(sizes) != 3 or dimension % 3 > 1:
        return None
    return source, dimension % 3, index % sizes[dimension % 3]


def restack(program: Program) -> None:
    """Where all steps of a sequence are stacked again, in order, take the sequence as it is."""
    for node in list(program.graph.nodes):
        parts = node.args[0] if kind(program, node) == "stack" else None
        steps = [step_of(program, part) for part in parts] if isinstance(parts, list | tuple) else []
        if not steps or steps[0] is None:
            continue
        source, dimension, _ = steps[0]
        along = match.argument(program, node, 1, "dim", 0)
        if steps != [(source, dimension, t) for t in range((shape(program, source) or ())[dimension])]:
            continue
        if along in (0, 1):
            with program.graph.inserting_before(node):
                new = source if along == dimension else program.graph.call_method("transpose", (source, 0, 1))
            match.replace(node, new)


def _hoist(program: Program, source: fx.Node, dimension: int, steps: dict[int, list[fx.Node]]) -> None:
    """One product for all layers and steps, then its part for each."""
    graph = program.graph
    layers: dict[tuple[str, str | None], int] = {}
    for nodes in steps.values():
        for node in nodes:
            layer = match.linear(program, node)
            assert layer is not None
            layers[layer[1:]] = (shape(program, node) or ())[-1]
    biased = [key for key in layers if key[1] is not None]
    plain = [key for key in layers if key[1] is None]
    for keys in (biased, plain):
        if not keys:
            continue
        first = min((node for nodes in steps.values() for node in nodes), key=list(graph.nodes).index)
        with graph.inserting_before(first):
            joined = linear_of(program, source, [key[0] for key in keys], [key[1] for key in keys])
            whole = graph.call_method("unbind", (joined, dimension))
        ends = [sum(layers[key] for key in keys[: i + 1]) for i in range(len(keys))]
        for index, nodes in steps.items():
            for node in nodes:
                layer = match.linear(program, node)
                assert layer is not None
                if layer[1:] not in keys:
                    continue
                at = keys.index(layer[1:])
                with graph.inserting_before(node):
                    part = graph.call_function(operator.getitem, (whole, index))
                    if len(keys) > 1:
                        where = (slice(None), slice(ends[at] - layers[layer[1:]], ends[at]))
                        part = graph.call_function(operator.getitem, (part, where))
                match.replace(node, part)
