"""A folder with a tiny task and candidates for it, and `cuda-l1` run in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cuda_l1.cli import main

WASTEFUL = '''"""Three milliseconds of work that nobody looks at, and one activation computed twice."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(width))

    def forward(self, x):
        unused = x
        for _ in range(20):
            unused = torch.special.i0e(unused)
        return torch.tanh(x) * self.scale + torch.tanh(x)


def get_inputs():
    return [torch.randn(15, 256)]


def get_init_inputs():
    return [256]
'''
FAST = WASTEFUL.replace("class Model(", "class ModelNew(").replace("range(20)", "range(8)")
"""By less than what the judge judges again as a record."""
WRONG = FAST.replace("* self.scale + torch.tanh(x)", "* self.scale")
CONSTANT = WASTEFUL.replace("torch.tanh(x) * self.scale + torch.tanh(x)", "x * 0")
HOW = ("--baselines", "eager", "--device", "cpu")
QUICK, GLANCE = (("--effort", effort, *HOW) for effort in ("quick", "glance"))
"""The first where a win is asked for that is judged again as a record, else the second."""
SEARCH = ("--transforms", "dead_operations,rewrites")


class Place:
    """A folder with a task and candidates, and the command run in it with an archive of its own."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capture = folder, capture
        for name, text in (("task.py", WASTEFUL), ("fast.py", FAST), ("wrong.py", WRONG), ("constant.py", CONSTANT)):
            (folder / name).write_text(text)

    def let_work_longer(self) -> None:
        """The task twice as large, for who is interrupted at it: what comes after the first candidate lasts."""
        (self.folder / "task.py").write_text(WASTEFUL.replace("torch.randn(15, 256)", "torch.randn(30, 256)"))

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "cuda_l1.cli", *arguments],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """In this process, which has imported torch already."""
        self.capture.readouterr()
        with pytest.raises(SystemExit) as end:
            main(arguments)
        out, err = self.capture.readouterr()
        assert isinstance(end.value.code, int)
        return subprocess.CompletedProcess(arguments, end.value.code, out, err)

    def run_for_a_win(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """As `run`, up to five times while the judge is not sure of it, as it says by design beside others' work."""
        for _ in range(5):
            done = self.run(*arguments)
            if done.returncode == 0 or "AMBIGUOUS" not in done.stdout + done.stderr:
                break
        return done

    @property
    def archive(self) -> Path:
        return self.folder / "data" / "cuda-l1" / "archive.sqlite"
