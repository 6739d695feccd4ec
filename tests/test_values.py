"""What of a long error is kept: its beginning, the first error with what follows, its end."""

from __future__ import annotations

import pytest

from cuda_l1.judge.values import describe_exception, shortened


def test_a_short_text_is_told_whole() -> None:
    assert describe_exception(ValueError("no\nmore")) == "ValueError: no\nmore"


@pytest.mark.parametrize("before", [0, 30, 900])
@pytest.mark.parametrize("behind", [0, 30, 900])
def test_the_first_error_is_kept_wherever_it_stands(before: int, behind: int) -> None:
    command = "/usr/local/cuda/bin/nvcc -I/some/where -std=c++17 cuda.cu\n"
    first = 'cuda.cu(7): error: identifier "wrap" is undefined\n    int i = wrap;\n            ^\n'
    later = 'cuda.cu(9): error: expected a ";"\n'
    text = f"Error building extension 'x': [1/2]\n{command * before}{first}{later * behind}ninja: build stopped"
    kept = shortened(text)
    assert first in kept
    assert kept.startswith("Error building extension 'x'")
    assert kept.endswith("ninja: build stopped")
    assert len(kept) <= 4010


def test_a_long_text_without_an_error_keeps_both_ends() -> None:
    kept = shortened("begin " + "x" * 9000 + " end")
    assert (kept[:6], kept[-4:], len(kept) <= 4010) == ("begin ", " end", True)
