"""Regions as Triton for CUDA: a program computes a row, or a block of one where nothing is reduced.

Values are float32 inside, whatever the tensors' dtype. A region with a reduction holds its whole row in registers.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

from cuda_l1.transforms.match import shape
from cuda_l1.transforms.program import DeclineError, Program
from cuda_l1.transforms.regions import Region, decompose, expression, find, fuse, reduces, require

WIDEST = 32768
"""Columns of a row that fit into the registers of one program."""
OPERATIONS = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "neg": "-{0}",
    "relu": "_at_least({0}, 0.0)",
    "relu6": "_at_most(_at_least({0}, 0.0), 6.0)",
    "sigmoid": "1.0 / (1.0 + tl.exp(-{0}))",
    "silu": "{0} / (1.0 + tl.exp(-{0}))",
    "tanh": "libdevice.tanh({0})",
    "exp": "tl.exp({0})",
    "log": "tl.log({0})",
    "sqrt": "tl.sqrt({0})",
    "rsqrt": "1.0 / tl.sqrt({0})",
    "reciprocal": "1.0 / {0}",
    "abs": "tl.abs({0})",
    "erf": "tl.erf({0})",
    "square": "{0} * {0}",
    "cube": "{0} * {0} * {0}",
    "gelu": "0.5 * {0} * (1.0 + tl.erf({0} * 0.7071067811865476))",
    "gelu_tanh": "0.5 * {0} * (1.0 + libdevice.tanh(0.7978845608028654 * ({0} + 0.044715 * {0} * {0} * {0})))",
    "leaky_relu": "tl.where({0} > 0, {0}, {0} * {1})",
    "hardsigmoid": "_at_most(_at_least({0} + 3.0, 0.0), 6.0) / 6.0",
    "hardswish": "{0} * _at_most(_at_least({0} + 3.0, 0.0), 6.0) / 6.0",
    "softsign": "{0} / (1.0 + tl.abs({0}))",
}
HEADER = """
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _at_least(x, bound):
    return tl.where(x < bound, bound, x)  # NaN stays NaN


@triton.jit
def _at_most(x, bound):
    return tl.where(x > bound, bound, x)
"""


def fused_triton(program: Program) -> str:
    """Write the regions as Triton kernels and call them."""
    decompose(program)
    program.propagate()
    regions = find(program, {torch.float32, torch.float16, torch.bfloat16})
    regions = [r for r in regions if r.columns <= WIDEST or not any(reduces(program, n) for n in r.nodes)]
    require(regions)
    texts: dict[str, str] = {}
    names = []
    for region in regions:
        body = _kernel(program, region)
        names.append(texts.setdefault(body, f"fused_{len(texts)}"))
    count = sum(len(region.nodes) for region in regions)
    fuse(program, regions, names)
    program.language = "triton"
    program.helpers += [HEADER, *(body.replace("NAME", name) for body, name in texts.items())]
    program.guards.append("torch.is_grad_enabled()")
    for name, value in program.inputs.items():
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            program.guards += [f"{name}.dtype != {value.dtype}", f"not {name}.is_cuda"]
    return f"{count} operations in {len(regions)} Triton kernels"


def _kernel(program: Program, region: Region) -> str:
    """The kernel and the function NAME that launches it."""
    full = shape(program, region.sink)
    index = {node: i for i, node in enumerate(region.nodes)}
    inputs = {one.node: (i, one) for i, one in enumerate(region.inputs)}
    by_row = any(reduces(program, node) for node in region.nodes)
    block = 1 << (region.columns - 1).bit_length() if by_row else min(1024, 1 << (region.columns - 1).bit_length())
    blocks = -(-region.columns // block)
    warps = 4 if block <= 2048 else 8 if block <= 8192 else 16

    def operand(value: Any) -> str:
        if not isinstance(value, fx.Node):
            return f"({float(value)!r})"
        return f"v{index[value]}" if value in index else f"x{inputs[value][0]}"

    pointers = ", ".join(f"p{i}" for i in range(len(inputs)))
    lines = ["@triton.jit", f"def _NAME_kernel({pointers}, out, C: tl.constexpr, BLOCK: tl.constexpr):"]
    lines.append("    program = tl.program_id(0).to(tl.int64)")
    lines.append("    row = program" if blocks == 1 else f"    row = program // {blocks}")
    lines.append("    i = tl.arange(0, BLOCK)" + ("" if blocks == 1 else f" + (program % {blocks}) * BLOCK"))
    lines.append("    inside = i < C")
    for i, one in inputs.values():
        at = "row" if one.inner == 1 else f"(row // {one.inner})"
        at = "" if one.count == 1 else at if one.count * one.inner == region.rows else f"({at} % {one.count})"
        where = f"p{i}" + (f" + {at}{' * C' if one.vector else ''}" if at else "")
        load = f"tl.load({where} + i, mask=inside, other=0.0)" if one.vector else f"tl.load({where})"
        lines.append(f"    x{i} = {load}.to(tl.float32)")
    for node in region.nodes:
        lines.append(f"    v{index[node]} = {_value(program, node, operand)}")
    lines.append(f"    tl.store(out + row * C + i, v{index[region.sink]}.to(out.dtype.element_ty), mask=inside)")
    names = ", ".join(f"a{i}" for i in range(len(inputs)))
    launch = f"(result.numel() // {region.columns} * {blocks},)"
    contiguous = ", ".join(f"a{i}.contiguous()" for i in range(len(inputs)))
    lines += ["", "", f"def NAME({names}):"]
    lines.append(f"    result = torch.empty({full!r}, dtype=a0.dtype, device=a0.device)")
    settings = f"C={region.columns}, BLOCK={block}, num_warps={warps}"
    lines.append(f"    _NAME_kernel[{launch}]({contiguous}, result, {settings})")
    lines.append("    return result")
    return "\n".join(lines) + "\n"


def _value(program: Program, node: fx.Node, operand: Any) -> str:
    how = reduces(program, node)
    if how == "amax":
        return f"tl.max(tl.where(inside, {operand(node.args[0])}, float('-inf')), 0)"
    if how:
        return f"tl.sum(tl.where(inside, {operand(node.args[0])}, 0.0), 0)" + (" / C" if how == "mean" else "")
    found = expression(program, node)
    if found is None:
        raise DeclineError(f"no kernel knows {node.name}")
    name, operands = found
    if name != "clamp":
        return OPERATIONS[name].format(*map(operand, operands))
    text = str(operand(operands[0]))
    text = text if operands[1] is None else f"_at_least({text}, {operand(operands[1])})"
    return text if operands[2] is None else f"_at_most({text}, {operand(operands[2])})"
