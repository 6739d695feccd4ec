"""What doctor tries, and what it says of things that do not work."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import torch
from chat_server import chat_server

from cuda_l1 import doctor
from cuda_l1.cli import main


def states(lines: list[doctor.Line]) -> dict[str, str]:
    return {line.name: line.state for line in lines}


@pytest.mark.slow
def test_a_working_machine_judges_a_module_for_real(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["doctor", "--json", "--archive", str(tmp_path / "archive.sqlite")])
    data = json.loads(capsys.readouterr().out)
    lines = {line["name"]: line for line in data["lines"]}
    assert end.value.code == data["exit_code"] == 0
    assert "passed on cpu" in lines["judging"]["detail"]
    if lines["c++"]["state"] == "ok":
        assert "passed on cpu" in lines["torch.compile"]["detail"]
    else:
        assert "torch.compile" not in lines, "nothing can be compiled here"
    assert {"python", "torch", "archive", "cache", "sandbox rlimits"} <= lines.keys()
    assert all(line["fix"] for line in data["lines"] if line["state"] != "ok")


def test_what_was_asked_for_and_does_not_work_is_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    place = str(tmp_path / "archive.sqlite")
    with pytest.raises(SystemExit) as end:
        main(["doctor", "--device", "cuda:99", "--archive", place])
    assert end.value.code == 3
    assert "fail" in capsys.readouterr().out
    with chat_server("401") as server, pytest.raises(SystemExit) as end:
        main(["doctor", "--model", "toy-model", "--base-url", server.url, "--archive", place])
    assert end.value.code == 4
    assert "refused the key" in capsys.readouterr().out


def test_archive_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database, and long enough to be looked at as one" * 20)
    lines = doctor.examine(None, None, None, str(tmp_path / "notes.txt"))
    assert states(lines)["archive"] == "fail"
    assert "judging" not in states(lines), "nothing is judged while something else fails"


def test_an_archive_url_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = doctor.examine(None, None, None, "postgresql://user:secret@127.0.0.1:9/name")
    assert states(lines)["archive"] == "fail"
    assert not any("secret" in line.detail for line in lines)
    assert list(tmp_path.iterdir()) == []


def test_missing_tools_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inline = "from torch.utils.cpp_extension import load_inline"
    (tmp_path / "ninja").symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    assert "c++ not found" in (doctor.missing_tool("cpp", inline) or "")
    assert "nvcc not found" in (doctor.missing_tool("cuda", inline) or "")
    assert doctor.missing_tool("torch", "") is None
    assert doctor.missing_tool("cuda", "torch.cuda._compile_kernel(text, 'k')") is None, "NVRTC comes with torch"


def test_torch_without_cuda_builds_no_cuda_beside_nvcc(monkeypatch: pytest.MonkeyPatch) -> None:
    inline = "from torch.utils.cpp_extension import load_inline"
    monkeypatch.setattr(torch.version, "cuda", None)
    assert "torch is a CPU build" in (doctor.missing_tool("cuda", inline) or "")
    assert "torch" not in (doctor.missing_tool("cpp", inline) or "")
    monkeypatch.setattr(torch.version, "cuda", "12.8")
    assert "torch" not in (doctor.missing_tool("cuda", inline) or "")


def test_each_thing_has_a_line_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a\n\x1b[2Jb").write_text("no archive, and long enough to be looked at as one" * 20)
    with pytest.raises(SystemExit) as end:
        main(["doctor", "--archive", "a\n\x1b[2Jb"])
    assert end.value.code == 3
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert {line[:5].strip() for line in out.splitlines()} <= {"ok", "warn", "fail"}
