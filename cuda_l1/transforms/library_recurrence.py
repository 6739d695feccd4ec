"""library_recurrence: an LSTM or a plain RNN written by hand as a loop over time becomes one call of PyTorch's own.

Tracing has unrolled the loop, so every cell is a subgraph: `h = tanh(gate)`, or four gates with `c = f * c + i * g` and
`h = o * tanh(c)`, where a gate is a linear layer of the step's input plus one of the state before, or one of both side
by side. The cells must form one chain over all steps of one sequence, in order and with the same weights. Not covered:
a part of the steps, the order reversed, peepholes, GRU.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from torch import fx

from cuda_l1.transforms import match
from cuda_l1.transforms.match import kind, shape
from cuda_l1.transforms.program import DeclineError, Kernel, Program, attribute, prepared
from cuda_l1.transforms.recurrence import Step, restack, step_of


class Layer(NamedTuple):
    """A linear layer as a gate uses it: the paths of its weights, and the rows and columns of the weight."""

    weight: str
    bias: str | None
    rows: slice
    columns: slice


class Gate(NamedTuple):
    """What a gate is before its nonlinearity."""

    step: Step
    state: fx.Node
    of_input: Layer
    of_state: Layer


class Cell(NamedTuple):
    """One step: its new state and, of an LSTM, memory; those before; its layers in PyTorch's order of gates."""

    function: Callable[..., Any]
    h: Any
    c: fx.Node | None
    step: Step
    h_before: fx.Node
    c_before: fx.Node | None
    of_input: tuple[Layer, ...]
    of_state: tuple[Layer, ...]


def library_recurrence(program: Program) -> str:
    """Replace each chain of cells by `torch.lstm`, `torch.rnn_tanh` or `torch.rnn_relu`."""
    if program.task.mode != "eval":
        raise DeclineError("in train mode the loop stays as it was written")
    if program.is_cuda and program.task.precision == "default":
        # 3e-4 in the norm on an H200, where the loop's own products differ from float64 by 1e-6
        raise DeclineError("cuDNN computes a recurrent layer in TF32 by PyTorch's default, and the loop is float32")
    done = []
    while (cells := _loop(program)) is not None:  # one at a time: the next may run over what this one gives
        _replace(program, cells)
        done.append(f"a loop of {len(cells)} cells became one call of torch.{cells[0].function.__name__}")
    if not done:
        raise DeclineError("no loop of LSTM or RNN cells over all steps of one sequence with the same weights")
    program.guards.append("self.training and torch.is_grad_enabled()")  # cuDNN is told that none will be asked for
    return "; ".join(done)


def _loop(program: Program) -> list[Cell] | None:
    """The cells of the first loop that can be replaced."""
    chains: dict[Any, list[Cell]] = {}
    for node in program.graph.nodes:
        cell = _lstm_cell(program, node) or _rnn_cell(program, node)
        if cell is not None:
            chains.setdefault((cell.function, cell.step[:2], str(cell.of_input), str(cell.of_state)), []).append(cell)
    return next((cells for cells in chains.values() if _is_loop(program, cells)), None)


def _is_loop(program: Program, cells: list[Cell]) -> bool:
    """Whether the cells are a chain over every step of the sequence, and only the last memory leaves it."""
    (source, dimension, _), steps = cells[0].step, [cell.step[2] for cell in cells]
    for before, after in itertools.pairwise(cells):
        if after.h_before is not before.h or after.c_before is not before.c:
            return False
        if before.c is not None and any(before.h not in u.users and after.c not in u.users for u in before.c.users):
            return False
    return len(cells) > 1 and steps == list(range((shape(program, source) or ())[dimension]))


def _lstm_cell(program: Program, h: Any) -> Cell | None:
    for o, squashed in _pairs(program, h, "mul"):
        c = squashed.args[0] if kind(program, squashed) == "tanh" else None
        for kept, new in _pairs(program, c, "add"):
            for i, g in _pairs(program, new, "mul"):
                for f, c_before in _pairs(program, kept, "mul"):
                    if [kind(program, gate) for gate in (i, f, g, o)] == ["sigmoid", "sigmoid", "tanh", "sigmoid"]:
                        gates = [_gate(program, gate.args[0]) for gate in (i, f, g, o)]
                        cell = _cell(program, torch.lstm, h, gates, c, c_before)
                        if cell is not None:
                            return cell
    return None


def _rnn_cell(program: Program, h: Any) -> Cell | None:
    functions = {"tanh": torch.rnn_tanh, "relu": torch.rnn_relu}
    if kind(program, h) not in functions:
        return None
    return _cell(program, functions[kind(program, h)], h, [_gate(program, h.args[0])])


def _cell(
    program: Program, function: Any, h: Any, gates: list[Gate | None], c: Any = None, c_before: Any = None
) -> Cell | None:
    """The cell of these gates, if they are all of one step and one state of the same shape as the new one."""
    known = [gate for gate in gates if gate is not None]
    if len(known) != len(gates) or any(gate[:2] != known[0][:2] for gate in known):
        return None
    sizes = shape(program, h) or ()
    if len(sizes) != 2 or shape(program, known[0].state) != sizes or (c_before and shape(program, c_before) != sizes):
        return None
    of_input, of_state = tuple(gate.of_input for gate in known), tuple(gate.of_state for gate in known)
    return Cell(function, h, c, known[0].step, known[0].state, c_before, of_input, of_state)


def _pairs(program: Program, node: Any, name: str) -> Iterator[tuple[fx.Node, fx.Node]]:
    """Both orders of the operands of an operation of that name on two values."""
    if kind(program, node) == name and len(node.args) == 2 and all(isinstance(a, fx.Node) for a in node.args):
        yield node.args
        yield node.args[::-1]


def _gate(program: Program, node: Any) -> Gate | None:
    rows = slice(0, (shape(program, node) or (0,))[-1])
    if kind(program, node) == "getitem" and kind(program, node.args[0]) == "chunk":
        chunk, part = node.args
        if match.argument(program, chunk, 2, "dim", 0) not in (1, -1):
            return None
        rows = slice(part * rows.stop, (part + 1) * rows.stop)
        node = chunk.args[0]
    both = match.linear(program, node)
    if both is not None and kind(program, both[0]) == "cat":
        parts: Any = both[0].args[0]
        dimension = match.argument(program, both[0], 1, "dim", 0)
        step = step_of(program, parts[0]) if len(parts) == 2 and dimension in (1, -1) else None
        if step is None:
            return None
        border, end = (shape(program, parts[0]) or ())[-1], (shape(program, both[0]) or ())[-1]
        of_input = Layer(*both[1:], rows, slice(0, border))
        return Gate(step, parts[1], of_input, Layer(both[1], None, rows, slice(border, end)))
    for given, before in _pairs(program, node, "add"):
        one, other = match.linear(program, given), match.linear(program, before)
        step = step_of(program, one[0]) if one else None
        if one and other and step is not None:
            layers = [Layer(x[1], x[2], rows, slice(0, (shape(program, x[0]) or ())[-1])) for x in (one, other)]
            return Gate(step, other[0], *layers)
    return None


def _replace(program: Program, cells: list[Cell]) -> None:
    graph, first, last = program.graph, cells[0], cells[-1]
    source, dimension, _ = first.step
    with graph.inserting_before(first.h):
        before = [value for value in (first.h_before, first.c_before) if value is not None]
        state = [graph.call_method("unsqueeze", (value, 0)) for value in before]
        tail = (True, 1, 0.0, False, False, dimension == 1)
        given = tuple(state) if len(state) == 2 else state[0]
        name = f"torch.{first.function.__name__}"
        results = graph.call_function(Kernel(name, _shapes_of), (source, given, _weights(program, first), *tail))
        states = graph.call_function(operator.getitem, (results, 0))
    for index, cell in enumerate(cells):
        with graph.inserting_before(cell.h):
            new = graph.call_function(operator.getitem, (states, index if dimension == 0 else (slice(None), index)))
        cell.h.replace_all_uses_with(new)
    outside = [user for user in last.c.users if last.h not in user.users] if last.c is not None else []
    if last.c is not None and outside:
        with graph.inserting_before(last.h):
            memory: Any = graph.call_function(operator.getitem, (results, 2))
            memory = graph.call_function(operator.getitem, (memory, 0))
        for user in outside:
            user.replace_input_with(last.c, memory)
    for cell in reversed(cells):
        match.erase(cell.h)
    restack(program)


def _shapes_of(sequence: torch.Tensor, state: Any, *_: Any) -> tuple[torch.Tensor, ...]:
    """The results by shape alone: on the meta device torch would run every step."""
    after = state if isinstance(state, tuple) else (state,)
    return (sequence.new_empty(*sequence.shape[:2], after[0].shape[-1]), *after)


def _weights(program: Program, cell: Cell) -> fx.Node:
    """The input's weight, the state's weight and both biases for PyTorch, in one block of memory as cuDNN likes."""
    layers = [*cell.of_input, *cell.of_state]
    biases = [(layer.bias, layer.rows) for layer in layers if layer.bias is not None]
    paths = list(dict.fromkeys([*[layer.weight for layer in layers], *[str(path) for path, _ in biases]]))
    names = {path: path.replace(".", "_") for path in paths}
    model_weights = {path: tuple(attribute(program.model, path).shape) for path in paths}
    pieces = []
    for layer in layers:
        rows, columns = model_weights[layer.weight]
        whole = (layer.rows, layer.columns) == (slice(0, rows), slice(0, columns))
        cut = "" if whole else f"[{_text(layer.rows)}, {_text(layer.columns)}]"
        pieces.append(f"{names[layer.weight]}{cut}.flatten()")
    for path, rows in biases:
        whole = rows == slice(0, model_weights[str(path)][0])
        pieces.append(names[str(path)] + ("" if whole else f"[{_text(rows)}]"))
    hidden = (shape(program, cell.h) or ())[1]
    outputs, inputs = hidden * len(cell.of_input), (shape(program, cell.step[0]) or ())[2]
    if missing := 2 * outputs - hidden * len(biases):
        pieces.append(f"{names[paths[0]]}.new_zeros({missing})")
    shapes = [(outputs, inputs), (outputs, hidden), (outputs,), (outputs,)]
    parts = f"torch.cat([{', '.join(pieces)}]).split({[math.prod(shape) for shape in shapes]})"
    make = f"lambda {', '.join(names.values())}: [part.view(shape) for part, shape in zip({parts}, {shapes})]"
    return prepared(program, f"{names[paths[0]]}_recurrent", make, paths)


def _text(part: slice) -> str:
    return f"{part.start}:{part.stop}"
