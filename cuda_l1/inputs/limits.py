"""Whether a task has limits, by its text, and whether these are of how large something is. Pure.

NOT covered: what such numbers are (asks.py), and which distributions are drawn for them (sets.py).
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from cuda_l1 import syntax
from cuda_l1.inputs import asks, held

COMPARES = re.compile(r"(?<![-<>=])[<>]=?(?![<>=])|\.(l[te]|g[te]|less|greater)(_equal)?_?\(")
PLACES = re.compile(r"\b(arange|linspace)\(")
_LIMITS = re.compile(
    r"\b(clamp\w*|clip\w*|[Hh]ard([Tt]anh|[Ss]wish|[Ss]igmoid)|[Rr]e[Ll][Uu]6|finfo|minimum|maximum|where|[Tt]hreshold"
    r"|nan_to_num|\w*shrink|f(min|max)|heaviside)\b"
    r"|masked_fill_?\((?![^\n]*inf)[^\n]*[<>]|\[[^\]\n]*[<>][^\]\n]*\] = |\* \([^()\n]*[<>]"
)
_OF_FLAGS = {
    "all", "any", "bool", "clone", "contiguous", "expand", "expand_as", "flatten", "logical_and", "logical_not",
    "logical_or", "logical_xor", "permute", "repeat", "reshape", "squeeze", "t", "to", "transpose", "unsqueeze", "view",
}  # fmt: skip
"""What gives flags of flags."""
_ROUNDS = 4
"""So many names deep is read what flags are made of."""


def has_limits(source: str) -> bool:
    """Whether something is cut off, or chosen, at a limit."""
    return _LIMITS.search(source) is not None or keeps_above(source) or _leaves_out(source)


def _leaves_out(source: str) -> bool:
    """Whether what is compared has a name by which something is left out: `far = x > 500`, and `x[far] = 0`, or `x *
    ~far`; or the lesser of two is taken, `torch.min(x, most)`. What is compared with places says up to where, and
    limits no size."""
    with contextlib.suppress(SyntaxError):
        nodes = list(ast.walk(syntax.read(asks.of_module(source))))
        assigned = [each for node in nodes for each in _assigned(node)]
        places = {name for name, value in assigned if PLACES.search(ast.unparse(value))}
        places |= {each.id for node in nodes if isinstance(node, ast.For) for each in ast.walk(node.target)
                   if isinstance(each, ast.Name)} | asks.limits_of_places(source)  # fmt: skip
        far = set[str]()
        for name, value in assigned * 2:  # `kept = far.float()` too, in whatever order they are walked through
            of_sizes = (each for each in ast.walk(value) if _compares_sizes(each, places))
            far |= {name} if any(of_sizes) or _root(value) in far else set()
        return any(_is_of_two(node) or any(_root(each) in far for each in _left_out_by(node)) for node in nodes)
    return False


def _is_of_two(node: ast.AST) -> bool:
    """Whether it is the lesser, or the larger, of two: `torch.max(x, y)`, `x.max(y)`, and no `x.max(1)`."""
    if (
        not isinstance(node, ast.Call)
        or not isinstance(node.func, ast.Attribute)
        or node.func.attr not in ("min", "max")
    ):
        return False
    its = node.args[ast.unparse(node.func.value) == "torch" :]
    return (
        bool(its)
        and not isinstance(its[0], ast.Constant | ast.UnaryOp | ast.Tuple | ast.List)
        and not re.search("dim|axis", ast.unparse(its[0]))
    )


def _compares_sizes(node: ast.AST, places: Collection[str]) -> bool:
    """Whether it says of each number whether it is beyond another one."""
    by_sign = isinstance(node, ast.Compare) and any(
        isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in node.ops
    )
    by_name = isinstance(node, ast.Call) and re.fullmatch(
        "[lg][te]|less|greater|(less|greater)_equal", held.called(node)
    )
    if not by_sign and not by_name:
        return False
    its = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return not its & set(places) and not PLACES.search(ast.unparse(node))


def _left_out_by(node: ast.AST) -> Iterator[ast.AST]:
    """By what something is left out there: `x[far] = 0`, `x.masked_fill(far, 0)`, `x * kept`."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        yield node.slice
    elif isinstance(node, ast.Call) and held.called(node) in ("masked_fill", "masked_fill_"):
        yield from [each for each in node.args[:-1] if "inf" not in ast.unparse(node.args[-1])]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from (node.left, node.right)


def _root(node: ast.AST) -> str:
    """The name of which it is a part, or that it is made of by a method or its opposite."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.UnaryOp):
        of = {ast.Call: "func", ast.UnaryOp: "operand"}
        node = getattr(node, of.get(type(node), "value"))
    return node.id if isinstance(node, ast.Name) else ""


def keeps_above(source: str) -> bool:
    """Whether some of Python's own numbers are taken up to one above zero: `max(end - start, 1)`. Not what a module is
    made with, `max(channels // 16, 8)`, which no input tells."""
    with contextlib.suppress(SyntaxError):
        nodes = list(ast.walk(syntax.read(asks.of_module(source))))
        made = (node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == "__init__")
        is_made = {id(each) for node in made for each in ast.walk(node)}
        nodes = [node for node in nodes if id(node) not in is_made]
        calls = (node for node in nodes if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "max")
        given = (each.value for call in calls for each in call.args if isinstance(each, ast.Constant))
        return any(isinstance(value, (int, float)) and value > 0 for value in given)
    return False


def limits_sizes(source: str) -> bool:
    """Whether a limit may be one of how large something is: what is chosen by flags that are given, or by what equals a
    number (`where(finished, ...)`), is no such."""
    limits, module = {each.group() for each in _LIMITS.finditer(source)} - {"where"}, asks.of_module(source)
    return bool(limits) or keeps_above(source) or COMPARES.search(module) is not None or _chooses_by_more(module)


def _chooses_by_more(source: str) -> bool:
    """Whether some `where` may choose by more than flags: by `isfinite(x)`, `signbit(x - 5)`, or nobody sees what."""
    with contextlib.suppress(SyntaxError):
        nodes = list(ast.walk(syntax.read(source)))
        named: dict[str, list[ast.AST]] = {
            node.id: [] for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        for name, value in (each for node in nodes for each in _assigned(node)):
            named.get(name, []).append(value)
        calls = [node for node in nodes if isinstance(node, ast.Call) and held.called(node) == "where"]
        return not all(call.args and _is_flags(call.args[0], named, _ROUNDS) for call in calls)
    return True


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Names with what is assigned to them; where they are a part of what is, with the whole assignment."""
    if not isinstance(node, ast.Assign | ast.AugAssign):
        return
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        for each in ast.walk(target):
            if isinstance(each, ast.Name):
                yield each.id, node.value if each is target else node


def _is_flags(node: ast.AST, named: Mapping[str, list[ast.AST]], rounds: int) -> bool:
    """Whether it is flags that are given, or says what equals something, or is made of such alone."""
    its: Sequence[ast.AST] = ()
    if isinstance(node, ast.Compare):
        return all(isinstance(each, ast.Eq | ast.NotEq) for each in node.ops)
    if isinstance(node, ast.Name) and node.id in named:
        its = named[node.id]
        others = {name: values for name, values in named.items() if name != node.id}  # `done = done | now`
        return rounds > 0 and bool(its) and all(_is_flags(each, others, rounds - 1) for each in its)
    if isinstance(node, ast.Name | ast.Attribute):
        return True
    if isinstance(node, ast.Subscript | ast.UnaryOp):
        its = [node.value if isinstance(node, ast.Subscript) else node.operand]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor):
        its = [node.left, node.right]
    elif isinstance(node, ast.Call) and held.called(node) in ("eq", "ne", "isin"):
        return True
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _OF_FLAGS:
        is_method = ast.unparse(node.func.value) != "torch"
        its = [node.func.value] if is_method else node.args[:1]
        its = [*its, *node.args[not is_method :]] if node.func.attr.startswith("logical") else its
    return bool(its) and all(_is_flags(each, named, rounds) for each in its)
