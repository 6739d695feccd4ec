"""Imports point down only, heavy packages come in late, and no file outgrows a reader."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "cuda_l1"
ROWS = (
    {"types", "errors", "decode", "constants", "syntax", "foreign", "constructor", "siblings"},
    {"config", "tasks", "baselines", "transforms", "prompts", "parsing", "sampling", "models", "journal"}
    | {"prices", "replies", "faults", "accounts", "reward", "identity", "wording", "streams", "wire", "sandbox"},
    {"inputs", "machine", "mutants"},
    {"extensions", "evidence"},
    {"processes"},
    {"judge_config"},
    {"correctness"},
    {"timing"},
    {"archive", "judge", "offline"},
    {"llm"},
    {"attempt", "hacks", "report", "meter", "grader"},
    {"search", "verdict", "console", "doctor", "claims", "ablate", "scores", "train"},
    {"release", "sweep", "scoreboard", "comparison"},
    {"cli"},
)
ROW = {part: row for row, parts in enumerate(ROWS) for part in parts}
BEHIND_THE_JUDGE = {"wire", "sandbox", "inputs", "extensions", "evidence", "processes", "judge_config"}
BEHIND_THE_JUDGE |= {"correctness", "timing"}
"""What the judge is made of: others come in by its door, `judge`. The machine and its leases are everybody's."""
LOOKS_BEHIND = {"doctor": {"sandbox"}, "train": {"correctness", "wire"}, "machine": {"sandbox", "wire"}}
"""What says which layers hold; what screens tasks compares outputs as the judge does; and what is part of it too."""
HEAVY = {
    "torch",
    "sqlalchemy",
    "alembic",
    "openai",
    "rich",
    "transformers",
    "triton",
    "datasets",
    "numpy",
    "scipy",
    "trl",
    "peft",
    "accelerate",
}
MAY_BE_HEAVY = {"judge", "wire", "inputs", "evidence", "processes", "correctness", "timing"}
MAY_BE_HEAVY |= {"machine/room.py", "migrations", "transforms", "train", "decode.py"}
"""What is itself imported late: `judge` and what it is made of by the rows above, `migrations` by
`archive` when it opens, `transforms` by its own `propose`, `train` by the command line, which reads `train.config`
first, `decode` by `models` when it generates."""
FILES = sorted(PACKAGE.rglob("*.py"))
EXTRAS = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def is_light(path: Path) -> bool:
    return not {name_of(path), path.relative_to(PACKAGE).parts[0]} & MAY_BE_HEAVY


def part_of(path: Path) -> str:
    """The row's word for a file: its folder in the package, or its own name."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imports(path: Path, *, top_only: bool = False) -> Iterator[str]:
    """Dotted names that a file imports; with `top_only`, those that run when it is imported."""
    tree = ast.parse(path.read_text())
    inside = path.relative_to(PACKAGE.parent).with_suffix("").parts[:-1]
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(inside[: len(inside) - node.level + 1]) + "." if node.level else ""
            module = f"{base}{node.module or ''}".rstrip(".")
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif top_only and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            todo.extend(node.orelse)
        elif not (top_only and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)):
            todo.extend(ast.iter_child_nodes(node))


def own_imports(path: Path) -> set[str]:
    """Parts of the package that a file imports anywhere, functions included."""
    names = {tuple(name.split(".")) for name in imports(path)}
    return {name[1] for name in names if name[0] == "cuda_l1" and len(name) > 1 and name[1] != "__version__"}


def loaded_by(*command: str) -> set[str]:
    """Top-level packages that a fresh interpreter has loaded after running `command` as its code."""
    code = "\n".join([*command, "import sys; print('LOADED', *{name.split('.')[0] for name in sys.modules})"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rpartition("LOADED")[2].split())


def test_the_package_has_files_and_each_has_a_row():
    assert {"types", "errors", "archive"} <= {part_of(path) for path in FILES}
    unknown = {part_of(path) for path in FILES} - set(ROW) - {"__init__", "__main__", "migrations"}
    assert not unknown, f"give {unknown} a row here and in ARCHITECTURE.md"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_imports_point_down_only(path):
    part = part_of(path)
    if part == "migrations":
        assert own_imports(path) <= {"errors", "migrations"}
        return
    if part in ("__init__", "__main__"):
        return
    for name in own_imports(path) - {part}:
        if name == "migrations":
            assert part == "archive", f"only archive may know the tables, {part} imports them"
        else:
            assert ROW[name] < ROW[part], f"{part} (row {ROW[part]}) imports {name} (row {ROW[name]})"


@pytest.mark.parametrize("path", [path for path in FILES if part_of(path) not in BEHIND_THE_JUDGE], ids=name_of)
def test_the_judge_is_the_only_door(path):
    part = part_of(path)
    if part != "judge":
        behind = own_imports(path) & BEHIND_THE_JUDGE - LOOKS_BEHIND.get(part, set())
        assert not behind, f"{part} imports {behind}, which are the judge's own: ask the judge"


@pytest.mark.parametrize("path", list(filter(is_light, FILES)), ids=name_of)
def test_heavy_packages_are_imported_inside_functions(path):
    found = {name.split(".")[0] for name in imports(path, top_only=True)} & HEAVY
    assert not found, f"import {found} inside the functions that need it"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_module_says_what_it_is_and_stays_short(path):
    text = path.read_text()
    assert ast.get_docstring(ast.parse(text)), (
        "start with a docstring: what it is, what flows through, what is not covered"
    )
    assert len(text.splitlines()) <= 400, "over 400 lines: split it"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_functions_stay_short(path):
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    long = [f.name for f in functions if (f.end_lineno or 0) - f.lineno >= 60]
    assert not long, f"over 60 lines: {long}"


@pytest.mark.parametrize("extra", sorted(set(EXTRAS) - {"dev"}))
def test_an_extra_is_for_what_is_imported_here_or_by_code_that_is_written_here(extra):
    packages = "|".join(re.split(r"\W", each)[0] for each in EXTRAS[extra])
    assert any(re.search(rf"(import|from) ({packages})\b", path.read_text()) for path in FILES)


def test_only_the_archive_speaks_sql():
    speakers = {part_of(path) for path in FILES if {"sqlalchemy", "sqlite3"} & {n.split(".")[0] for n in imports(path)}}
    assert speakers == {"archive", "migrations"}


@pytest.mark.parametrize(
    "module",
    ["cuda_l1", "cuda_l1.archive", "cuda_l1.report", "cuda_l1.cli", "cuda_l1.judge.pool", "cuda_l1.train.families",
     "cuda_l1.sweep"],
)  # fmt: skip
def test_importing_is_light(module):
    assert not loaded_by(f"import {module}") & HEAVY


def test_help_is_light():
    loaded = loaded_by(
        "from cuda_l1.cli import main",
        "import sys; sys.argv = ['cuda-l1', '--help']",
        "try: main()",
        "except SystemExit as done: assert not done.code, done.code",
    )
    assert not loaded & HEAVY


def test_judging_loads_no_compiler_and_no_symbolic_algebra():
    """2.5 s of every process's first task, once, for the strides of its weights."""
    loaded = loaded_by(
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})",
        "from linear import rewrite, task",
        "from cuda_l1.judge import JudgeConfig, judge",
        "[done] = judge(task(), [rewrite()], JudgeConfig(effort='glance', baselines=()))",
        "assert done.speedup, done",
    )
    assert "torch" in loaded
    assert not loaded & {"sympy", "triton"}


def test_opening_a_current_archive_does_not_load_alembic(tmp_path):
    from cuda_l1.archive import Archive

    Archive(tmp_path / "archive.sqlite").close()
    loaded = loaded_by("from cuda_l1.archive import Archive", f"Archive({str(tmp_path / 'archive.sqlite')!r}).close()")
    assert "sqlalchemy" in loaded
    assert not loaded & {"alembic", "torch"}
