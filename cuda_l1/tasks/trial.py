"""A first run of a task, in this process and with the user's rights: it imports, constructs and calls the module once.

A Task goes in, nothing comes out but the TaskError that says what is wrong, in whose line, and what was expected.
Not covered: whether the module is right, random or degenerate (judge). The source is the user's own, hence trusted.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cuda_l1 import syntax
from cuda_l1.errors import TaskError
from cuda_l1.types import Task


def check(task: Task, device: str = "cpu") -> None:
    """TaskError unless the source imports, Model is constructed, and forward gives tensors on get_inputs()."""
    import torch

    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        path = Path(folder) / "task.py"
        path.write_bytes(syntax.encoded(task.source))
        with _imported(task, path) as module:
            kind = getattr(module, "Model", None)
            if not isinstance(kind, type) or not issubclass(kind, torch.nn.Module):
                raise TaskError(f"task {task.name}: Model is {_a(kind)}; expected a class, a torch.nn.Module")
            trial = _Trial(task, path, device)
            model = trial.construct(kind, trial.arguments(module, "get_init_inputs"))
            inputs = trial.arguments(module, "get_inputs")
            trial.outputs(model, inputs)


class _Trial:
    """The steps of one run, each with its own words for what goes wrong."""

    def __init__(self, task: Task, path: Path, device: str) -> None:
        import torch

        self.task, self.path, self.device = task, path, device
        self.dtype = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(task.precision)

    def arguments(self, module: Any, name: str) -> list[Any]:
        """What get_inputs or get_init_inputs returns."""
        function = getattr(module, name, None)
        if not callable(function):
            raise TaskError(f"task {self.task.name}: {name} is {_a(function)}; expected a function")
        values = self._run(f"{name}() raised", function)
        if not isinstance(values, list | tuple):
            called = "forward's" if name == "get_inputs" else "Model's"
            raise TaskError(
                f"task {self.task.name}: {name}() returned {_a(values)}; expected a list of {called} arguments, "
                "a single one too: return [x]"
            )
        return list(values)

    def construct(self, kind: Any, values: list[Any]) -> Any:
        try:
            inspect.signature(kind).bind(*values)
        except TypeError as error:
            raise TaskError(
                f"task {self.task.name}: Model takes {inspect.signature(kind)} and get_init_inputs() returns "
                f"{len(values)} arguments ({error}): correct get_init_inputs, or give --init 'name=value, ...'"
            ) from None
        model = self._run("Model cannot be constructed", lambda: kind(*values))
        return self._run(f"Model cannot be moved to {self.device}", lambda: model.to(self.device, self.dtype))

    def outputs(self, model: Any, inputs: list[Any]) -> None:
        import torch

        def forward() -> Any:
            moved = [value.to(self.device) if torch.is_tensor(value) else value for value in inputs]
            cast = [v.to(self.dtype) if torch.is_tensor(v) and v.is_floating_point() else v for v in moved]
            with torch.no_grad():
                return model.train(self.task.mode == "train")(*cast)

        value = self._run("Model.forward raised on get_inputs()", forward)
        leaves = list(_leaves(value))
        wrong = next((leaf for leaf in leaves if not torch.is_tensor(leaf)), None)
        if wrong is not None or not leaves:
            what = f"{_a(wrong)} in it" if leaves and wrong is not value else _a(value)
            raise TaskError(
                f"task {self.task.name}: forward returned {what}; expected tensors, or lists, tuples or dicts of them"
            )

    def _run(self, what: str, function: Callable[[], Any]) -> Any:
        try:
            return function()
        except (Exception, SystemExit) as error:
            raise TaskError(f"task {self.task.name}: {what}: {_blame(error, self.path, self.task)}") from error


@contextlib.contextmanager
def _imported(task: Task, path: Path) -> Iterator[Any]:
    """The source as a module. Afterwards the search path and the siblings that it imported are forgotten again, so that
    the next task may have siblings of the same names."""
    spec = importlib.util.spec_from_file_location(f"cuda_l1_task_{task.source_digest}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before, known = list(sys.path), set(sys.modules)
    sys.modules[spec.name] = module
    if task.import_path is not None:
        sys.path.insert(0, task.import_path)
    try:
        try:
            spec.loader.exec_module(module)
        except ModuleNotFoundError as error:
            beside = f", or put it into {task.import_path}" if task.import_path else ""
            raise TaskError(
                f"task {task.name}: the source imports {error.name}, which is not found: install it{beside} "
                f"({_blame(error, path, task)})"
            ) from error
        except (Exception, SystemExit) as error:
            raise TaskError(f"task {task.name}: the source does not import: {_blame(error, path, task)}") from error
        yield module
    finally:
        sys.path[:] = before
        for name in set(sys.modules) - known:
            if name == spec.name or _is_sibling(sys.modules[name], task.import_path):
                del sys.modules[name]


def _is_sibling(module: Any, folder: str | None) -> bool:
    file = getattr(module, "__file__", None)
    return bool(folder and file and file.startswith(folder + os.sep) and "site-packages" not in file)


def _blame(error: BaseException, path: Path, task: Task) -> str:
    """Type and message of an error, and the user's own line that it came from."""
    own = (str(path), (task.import_path or str(path)) + os.sep)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(own)]
    where = ""
    if frames:
        file = "" if frames[-1].filename == str(path) else f" of {os.path.basename(frames[-1].filename)}"
        where = f", line {frames[-1].lineno}{file} in {frames[-1].name}: {frames[-1].line}"
    return f"{type(error).__name__}: {error}{where}"


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _a(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
