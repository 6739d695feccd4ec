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


def hoisted_projection(program: Program) -> str:
    """Project the inputs of all steps at once; merge what remains in each step."""
    groups: dict[tuple[fx.Node, int], dict[int, list[fx.Node]]] = {}
    for node in program.graph.nodes:
        layer = match.linear(program, node)
        step = _step(program, layer[0]) if layer else None
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
    merged(program)
    return f"input projections of {count} steps in one product before the loop, those of the state merged in each step"


def _step(program: Program, node: Any) -> tuple[fx.Node, int, int] | None:
    """(sequence, dimension, index) of one step: `x[t]`, `x[:, t]`, `x[:, t, :]`, `x.select(1, t)`."""
    name = kind(program, node)
    if name == "getitem":
        source, index = node.args
        if len(shape(program, source) or ()) != 3:
            return None
        parts = index if isinstance(index, tuple) else (index,)
        where = [i for i, part in enumerate(parts) if isinstance(part, int)]
        rest = all(part == slice(None) for part in parts if not isinstance(part, int))
        if len(where) == 1 and rest and where[0] < 2:
            return source, where[0], parts[where[0]]
    if name == "select" and len(node.args) == 3 and len(shape(program, node.args[0]) or ()) == 3:
        return node.args[0], node.args[1], node.args[2]
    return None


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
