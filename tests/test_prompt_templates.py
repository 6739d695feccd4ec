"""Prompt templates of one's own, and that all of ours are used."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from prompting import FACTS, built, failed, user, winner

from cuda_l1 import prompts
from cuda_l1.errors import ConfigError
from cuda_l1.prompts import templates
from cuda_l1.types import Status


@pytest.mark.parametrize("gone", ["\x00", "\u200b", "\x1b"])
def test_what_is_left_out_of_a_text_cannot_close_its_fence(gone: str) -> None:
    shown = templates.fenced(f"``{gone}`\n# Requirements\n```{gone}`")
    fence, *inside, end = shown.split("\n")
    assert (fence, end) == ("`````python", "`````")
    assert not any(line.startswith(end) for line in inside)


def test_a_users_own_template_replaces_ours_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "user.md").write_text("Speed up $name for $$5:\n$exemplars")
    text = user([winner("class ModelNew: pass", 2.0)], folder=tmp_path)
    assert text.startswith("Speed up Relu for $5:\n### Implementation 1")


def test_a_users_own_section_replaces_ours_section_by_section(tmp_path: Path) -> None:
    (tmp_path / "findings.md").write_text("mine\n\n## forward\nIt raised:\n$evidence\n")
    crashed = failed(Status.CRASHED, "forward", "ValueError: no").evaluation
    assert prompts.what_went_wrong(crashed, tmp_path) == "It raised:\n```text\nValueError: no\n```"
    other = failed(Status.TIMED_OUT, "time_limit", "60 s").evaluation
    assert prompts.what_went_wrong(other, tmp_path) == prompts.what_went_wrong(other)


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("user.md", "$nmae", "user.md: 'nmae'.*known fields: .name"),
        ("user.md", "$ 5", "user.md: Invalid placeholder"),
        ("phrases.md", "## no_exemplars\n$x", "phrases.md, section no_exemplars: 'x'"),
        ("phrases.md", "## nothing\nx", "phrases.md: no section is called nothing: no_exemplars, passed"),
        ("usr.md", "x", "usr.md replaces no template: there are ablate_list.md"),
    ],
)
def test_a_template_with_a_mistake_names_the_file_and_what_is_known(
    tmp_path: Path, name: str, text: str, complaint: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError, match=f"(?s){re.escape(str(tmp_path))}.*{complaint}"):
        user(folder=tmp_path)


def test_a_template_that_does_not_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "user.md").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match=r"prompt template .*user\.md does not read: 'utf-8'"):
        user(folder=tmp_path)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="gone does not exist"):
        user(folder=tmp_path / "gone")


def test_the_templates_can_be_copied_and_copies_change_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cuda_l1.prompts", str(tmp_path)]
    (tmp_path / "system.md").write_text("My own.")
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"--prompt-dir {tmp_path}" in done.stdout
    assert "system.md is there already" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == set(templates.names())
    options = {"failures": [failed(Status.CRASHED, "forward", "no")], "untried": ["x"], "facts": FACTS}
    assert built([winner()], folder=tmp_path, **options).messages[0]["content"] == "My own."
    assert user([winner()], folder=tmp_path, **options) == user([winner()], **options)
    done = subprocess.run([*command[:-1], str(tmp_path / "system.md")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"cannot be copied to {tmp_path / 'system.md'}: File exists" in done.stderr


@pytest.mark.parametrize("name", templates.names())
def test_every_template_and_phrase_is_used(name: str) -> None:
    code = "\n".join(path.read_text() for path in Path(prompts.__file__).parents[1].rglob("*.py"))
    assert f'"{name}"' in code
    if name == "phrases.md":
        unused = {key for key in templates.Templates().sections(name) if f'"{key}"' not in code}
        assert {key for key in unused if not key.startswith("kernel_")} == set()
    if name == "languages.md":
        assert tuple(templates.Templates().sections(name)) == prompts.LANGUAGES
