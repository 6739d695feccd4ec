"""Tasks whose file imports others of its folder, or of the package that it is part of."""

import sys
from pathlib import Path

import pytest
from test_tasks import HEAD, NET, TASK, run

from cuda_l1 import siblings, tasks
from cuda_l1.errors import TaskError
from cuda_l1.tasks import packages


def test_a_class_imported_from_a_sibling(folder, tmp_path, monkeypatch):
    folder("sibling.py", HEAD + NET)
    task = tasks.load(
        folder("use.py", "import torch\nfrom sibling import Net\n") + ":Net", inputs="randn(2, 16)", init="16"
    )
    monkeypatch.syspath_prepend(task.import_path)
    assert run(task)[0].shape == (2, 8)
    assert task.import_path == str(tmp_path)


@pytest.mark.parametrize("is_marked", [True, False])
@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("from .{} import Net", ""),
        ("from . import {}\nclass Net({}.Net):\n    pass", ""),
        ("from ..{} import Net", "deep/"),
        ("if True:\n    from .. {} import (\n        Net)", "deep/"),
        ("from {} import Net", ""),
    ],
)
def test_a_file_of_a_package_imports_its_parts(folder, tmp_path, request, line, place, is_marked):
    package, part = (f"{name}_{abs(hash(request.node.name))}" for name in ("pack", "part"))  # imported once, they stay
    folder(f"{package}/{part}.py", HEAD + NET)
    for where in (package, f"{package}/deep") if is_marked else ():
        folder(f"{where}/__init__.py", "")
    path = folder(f"{package}/{place}use.py", "import torch\n" + line.replace("{}", part) + "\n")
    task = tasks.load(f"{path}:Net", inputs="randn(2, 16)", init="16")
    assert task.import_path == str(tmp_path / package)
    with siblings.found(task.import_path):
        assert run(task)[0].shape == (2, 8)
    assert not {task.import_path, str(tmp_path)} & set(sys.path)


def test_a_file_that_names_its_own_package(folder, tmp_path):
    folder("mine/inner/__init__.py", "")
    folder("mine/__init__.py", "")
    text = HEAD + "import mine.inner as inner\n" + TASK
    assert tasks.load(folder("mine/inner/a.py", text)).import_path == str(tmp_path / "mine")
    assert tasks.load(folder("mine/inner/b.py", HEAD + TASK)).import_path == str(tmp_path / "mine" / "inner")


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("import part", "part.py"),
        ("def late():\n    from part.deep import Net", "part/deep.py"),
        ("from part import deep", "part/deep.py"),
        ("from part import (  # a note (here)\n    deep,\n    other as more,\n)", "part/deep.py"),
        ("import part.deep  # a note (as", "part/deep.py"),
        ("from part import \\\n    deep", "part/deep.py"),
        ("try:\n    import fast\nexcept ImportError:\n    import part.deep; import fast", "part/deep.py"),
        ("import part.deep.er", "part/deep/er.py"),
        ("from part import *", "part/__init__.py"),
        ("import mine.part", "part.py"),
        ("from . import part", "part.py"),
    ],
)
def test_a_task_is_another_once_what_it_imports_from_its_folder_has_changed(folder, tmp_path, line, part):
    """Else what was judged of the one would stand, unjudged, for the other."""
    path = folder("mine/a.py", HEAD + f"{line}\n" + TASK)
    part = f"mine/{part}"
    folder(part, "from other import scale\n")
    folder("mine/other.py", "scale = 2\n")
    first = tasks.load(path)
    folder("mine/beside.py", "scale = 3\n")
    assert tasks.load(path) == first == tasks.unchanged(first)
    for changed in (part, "mine/other.py"):
        folder(changed, "from other import scale\n\n")
        assert tasks.load(path).id != first.id
        assert tasks.load(path).source_digest == first.source_digest
        with pytest.raises(TaskError, match="is not what it was when this began: begin anew"):
            tasks.unchanged(first)
        folder(part, "from other import scale\n")
    for gone in (part, "mine/other.py"):
        (tmp_path / gone).unlink()
        with pytest.raises(TaskError, match="begin anew"):
            tasks.unchanged(first)
    alone = tasks.load(folder("mine/alone.py", HEAD + TASK))
    assert alone.id == f"local/{alone.source_digest}"


def test_what_cannot_be_read_is_left_to_the_import_and_what_is_installed_to_its_version(folder, monkeypatch, tmp_path):
    """A name that is too long for a file; a file of others; torch, which lies beside an installed package."""
    path = folder("mine/a.py", HEAD + f"import part, {'long' * 99}\n" + TASK)
    folder("mine/part.py", "import other\n")
    folder("mine/other.py", "")
    read = Path.read_text

    def read_text(file, **how):
        if file.name == "part.py":
            raise PermissionError(13, "Permission denied")
        return read(file, **how)

    assert set(packages.imported("import part", tmp_path / "mine")) == {"part.py", "other.py"}
    monkeypatch.setattr(Path, "read_text", read_text)
    alone = tasks.load(path)
    assert alone.id == f"local/{alone.source_digest}"
    path = folder("site-packages/mine/a.py", HEAD + "import other\n" + TASK)
    folder("site-packages/mine/other.py", "")
    alone = tasks.load(path)
    assert alone.id == f"local/{alone.source_digest}"
