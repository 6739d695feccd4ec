"""Tensors within the arguments of a task: taken apart, put together again, and called by names in its text."""

from __future__ import annotations

import collections
import json

import pytest
import torch

from cuda_l1.inputs import asks
from cuda_l1.wire import values


def test_tensors_within_arguments_are_taken_apart_and_put_together_again() -> None:
    x, y, z = torch.zeros(1), torch.ones(2), torch.ones(3)
    assert values.apart((x, [1, "two"], None)) == ([x, [1, "two"], None], None), (
        "no tensor lies within another argument"
    )
    given = {"batch": {"ids": x, "of": (y, 3)}, "more": [z, None], "scale": 0.5}
    tensors, how = values.apart(given)
    assert [id(each) for each in tensors] == [id(x), id(y), id(z)]
    how = json.loads(json.dumps(how))
    put = values.Together(lambda **arguments: arguments, how)(*tensors)
    assert put["batch"]["ids"] is x
    assert put["batch"]["of"] == (y, 3)
    assert put["more"][0] is z
    with pytest.raises(TypeError, match="a set;"):
        values.apart([{x}])
    with pytest.raises(TypeError, match="a Size_;"):
        values.apart([collections.namedtuple("Size_", "rows")(x)])


def test_a_text_says_what_is_asked_of_tensors_within_arguments() -> None:
    source = """class Model(nn.Module):
    def forward(self, batch, levels, *, scale):
        kept = batch["labels"] != -100
        return levels[1][kept] * batch["more"]["mask"] * self.table["labels"]
"""
    x = torch.zeros(1)
    given = {"batch": {"labels": x, "more": {"mask": x}}, "levels": [x, x], "scale": 2.0}
    text = asks.apart(source, values.apart(given)[1])
    assert "forward(self, labels, mask, levels, levels_1)" in text
    assert "return levels_1[kept] * mask * self.table['labels']" in text
    assert asks.numbers(text) == {"labels": {-100}}
    by_place = asks.apart(source, values.apart(list(given.values()))[1])
    assert "forward(self, labels, mask, levels, levels_1)" in by_place


def test_what_a_text_unpacks_is_called_what_it_calls_it() -> None:
    source = """class Model(nn.Module):
    def forward(self, batch, more):
        (x, mask), labels = batch
        first = more[0]
        a, b = self.halves(x)
        return x[labels != -100] * mask + first * a
"""
    x = torch.zeros(1)
    text = asks.apart(source, values.apart([((x, x), x), [x, x]])[1])
    assert "forward(self, x, mask, labels, first, more_1)" in text
    assert "a, b = self.halves(x)" in text
    assert asks.numbers(text) == {"labels": {-100}}


def test_what_forward_takes_as_many_is_called_what_it_calls_each() -> None:
    head = "class Model(nn.Module):\n    def forward(self, x, *batch):\n        "
    text = asks.spread(head + "mask, labels = batch\n        return x * (labels != -100)\n", 3)
    assert asks.names_of(text, 3) == ["x", "mask", "labels"]
    assert asks.numbers(text) == {"labels": {-100}}
    listed = asks.spread(head + "[mask, labels] = batch\n        return x * (labels != -100)\n", 3)
    assert asks.names_of(listed, 3) == ["x", "mask", "labels"]
    plain = "class Model(nn.Module):\n    def forward(self, x):\n        return x  # as it is\n"
    assert asks.spread(plain, 1) == plain


def test_what_tensors_are_called_within_arguments_are_names_whatever_their_keys() -> None:
    source = "class Model(nn.Module):\n    def forward(self, batch):\n        return batch['class'] != -100\n"
    x = torch.zeros(1)
    text = asks.apart(source, values.apart([{"class": x, "in-put": x, 0: x, (1, 2): x, None: x, "of_class": x}])[1])
    assert len(set(asks.names_of(text, 6))) == 6
    assert all(asks.names_of(text, 6))
    assert asks.numbers(text) == {"batch_class": {-100}}
