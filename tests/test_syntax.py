"""Texts that others wrote: what of them is code."""

from __future__ import annotations

import ast

import pytest

from cuda_l1 import syntax

SAID = '''"""Ranks the unique float16 words."""

import torch  # sort


class Model(torch.nn.Module):
    """Like an LSTM,
    over lines.
    """

    def forward(self, x):
        """Blank."""
        "topk"
        mode = "nearest"  # half
        return [x, """kept
# too"""], mode, f"{x} # and this"
'''


def test_what_is_said_to_people_is_taken_out_and_nothing_else() -> None:
    code = syntax.without_words(SAID)
    for word in ("unique", "float16", "sort", "LSTM", "over lines", "Blank", "topk", "half"):
        assert word not in code
    for word in ('"nearest"', "kept\n# too", "# and this", "import torch"):
        assert word in code
    assert ast.unparse(ast.parse(code)).splitlines()[-1] == ast.unparse(ast.parse(SAID)).splitlines()[-1]


@pytest.mark.parametrize("text", ["x = (", "'''", "  x\n y", ""])
def test_what_is_not_python_stays(text: str) -> None:
    assert syntax.without_words(text) == text
