"""What the model is told of code that failed."""

import re
from pathlib import Path

import pytest
from prompting import built, failed, user, winner, wrong

from cuda_l1 import prompts
from cuda_l1.prompts import templates
from cuda_l1.types import Status

GCC = """RuntimeError: Error building extension 'k': c++ -I/usr/include -Werror -c /tmp/cuda-l1-x/fast-1/main.cpp -o x.o
/tmp/cuda-l1-x/fast-1/main.cpp: In function 'at::Tensor f(at::Tensor)':
/tmp/cuda-l1-x/fast-1/main.cpp:3:7: warning: unused variable 'a' [-Wunused-variable]
    3 |   int a;
/tmp/cuda-l1-x/fast-1/main.cpp:5:16: error: 'y' was not declared in this scope
    5 |   return x.add(y);
      |                ^
/tmp/cuda-l1-x/fast-1/main.cpp:9:1: error: expected '}' at end of input
"""
NVCC = """RuntimeError: Error building extension 'k': /usr/local/cuda/bin/nvcc -c /tmp/s/cuda.cu -o cuda.cu.o
/tmp/s/cuda.cu(7): warning #177-D: variable "q" was declared but never referenced
/tmp/s/cuda.cu(12): error: identifier "treadIdx" is undefined
      int i = treadIdx.x;
              ^

1 error detected in the compilation of "/tmp/s/cuda.cu".
"""


@pytest.mark.parametrize(
    ("printed", "first", "gone"),
    [
        (GCC, "main.cpp:5:16: error: 'y' was not declared in this scope\n    5 |   return x.add(y);", "expected '}'"),
        (NVCC, 'cuda.cu(12): error: identifier "treadIdx" is undefined\n      int i = treadIdx.x;', "warning"),
        (
            "x.o: in function `f':\n/t/ld: x.cpp:(.text+0x5): undefined reference to `g()'",
            "undefined reference to `g",
            "in f",
        ),
    ],
    ids=["gcc", "nvcc", "linker"],
)
@pytest.mark.parametrize("place", ["detail", "log"])
def test_of_compiler_output_the_first_error_is_told(printed: str, first: str, gone: str, place: str) -> None:
    detail, log = (printed, "") if place == "detail" else ("RuntimeError: see above", printed)
    told = wrong(Status.BUILD_FAILED, "build", detail, log)
    assert told.startswith("BUILD_FAILED. The file does not import, compile or construct.")
    assert first in told
    assert gone not in told
    assert "/tmp" not in told


def test_a_build_that_failed_in_python_is_told_with_the_end_of_what_it_printed() -> None:
    told = wrong(
        Status.BUILD_FAILED, "build", "ModuleNotFoundError: No module named 'apex' (line 3)", "x" * 5000 + "END"
    )
    assert "No module named 'apex' (line 3)" in told
    assert "xEND" in told
    assert "x" * 1000 not in told


def test_a_wrong_output_is_told_with_its_worst_element_and_without_the_bound() -> None:
    told = wrong(
        Status.WRONG_OUTPUT,
        "error",
        "output 0, input set 5 (large values): element 7: got 1.5, expected 2; error 0.3 in the norm (at most 0.0001), "
        "0.25 in the worst element (at most 0.001)",
    )
    assert (
        "input set 5 (large values): element 7: got 1.5, expected 2; error 0.3 in the norm, 0.25 in the worst" in told
    )
    assert "at most" not in told
    assert "0.0001" not in told


@pytest.mark.parametrize("check", ["unfinished_work", "reference_slowed", "byte_floor"])
def test_how_the_judge_measures_is_not_told(check: str) -> None:
    told = wrong(Status.REJECTED, check, "SECRET 4.2 us of 5.1 us at 4400 GB/s")
    assert told.startswith(f"REJECTED ({check}).")
    assert "SECRET" not in told
    assert "4400" not in told


def test_a_check_without_words_is_told_by_name_alone() -> None:
    told = wrong(Status.REJECTED, "new_check", "SECRET")
    assert "REJECTED. It broke a rule of the judge's, under the name new_check." in told
    assert "SECRET" not in told


def test_every_check_that_docs_name_has_words() -> None:
    table = Path("docs/judge.md").read_text().partition("## Statuses")[2].partition("Notes change")[0]
    checks = set(re.findall(r"`(\w+)`", table)) - {"forward", "ModelNew"}
    said = set(templates.Templates().sections("findings.md"))
    assert {check for check in checks if check != "output_"} <= said


def test_a_passed_candidate_has_nothing_wrong() -> None:
    assert prompts.what_went_wrong(winner().evaluation) == ""


def test_a_long_error_keeps_its_beginning_and_its_end() -> None:
    told = wrong(Status.CRASHED, "forward", "TypeError: " + "x" * 5000 + " (line 9 in forward)")
    assert "TypeError: xx" in told
    assert "(line 9 in forward)" in told
    assert len(told) < 1200


def test_a_failed_exemplar_shows_its_reason() -> None:
    assert "score 0.00\nCRASHED. `forward` raised" in user([failed(Status.CRASHED, "forward", "ValueError: no")])


def test_a_repair_goes_on_with_the_conversation() -> None:
    first = built().messages
    messages = prompts.repair(first, "my reply", "It does not build: `$x`")
    assert messages[:2] == first
    assert [message["role"] for message in messages[2:]] == ["assistant", "user"]
    assert messages[2]["content"] == "my reply"
    assert "It does not build: `$x`" in messages[3]["content"]
    assert "```python" in messages[3]["content"]


# The budget.


def test_an_error_that_is_long_for_nothing_is_told_at_once() -> None:
    """From each bracket on the end of a bound was looked for up to the end of the text: minutes."""
    assert "..." in wrong(Status.CRASHED, "forward", "ValueError: " + "(at most " * 100_000 + " " * 300_000 + ".")
