"""From the text of a reply to code that can be judged, or to the one reason why there is none.

The last complete Python block that defines `ModelNew` is taken, from the Code Implementation section if it has one.
Nothing is run: the code is read with `ast`.
Not covered: whether the code is right, fast or honest (judge), and repairing a reply that is almost right.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from cuda_l1 import syntax
from cuda_l1.types import Language, Task

_SECTION = re.compile(
    r"^#{1,4}\s*+(?:\d+[.)]\s*+)?\**\s*+(performance analysis|algorithm design|code implementation)\b", re.IGNORECASE
)
_FENCE = re.compile(r"^(\s*+)(`{3,}+(?!.*`)|~{3,}+)\s*+([\w+-]*)")
_MOST_DEEPER = 3
"""Spaces by which a closing fence may be deeper than the opening one: what is deeper is text (CommonMark 0.31, 4.5)."""
_LINE_END = re.compile(r"\r\n?|\n")
"""As Python has it: what else `splitlines` splits at, a string literal may hold."""
_PYTHON = {"", "python", "py", "python3", "pytorch", "torch"}


class ParseError(ValueError):
    """The reply holds no code that can be judged; the message is the reason, in words that the model can act on."""


class Parsed(NamedTuple):
    """What a reply holds. `analysis` and `design` are empty where the reply left the section out."""

    code: str
    language: Language
    analysis: str
    design: str


class _Block(NamedTuple):
    code: str
    language: str
    section: str
    closed: bool


def parse(reply: str, task: Task) -> Parsed:
    """Raises ParseError: empty, cut off, no code block, SyntaxError with its line, no ModelNew, wrong arguments."""
    text = _answer(reply)
    if not text.strip():
        raise ParseError("the reply is empty: nothing was written after the reasoning, or nothing at all")
    blocks, sections = _split(text)
    code = _pick(blocks).removeprefix("\ufeff")
    if len(code) > syntax.LONGEST:  # a server may write on, whatever it was asked for
        raise ParseError(f"the code has {len(code):,} characters, and at most {syntax.LONGEST:,} are read: write less")
    try:
        tree = syntax.read(code)
    except SyntaxError as error:
        line = error.lineno or 0
        lines = code.split("\n")
        shown = f": {lines[line - 1].strip()}" if 0 < line <= len(lines) else ""
        raise ParseError(f"SyntaxError in line {line} of the code ({syntax.reason(error)}){shown}") from None
    model = _class(tree, "ModelNew")
    if model is None:
        raise ParseError("no class ModelNew at the top level of the code")
    _check_arguments(model, task)
    return Parsed(
        code.strip() + "\n",
        language_of(code),
        sections.get("performance analysis", "").strip(),
        sections.get("algorithm design", "").strip(),
    )


def without_reasoning(reply: str) -> str:
    """What a model said after its reasoning."""
    # Some chat templates write the opening tag into the prompt, so that only the closing one is in the reply.
    return re.sub(r"^.*</think>", "", reply, flags=re.DOTALL)


def _answer(reply: str) -> str:
    text = without_reasoning(reply)
    if re.search(r"<think>", text):
        raise ParseError(
            "the reasoning never ended (<think> without </think>): the reply was cut off, allow more tokens"
        )
    return text


def _split(text: str) -> tuple[list[_Block], dict[str, str]]:
    """All fenced blocks in order, and the text of each section with its blocks left in."""
    blocks: list[_Block] = []
    sections: dict[str, list[str]] = {}
    section, depth, fence, language = "", 0, "", ""
    code: list[str] = []
    for line in _LINE_END.split(text):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[2].startswith(fence) and line.strip() == mark[2] and len(mark[1]) <= depth + _MOST_DEEPER:
                blocks.append(_Block(_dedented(code), language, section, closed=True))
                fence = ""
            else:
                code.append(line)
        elif mark:
            depth, fence, language, code = len(mark[1]), mark[2], mark[3].lower(), []
        elif heading := _SECTION.match(line):
            section = heading[1].lower()
            sections[section] = []
            continue
        sections.setdefault(section, []).append(line)
    if fence:
        blocks.append(_Block(_dedented(code), language, section, closed=False))
    return blocks, {name: "\n".join(lines) for name, lines in sections.items()}


def _dedented(lines: list[str]) -> str:
    """Without the indentation that all lines share, as in a block that belongs to an item of a list."""
    shared = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[shared:] for line in lines)


def _pick(blocks: list[_Block]) -> str:
    defines = re.compile(r"^class\s+ModelNew\b", re.MULTILINE)
    found = [block for block in blocks if block.language in _PYTHON and defines.search(block.code)]
    complete = [block for block in found if block.closed]
    final = [block for block in complete if block.section == "code implementation"]
    if final:
        return final[-1].code
    # A complete ModelNew in the analysis beside a cut off one in the last section is a quotation, not the answer.
    if blocks and not blocks[-1].closed and (blocks[-1].section == "code implementation" or not complete):
        raise ParseError("the code block was never closed: the reply was cut off, allow more tokens or write less")
    if complete:
        return complete[-1].code
    if not blocks:
        raise ParseError("no code block: the answer needs one fenced block that starts with ```python")
    python = [block for block in blocks if block.language in _PYTHON]
    if not python:
        languages = ", ".join(sorted({block.language for block in blocks}))
        raise ParseError(
            f"no Python code block, only {languages}: the file must be Python that holds the kernel as a string"
        )
    classes = re.findall(r"^class\s+(\w+)", "\n".join(block.code for block in python), re.MULTILINE)
    raise ParseError(f"no class ModelNew in the code, found {', '.join(classes) or 'no class'}")


def _class(tree: ast.Module, name: str) -> ast.ClassDef | None:
    return next((node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name), None)


def _check_arguments(model: ast.ClassDef, task: Task) -> None:
    """Refuses only what cannot be constructed with the reference's arguments, whatever these are."""
    reference = _class(syntax.read(task.source), "Model")
    wanted = _arguments(reference) if reference else None
    found = _arguments(model)
    if wanted is None or found is None:
        return
    (wanted_required, wanted_all), (found_required, found_all) = wanted, found
    if len(found_required) > len(wanted_all) or len(found_all) < len(wanted_required):
        raise ParseError(
            f"ModelNew.__init__ takes ({', '.join(found_all)}), the reference's Model takes ({', '.join(wanted_all)}): "
            "keep the same arguments"
        )


def _arguments(model: ast.ClassDef) -> tuple[list[str], list[str]] | None:
    """Names of the required and of all arguments of `__init__` after self; None where they are open or inherited."""
    init = next((n for n in model.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    if init is None or init.args.vararg or init.args.kwarg:
        return None
    positional = [a.arg for a in init.args.posonlyargs + init.args.args][1:]
    keyword = [a.arg for a in init.args.kwonlyargs]
    required = positional[: max(0, len(positional) - len(init.args.defaults))]
    required += [name for name, default in zip(keyword, init.args.kw_defaults, strict=True) if default is None]
    return required, positional + keyword


def language_of(code: str) -> Language:
    """By what the code imports and calls; a kernel that is only mentioned in a comment counts for nothing.

    Code that is no Python, or too long, counts as `torch`: the judge will say what is wrong with it.
    """
    try:
        nodes = list(ast.walk(syntax.read(code if len(code) <= syntax.LONGEST else "")))
    except SyntaxError:
        return "torch"
    imported = {alias.name.split(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {(node.module or "").split(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}
    if "triton" in imported:
        return "triton"
    names = {node.id for node in nodes if isinstance(node, ast.Name)} | {
        node.attr for node in nodes if isinstance(node, ast.Attribute)
    }
    strings = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    if "_compile_kernel" in names or any("__global__" in text for text in strings):
        return "cuda"
    builds = [node for node in nodes if isinstance(node, ast.Call) and _called(node).endswith("load_inline")]
    if any(_has_cuda_sources(call) for call in builds):
        return "cuda"
    return "cpp" if builds else "torch"


def _called(call: ast.Call) -> str:
    """The last name of what is called; "" where it has none."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return str(name)


def _has_cuda_sources(call: ast.Call) -> bool:
    given = [word.value for word in call.keywords if word.arg == "cuda_sources"] + call.args[2:3]
    return not all(_is_empty(value) for value in given)


def _is_empty(value: ast.expr) -> bool:
    if isinstance(value, ast.List | ast.Tuple):
        return not value.elts
    return isinstance(value, ast.Constant) and not value.value
