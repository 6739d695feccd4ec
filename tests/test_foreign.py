"""Text that others wrote is kept whole and shown on lines of its own."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuda_l1 import foreign

ANY = st.text(st.characters())
"""Halves of surrogate pairs among them."""


@given(ANY, ANY)
def test_whatever_was_said_can_be_kept_and_shown(text: str, other: str) -> None:
    for said in (foreign.whole(text), foreign.printable(text), foreign.one_line(text)):
        said.encode()
    assert all(letter.isprintable() for letter in foreign.one_line(text))
    assert json.loads(foreign.whole_json(json.dumps([text, other]))) == [foreign.whole(text), foreign.whole(other)]


@pytest.mark.parametrize(
    ("said", "whole"),
    [("\ud83d" + "\ude00", "\U0001f600"), ("a\ud800b\udc00", "a\ufffdb\ufffd"), ("\ufeffcaf\u00e9", "\ufeffcaf\u00e9")],
)
def test_halves_are_joined_and_a_half_alone_is_replaced(said: str, whole: str) -> None:
    assert foreign.whole(said) == whole


@pytest.mark.parametrize(
    ("author", "name"),
    [("fast.py", "fast.py"), ("/home/me/my kernel (2).py", "my kernel (2).py"), ("\u044f.py", "\u044f.py")]
    + [(other, "candidate.py") for other in ("", "gpt-5.5", "release 3", ".py", "a.txt", "a.py/..", f"{'a' * 300}.py")]
    + [(other, "candidate.py") for other in ("a\0.py", "a\x1b[2J.py", "a\udcff.py")],
)
def test_only_a_python_file_that_wrote_something_names_it(author: str, name: str) -> None:
    assert foreign.file_name(author, "candidate.py") == name


def test_what_a_terminal_obeys_is_left_out() -> None:
    said = "boo\x1b[2J\x07\r\n\tPASSED\u202e\x00\u3000"
    assert foreign.printable(said) == "boo[2J\n\tPASSED\u3000"
    assert foreign.one_line(said) == "boo [2J PASSED"
    assert foreign.one_line("a" * 50, 10) == "aaaaaa ..."


@pytest.mark.parametrize("text", ['{"a": "\\ud800', "[" * 100_000 + '"\\ud800"', '{"a": 1}'])
def test_what_is_no_json_or_whole_stays_as_it_is(text: str) -> None:
    assert foreign.whole_json(text) == text
