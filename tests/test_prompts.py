"""What the model is told."""

import re
from pathlib import Path

import pytest
from records import make_candidate, make_evaluation, make_task, make_win

from cuda_l1 import prompts
from cuda_l1.errors import ConfigError
from cuda_l1.parsing import parse
from cuda_l1.types import Exemplar, Finding, Status

TASK = make_task()


def user(exemplars: list[Exemplar], **options: object) -> str:
    system, message = prompts.build(TASK, exemplars, device_name="NVIDIA H200", **options)  # type: ignore[arg-type]
    assert (system["role"], message["role"]) == ("system", "user")
    assert system["content"]
    return message["content"]


def winner(code: str, value: float, **fields: object) -> Exemplar:
    candidate = make_candidate(TASK, code, **fields)
    return Exemplar(candidate=candidate, evaluation=make_win(candidate, value, eager=value * 2))


def test_the_parts_come_in_order_and_nothing_is_left_unfilled() -> None:
    text = user([winner("class ModelNew: fast = 1", 2.0, author="matvec"), winner("class ModelNew: slow = 1", 0.5)])
    parts = [
        "# Reference implementation",
        TASK.source.strip(),
        "### Implementation 1: score 4.00",
        "class ModelNew: fast = 1",
        "### Implementation 2: score 1.00",
        "class ModelNew: slow = 1",
        "## Performance Analysis",
        "## Algorithm Design",
        "## Code Implementation",
        "# Requirements",
        "# Restrictions",
    ]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "NVIDIA H200" in text
    assert "4.00x (95% interval 3.96 to 4.04) against eager PyTorch" in text
    assert "2.00x (95% interval 1.98 to 2.02) against compile, the best baseline" in text
    assert "Written in torch, by matvec." in text
    assert "$" not in text


def test_exactly_three_sections_and_five_questions_are_asked() -> None:
    text = user([])
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == [
        "Performance Analysis",
        "Algorithm Design",
        "Code Implementation",
    ]
    assert re.findall(r"^(\d)\. .+\?$", text, re.MULTILINE) == list("12345")


@pytest.mark.parametrize(
    "rule", ["ModelNew", "`__init__`", "state_dict", "cache", "every call", "hyper-parameters", "imports"]
)
def test_the_rules_are_told(rule: str) -> None:
    assert rule in user([])


def test_without_exemplars_it_says_so() -> None:
    assert prompts.NO_EXEMPLARS in user([])
    assert "### Implementation" not in user([])


def test_a_failed_exemplar_shows_its_reason_and_the_end_of_its_log() -> None:
    candidate = make_candidate(TASK)
    evaluation = make_evaluation(
        candidate,
        Status.BUILD_FAILED,
        findings=(Finding(check="build", detail="nvcc said no"),),
        log="x" * 5000 + "END",
    )
    text = user([Exemplar(candidate=candidate, evaluation=evaluation)])
    assert "score 0.00\nBUILD_FAILED. build: nvcc said no" in text
    assert "xEND" in text
    assert "x" * 1000 not in text


def test_code_with_fences_and_dollars_stays_whole() -> None:
    code = 'class ModelNew:\n    """\n```\nsh $HOME $name\n```\n"""'
    assert f"````python\n{code}\n````" in user([winner(code, 2.0)])


@pytest.mark.parametrize(
    ("language", "told"), [("any", "Triton"), ("triton", "Triton"), ("cpp", "cpp_sources"), ("cuda", "cuda_sources")]
)
def test_the_allowed_languages_are_told(language: str, told: str) -> None:
    line = next(line for line in user([], language=language).splitlines() if "Allowed languages" in line)
    assert told in line
    assert ("Triton" in line) == (language in ("any", "triton"))


def test_an_unknown_language_is_named() -> None:
    with pytest.raises(ConfigError, match="unknown language 'rust': use one of any, torch"):
        user([], language="rust")


def test_a_users_own_template_replaces_ours_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "user.md").write_text("Speed up $name for $$5:\n$exemplars")
    text = user([winner("class ModelNew: pass", 2.0)], folder=tmp_path)
    assert text.startswith("Speed up Relu for $5:\n### Implementation 1")


@pytest.mark.parametrize(
    ("text", "complaint"), [("$nmae", "'nmae'.*known fields: .name"), ("$ 5", "Invalid placeholder")]
)
def test_a_template_with_a_mistake_names_the_file_and_the_fields(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "user.md").write_text(text)
    with pytest.raises(ConfigError, match=f"(?s)user.md.*{complaint}"):
        user([], folder=tmp_path)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="gone does not exist"):
        user([], folder=tmp_path / "gone")


def test_an_answer_in_the_form_asked_for_is_understood() -> None:
    """The prompt and the parser agree: a reply built from the prompt's own headings and fence is read."""
    headings = re.findall(r"^## .+$", user([]), re.MULTILINE)
    parsed = parse(
        "\n".join([headings[0], "why", headings[1], "how", headings[2], "```python\nclass ModelNew: pass\n```"]), TASK
    )
    assert (parsed.analysis, parsed.design, parsed.code) == ("why", "how", "class ModelNew: pass\n")
