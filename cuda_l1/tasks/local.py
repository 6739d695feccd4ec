"""A user's own file as a task: its text, with the class asked for named `Model`, or a Model that calls the function
asked for, and the functions it lacks appended.

Nothing of it is run here. The class is renamed rather than aliased, because a model that is shown the task and the
mechanical techniques both look for `class Model`.
Not covered: classes made by a call, and a class whose name is also that of a local variable or a string annotation.
"""

from __future__ import annotations

import ast
import difflib
import re
from pathlib import Path

from cuda_l1.errors import TaskError, nearest_file
from cuda_l1.tasks.arguments import listed, parameters
from cuda_l1.tasks.packages import by_name
from cuda_l1.tasks.text import Edit, Names, edit, function, names, parse
from cuda_l1.tasks.wrapped import module_of

_SPARE = "OtherModel"
"""What a class that happens to be called Model is called when another one is asked for."""
_METHOD = {"get_inputs": "forward", "get_init_inputs": "__init__"}
_OPTION = {"get_inputs": "--inputs", "get_init_inputs": "--init"}


def read(target: str, inputs: str | None, init: str | None) -> tuple[str, str, str]:
    """Name, source and folder of `file.py`, `file.py:Class` or `file.py:function`. `inputs` and `init` are a function's
    name, `other.py:function`, or arguments; each replaces the source's own get_inputs or get_init_inputs."""
    match = re.fullmatch(r"(.+\.py)(?::(\w+))?", target)
    if match is None:
        expected = "file.py, file.py:Class, file.py:function, or kernelbench:LEVEL/ID"
        raise TaskError(f"{target!r} names no task: expected {expected}")
    path, wanted = Path(match[1]), match[2] or "Model"
    text, folder = by_name(_text(path), path)
    tree = parse(text, str(path))
    found = names(tree)
    _require(path, wanted, match[2] is not None, found, tree)
    is_function = found.kinds.get(wanted) == "function"
    source = module_of(text, wanted, "Model", path) if is_function else _as_model(text, wanted, str(path))
    for given, name in ((inputs, "get_inputs"), (init, "get_init_inputs")):
        if given is not None:
            source = _with_function(source, given, name, path)
    return match[2] or path.stem, completed(source, str(path)), str(folder)


def completed(source: str, name: str) -> str:
    """The source, with a get_init_inputs that returns nothing if it has none. TaskError without Model or get_inputs."""
    tree = parse(source, name)
    found = names(tree)
    if "Model" not in found.kinds and not found.open:
        raise TaskError(f"{name} defines no class Model")
    if "get_inputs" not in found.kinds and not found.open:
        forward = function(tree, "Model", "forward")
        takes = f"; forward takes {parameters(forward)}" if forward else ""
        init = function(tree, "Model", "__init__")
        made = parameters(init) if init and "get_init_inputs" not in found.kinds else "()"
        takes += f"; its constructor takes {made}: give these by --init '...'" if made != "()" else ""
        raise TaskError(
            f"{name} defines no get_inputs(): write one that returns the list of forward's arguments, or give "
            f"--inputs FUNCTION or --inputs 'x=randn(64, 4096)'{takes}"
        )
    if "get_init_inputs" in found.kinds or found.open:
        return source
    return f"{source.rstrip()}\n\n\ndef get_init_inputs():\n    return []\n"


def _text(path: Path) -> str:
    try:
        if path.is_file():
            return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise TaskError(f"{path} is not Python: byte {error.start} is not UTF-8 text") from None
    except OSError as error:
        raise TaskError(f"{path} does not read: {error.strerror}") from None
    if path.is_dir():
        raise TaskError(f"{path} is a folder: expected a file")
    if path.exists():
        raise TaskError(f"{path} is no regular file: expected a file of Python")
    if path.is_symlink():
        raise TaskError(f"{path} is a link that leads to no file: mend it, or name the file itself")
    raise TaskError(f"no file {path}{nearest_file(path) or f' in {path.parent.resolve()}'}")


def _require(path: Path, wanted: str, asked: bool, found: Names, tree: ast.Module) -> None:
    kind = found.kinds.get(wanted)
    if kind == "value" and asked:
        raise TaskError(f"{path}:{wanted} is a value; expected a class, a torch.nn.Module, or a function")
    if kind is not None or found.open:
        return
    known = [name for its in ("class", "function") for name, kind in found.kinds.items() if kind == its]
    near = difflib.get_close_matches(wanted, known, n=1)
    hint = f"; did you mean {path}:{near[0]}?" if near else ""
    if not asked and known:
        called = next((name for name in known if function(tree, name, "forward")), known[0])  # no class of settings
        hint = f"; to take one of them: {path}:{called} --inputs 'x=randn(64, 4096)'"
        made = parameters(init)[1:-1] if (init := function(tree, called, "__init__")) else ""
        hint += f" --init '...' (it is made with: {made})" if made else ""
        if called == "ModelNew":
            hint = f". That is what a candidate defines: name the task's file first, then the candidate's{hint}"
    raise TaskError(f"{path} has no class {wanted}; it has {', '.join(known) or 'no class and no function'}{hint}")


def _as_model(text: str, wanted: str, name: str) -> str:
    """The text with class `wanted` called Model, and a Model that it had called something else."""
    if wanted == "Model":
        return text
    tree = parse(text, name)
    kinds = names(tree).kinds
    new = {wanted: "Model"}
    if "Model" in kinds:
        if kinds["Model"] != "class" or _SPARE in kinds:
            raise TaskError(f"{name}: Model must be free for {wanted}, and it is something else: rename that")
        new["Model"] = _SPARE
    edits = _renaming(text, tree, new)
    if kinds.get(wanted) == "class" and edits is not None:
        return edit(text, edits)
    if "Model" in kinds:
        raise TaskError(f"{name}: {wanted} cannot take the name Model, which is a class there: rename that one")
    return f"{text.rstrip()}\n\n\nModel = {wanted}\n"


def _renaming(text: str, tree: ast.Module, new: dict[str, str]) -> list[Edit] | None:
    """Edits of every definition and use of the classes; None where one cannot be located (f-strings before 3.12)."""
    lines = [line.encode() for line in text.split("\n")]
    edits: list[Edit] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name in new:
            match = re.compile(rb"class\s+").match(lines[node.lineno - 1], node.col_offset)
            if match is None:
                return None
            start, old = match.end(), node.name
        elif isinstance(node, ast.Name) and node.id in new:
            start, old = node.col_offset, node.id
        else:
            continue
        end = start + len(old.encode())
        if lines[node.lineno - 1][start:end] != old.encode():
            return None
        edits.append(Edit(node.lineno, start, node.lineno, end, new[old]))
    return edits


def _with_function(source: str, given: str, name: str, path: Path) -> str:
    """The source with a function `name` (get_inputs or get_init_inputs) as the user's words have it."""
    option = _OPTION[name]
    match = re.fullmatch(r"(.+\.py):(\w+)", given)
    if match and Path(match[1]).resolve() != path.resolve():
        source, called = _joined(source, Path(match[1]), path), match[2]
    else:
        called = match[2] if match else given
    tree = parse(source, str(path))
    kinds = names(tree).kinds
    if called == name and name in kinds:
        return source
    if not called.isidentifier():
        value = listed(given, function(tree, "Model", _METHOD[name]), kinds, option)
    elif called in kinds:
        value = f"{called}()"
    else:
        functions = [known for known, kind in kinds.items() if kind == "function"]
        raise TaskError(
            f"{option} {given}: no function {called} in {match[1] if match else path}; "
            f"found {', '.join(functions) or 'none'}"
        )
    torch = "" if kinds.get("torch") == "torch" else "import torch\n\n\n"
    return f"{source.rstrip()}\n\n\n{torch}def {name}():\n    return {value}\n"


def _joined(source: str, other: Path, path: Path) -> str:
    """The source followed by the other file's text: a task is one text, that its digest may cover its inputs too."""
    text, _ = by_name(_text(other), other)
    tree = parse(text, str(other))
    mine, theirs = names(parse(source, str(path))).kinds, names(tree).kinds
    for name in theirs:
        if name in mine and (mine[name] != theirs[name] or theirs[name] in ("class", "function", "value")):
            raise TaskError(f"{path} and {other} both define {name}: a task is one text, so rename one of them")
    futures = [
        Edit(node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0, "")
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]
    return f"{source.rstrip()}\n\n\n{edit(text, futures).strip()}\n"
