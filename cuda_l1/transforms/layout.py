"""channels_last: images with the channels innermost, the layout that convolutions compute in."""

from __future__ import annotations

import torch
from torch import nn

from cuda_l1.transforms.match import kind, replace
from cuda_l1.transforms.program import DeclineError, Program, prepared
from cuda_l1.transforms.weights import CONVOLUTIONS

FORMATS: dict[type, torch.memory_format] = {nn.Conv2d: torch.channels_last, nn.Conv3d: torch.channels_last_3d}


def channels_last(program: Program) -> str:
    """Inputs of the first convolutions and the weights of all go to channels_last; the rest follows by itself."""
    graph, count = program.graph, 0
    for node in list(graph.nodes):
        conv = program.module_of(node)
        if type(conv) not in FORMATS or kind(program, node) == "hooked":
            continue
        if conv.padding_mode != "zeros":
            continue
        layout = FORMATS[type(conv)]
        with graph.inserting_before(node):
            source = node.args[0]
            if not any(_is_convolution(program, earlier) for earlier in _ancestors(node)):
                source = graph.call_method("contiguous", (source,), {"memory_format": layout})
            name = f"{node.target}_weight_last".replace(".", "_")
            make = f"lambda weight: weight.contiguous(memory_format={layout})"
            weight = prepared(program, name, make, [f"{node.target}.weight"])
            bias = graph.get_attr(f"{node.target}.bias") if conv.bias is not None else None
            settings = (conv.stride, conv.padding, conv.dilation, conv.groups)
            new = graph.call_function(CONVOLUTIONS[type(conv)], (source, weight, bias, *settings))
        replace(node, new)
        count += 1
    if not count:
        raise DeclineError("no convolution of two or three dimensions")
    for node in graph.nodes:  # view refuses what does not lie in memory in the order of its dimensions
        if node.op == "call_method" and node.target == "view" and isinstance(node.args[1], int | tuple | list):
            node.target = "reshape"
    return f"{count} convolutions in channels_last"


def _is_convolution(program: Program, node: object) -> bool:
    return kind(program, node) in ("conv2d", "conv3d")


def _ancestors(node: torch.fx.Node) -> set[torch.fx.Node]:
    found: set[torch.fx.Node] = set()
    todo = list(node.all_input_nodes)
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            todo.extend(one.all_input_nodes)
    return found
