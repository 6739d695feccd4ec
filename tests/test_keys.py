"""Keys: sent to the server and found nowhere else, whatever the server says back."""

import os
import subprocess
import sys
from pathlib import Path

from chat_server import KEY, MODEL, chat_server

TASK = """
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(8, 8)]


def get_init_inputs():
    return []
"""
RUN = (
    *("--model", MODEL, "--rounds", "1", "--samples", "3", "--transforms", "none", "--archive", "archive.sqlite"),
    *("--device", "cpu", "--effort", "glance", "--baselines", "eager", "--display", "plain"),
)


def test_no_key_is_in_anything_that_a_run_says_or_leaves(tmp_path: Path) -> None:
    (tmp_path / "task.py").write_text(TASK)
    places = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "CUDA_L1_API_KEY": KEY, "OPENAI_LOG": "debug"}
    with chat_server("ignores_n", "500_after_first", "refuses") as server:
        done = subprocess.run(
            [sys.executable, "-m", "cuda_l1.cli", "optimize", "task.py", "--base-url", server.url, *RUN],
            capture_output=True,
            cwd=tmp_path,
            env=os.environ | places,
        )
    said = done.stdout + done.stderr
    assert server.requests, said.decode()
    assert b"***" in said, "the server did say it back"
    left = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {path.name for path in left} >= {"config.json", "events.jsonl", "archive.sqlite"}
    assert KEY.encode() not in said
    assert not [path for path, data in left.items() if KEY.encode() in data]
