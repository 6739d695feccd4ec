"""What a task's text asks its inputs for, and what it writes to, by reading it."""

from __future__ import annotations

import pytest
from looked import forward

from cuda_l1.inputs import asks, operations, writes
from cuda_l1.inputs.limits import has_limits, limits_sizes
from cuda_l1.inputs.operations import links, recurs


@pytest.mark.parametrize(
    ("body", "number"),
    [
        ("return x * (ids != 0)", 0),
        ("keep = ids.long()[:, 1:]\n        return keep == 3", 3),
        ("return ids.ne(-100)", -100),
        ("return ids >= 0", -1),
        ("return ids > 0", 0),
        ("return ids != self.pad_id", 0),
        ("return F.cross_entropy(x, ids, ignore_index=-1)", -1),
        ("return torch.count_nonzero(ids)", 0),
        ("return 3 == ids", 3),
        ("return -1 < ids", -1),
        ("return torch.ne(ids, 3)", 3),
        ("return x * (ids != IGNORED)[..., None]", -100),
        ("return torch.isin(ids, torch.tensor([-3]))", -3),
        ("none = 5\n        return torch.eq(ids, none)", 5),
    ],
)
def test_integers_are_asked_for_what_forward_compares_them_with(body: str, number: int) -> None:
    assert asks.numbers("IGNORED = -100\n" + forward(body)).get("ids") == {number}


@pytest.mark.parametrize(
    "body",
    [
        '"""Where x == 5 and padding is zero."""\n        return x[ids]',
        "return torch.where(x >= 0, x, 0.1 * x)[ids]",
        "return F.pad(x, (1, 1)) + self.table[ids]",
        "return F.ctc_loss(x, ids != 0)",
    ],
)
def test_words_and_other_inputs_ask_integers_for_nothing(body: str) -> None:
    assert "ids" not in asks.numbers(forward(body))
    assert asks.numbers("class Model: x = (") == {}


def test_names_in_loops_and_in_tuples_are_followed() -> None:
    made = "    def __init__(self, ignored):\n        self.least, self.ignored = 0, ignored\n\n"
    loop = "for some, words in zip(x.split(8), ids.split(8)):\n            y = words != self.ignored\n        return y"
    for body in (loop, "return [words != self.ignored for words in ids.split(8)]"):
        source = forward(body).replace("    def forward", f"{made}    def forward")
        assert asks.numbers(source, [-100]) == {"ids": {-100}}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return ids == self.words - 1", {89}),
        ("return ids != 2 * self.words + 1", {181}),
        ("return ids != self.config['end']", {7}),
        ("return torch.isin(ids, self.special)", {4, 5}),
        ("return torch.isin(ids, ids.new_tensor([4, self.words]))", {4, 90}),
        ("for word in (3, 6):\n            x = x * (ids != word)\n        return x", {3, 6}),
        ("return F.cross_entropy(x, ids, ignore_index=self.last)", {89}),
        ("return x if int(ids) in (100, 200) else -x", {100, 200}),
        ("return ids == self.words ** 2 ** self.words", set()),
        ("return ids == self.words // 0", set()),
        ("return ids == self.unknown - 1", set()),
        ("return ids == torch.arange(self.words)", set()),
        (f"return torch.isin(ids, torch.tensor({[*range(40)]}))", set()),
    ],
)
def test_integers_are_asked_for_numbers_by_expressions_lists_buffers_and_settings(
    body: str, expected: set[float]
) -> None:
    made = (
        "    def __init__(self, words, config):\n        self.words, self.config = words, config\n"
        "        self.last = words - 1\n"
        "        self.register_buffer('special', torch.tensor([4, 5]))\n\n"
    )
    source = forward(body).replace("    def forward", f"{made}    def forward")
    assert asks.numbers(source, [90, {"end": 7}]).get("ids", set()) == expected


def test_slices_sizes_and_loops_say_how_many_and_arithmetic_does_not() -> None:
    for body in ("return x[:, :ids]", "k = int(ids) + 1\n        return x.topk(k)", "return torch.topk(x, int(ids))",
                 "for _ in range(ids):\n            x = x + 1\n        return x", "return x * torch.arange(ids.item())",
                 "n, k = 1, int(ids)\n        return x.narrow(0, n, k)", "return x.new_zeros(4, ids)",
                 "while ids > 1:\n            ids = ids // 2\n        return x"):  # fmt: skip
        assert "ids" in asks.say_how_many(forward(body)), body
    for body in ("return x * (ids > 3)", "return self.table[ids]", "return torch.topk(x * ids, self.k)",
                 "return x.view(ids.shape[0], -1) * ids", "return x[:, : self.n] * 0.9**ids"):  # fmt: skip
        assert "ids" not in asks.say_how_many(forward(body)), body
    part = "class Part(nn.Module):\n    def forward(self, x, upto):\n        return x[:, :upto]\n\n"
    beside = "def cut(x, upto):\n    return x[:, :upto]\n\n"
    assert asks.say_how_many(part + forward("return self.part(x, int(ids))")) == {"ids"}
    assert asks.say_how_many(beside + forward("return cut(x, upto=ids)")) == {"ids"}
    assert not asks.say_how_many(beside + forward("return cut(x, 8) * ids"))
    assert asks.say_how_many("class Model: x = (") == frozenset()


def test_parts_and_functions_ask_for_what_forward_gives_them() -> None:
    part = "class Part(nn.Module):\n    def forward(self, words):\n        return self.table(words * (words != 7))\n\n"
    beside = "def kept(words):\n    return words.ne(7)\n\n"
    for source in (part + forward("return self.part(ids)"), beside + forward("return kept(ids)")):
        assert asks.numbers(source) == {"ids": {7}}
    assert asks.numbers(part + forward("return self.part(x)")).get("ids") is None
    made = "    def __init__(self):\n        self.loss = nn.CrossEntropyLoss(ignore_index=-1)\n\n"
    source = forward("return self.loss(x, ids)").replace("    def forward", f"{made}    def forward")
    assert asks.numbers(source)["ids"] == {-1}
    assert asks.numbers(part + forward("return F.embedding(ids, self.table)")) == {}


def test_a_number_stands_for_infinity_unless_it_is_a_period_or_a_size() -> None:
    for code in ("x.masked_fill(hidden, -1e9)", "x - 10000 * (1 - mask)", "x.where(seen, 1e6)", "(1 - mask) * -1e4"):
        assert asks.stands_for_infinity(forward(f"return {code}"))
    for code in ("10000.0 ** (i / n)", "math.log(10000.0)", "torch.pow(10000, i)", "waves(x, base=10000.0)",
                 "nn.Embedding(10000, 64)(x)", "x.clamp(-1e4, max=1e6)", "x / 1e6",
                 "x * 100", "x * 12345.0"):  # fmt: skip
        assert not asks.stands_for_infinity(forward(f"return {code}"))
    assert not asks.stands_for_infinity("words = 10000\n" + forward("return x"))
    assert not asks.stands_for_infinity("def get_inputs():\n    return [torch.randint(0, 10000, (4,)) * 1e9]\n")
    assert not asks.stands_for_infinity("def waves(n, theta=10000.0, length=10000):\n    return n\n")
    assert asks.stands_for_infinity("FAR = 1e9\n" + forward("return x"))


def test_what_draws_inputs_says_nothing_of_the_task() -> None:
    draws = "def get_inputs():\n    x = torch.rand(4).sort().values\n    x[torch.arange(2)] = 1e9\n    return [x]\n"
    source = forward("return x + 1") + draws
    assert not writes.overwrites(source)
    assert not operations.orders(source)
    assert operations.orders(forward("return x.sort().values"))
    assert asks.of_module("x = (") == "x = ("
    assert not asks.of_module("@torch.no_grad()\ndef get_inputs():\n    return [x]").strip()


def test_what_writes_one_number_to_places_overwrites_nothing() -> None:
    for code in ("x.scatter_(1, ids, True)", "torch.scatter(x, 1, ids, 0.0)", "x.scatter(dim=1, index=ids, value=-1)",
                 "x.scatter_(1, ids, -float('inf'))", "x.index_fill_(0, ids, 1)",
                 "x.scatter_add_(1, ids, y)"):  # fmt: skip
        assert not writes.overwrites(forward(f"return {code}"))
        assert writes.writes_to_places(forward(f"return {code}"))
    for code in ("x.scatter_(1, ids, y)", "torch.scatter(x, 1, ids, y)", "x.index_copy_(0, ids, y)", "x.put_(ids, y)",
                 "x.scatter_(1, ids, True).scatter_(1, ids, y)", "x.index_put_((ids,), y)"):  # fmt: skip
        assert writes.overwrites(forward(f"return {code}"))


def test_what_adds_to_one_place_at_a_time_overwrites_nothing() -> None:
    loop = "for i in range(8):\n            {}\n        return x"
    adds = ("a = ids[i]; x[a] = x[a] + y[i]", "x[ids[i]] = 0.9 * x[ids[i]]", "x[two[i, 0]] = x[two[i, 0]] + 1",
            "a, b = ids[i], i; old = x[a]; x[a] = torch.maximum(old, y[b])",
            "x[int(ids[i])] = x[int(ids[i])] + 1")  # fmt: skip
    dims = {"ids": 1, "two": 2}
    for code in adds:
        assert not writes.overwrites(forward(loop.format(code)), dims)
        assert writes.writes_to_places(forward(loop.format(code)))
    for code in ("a = ids[i]; x[a] = y[i]", "x[two[i]] = x[two[i]] + 1", "x[ids] = x[ids] + 1", "x[ids[i]] = x[i] + 1"):
        assert writes.overwrites(forward(loop.format(code)), dims)
    each = "for a, b in zip(ids, y):\n            x[a] = x[a] + b\n        return x"
    assert not writes.overwrites(forward(each), dims)
    assert writes.overwrites(forward(each))
    assert writes.overwrites(forward(each), {"ids": 2})


def test_a_loop_may_have_no_word_for_it() -> None:
    assert recurs("functools.reduce(self.step, x.unbind(1), state)")
    assert recurs("list(accumulate(x.unbind(1), self.step))")
    assert not recurs("out.scatter_reduce(0, index, x, reduce='sum')")
    assert links("y = reduce(f, x)\nreturn y > 3")


def test_what_is_compared_and_left_out_has_a_limit() -> None:
    limits = ("y = x.masked_fill(x.abs() > 500.0, 0.0)", "x[x > 5] = 5", "y = x * (x < 3)", "F.hardshrink(x, 3)")
    by_name = (
        "far = x.abs() > 500\nx = x.clone()\nx[far] = 0", "far = x.gt(500)\ny = x.masked_fill(~far, 0.0)",
        "far = (x > 5) & seen\nkept = (~far).float()\ny = kept[:, None] * x", "torch.max(torch.min(x, self.most), y)",
    )  # fmt: skip
    none = (
        "s = s.masked_fill(d > r, -math.inf)", "a = b > c", "y = x[i]", "far = d > r\ns = s.masked_fill(far, -inf)",
        "live = torch.arange(9) < n[:, None]\ny = x * live", "at = torch.arange(9)\nlive = at < n\nx[~live] = 0",
        "for t in range(9):\n    live = t < n\n    y = y * live", "x.max(1)[0] + torch.min(x, -1)[0] + x.max(dim)[0]",
        "class Model(nn.Module):\n    def __init__(self, n):\n        self.down = nn.Linear(n, max(n // 16, 8))",
    )  # fmt: skip
    assert all(map(has_limits, (*limits, *by_name)))
    assert not any(map(has_limits, none))


def test_what_flags_choose_is_limited_by_no_size() -> None:
    by_size = (
        "torch.where(x > 5, 5.0, x)", "far = x.abs().gt(5)\ny = torch.where(far, 0.0, x)", "x.clamp(max=5)",
        "torch.where(torch.greater(x, 65504.0), 65504.0, x)", "torch.where(torch.isinf(x.half()), 0.0, x)",
        "far = torch.signbit(5 - x)\nfar = mask | far[0]\ny = torch.where(~far, 0.0, x)",
        "far, n = look(x)\ny = torch.where(far, 0.0, x)", "torch.where((x / 5).floor().bool(), 0.0, x)",
    )  # fmt: skip
    by_flags = (
        "torch.where(finished, only, y)", "torch.where(levels == 3, x, y)", "torch.where(self.kept[:, None], x, y)",
        "done = words == self.end\ndone = done | over\ndone |= finished.bool()\n"
        "y = x.where(~done[..., None] & kept.unsqueeze(1), 0)",
        "torch.where(torch.logical_and(kept, mask.to(torch.bool)), x, y)",
    )  # fmt: skip
    assert all(map(limits_sizes, by_size))
    assert all(map(has_limits, by_flags))
    assert not any(map(limits_sizes, by_flags))
