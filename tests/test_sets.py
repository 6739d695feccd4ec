"""On what a candidate is verified: which distributions a task has, and which weights alone are others."""

from __future__ import annotations

import itertools
import math
import random

import pytest
import torch
from looked import seen

from cuda_l1.correctness import meaning, sets, verify
from cuda_l1.inputs import operations
from cuda_l1.inputs.asks import names_of
from cuda_l1.inputs.distributions import RAISED, of_input
from cuda_l1.inputs.fills import FILLS
from cuda_l1.inputs.looks import Looks, look
from cuda_l1.inputs.patterns import RANKED
from cuda_l1.inputs.related import drawn
from cuda_l1.machine import room
from cuda_l1.wire.arena import Layout, Leaf

FLOATS, MASK = Leaf.of(torch.zeros(4, 8)), Leaf.of(torch.zeros(4, 8, dtype=torch.bool))


def kinds(inputs: list[Leaf], trivial: list[int], source: str = "") -> list[str]:
    return sets.kinds(0, inputs, [FLOATS], "cpu", source, Looks(trivial=tuple(trivial)))[0]


@pytest.mark.parametrize("count", [2, 3, 4])
def test_of_few_weights_each_is_changed_alone(count: int) -> None:
    names = list("abcd"[:count])
    assert sorted(sets.parts(names, random.Random(0))) == [[name] for name in names]


@pytest.mark.parametrize("count", [5, 8, 9, 100])
def test_of_many_weights_any_two_are_apart_in_some(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [str(number) for number in range(count)]
    assert len(sets.parts(names, random.Random(0))) == sets.PARTS
    monkeypatch.setattr(sets, "PARTS", 2 * (count - 1).bit_length())
    parts = list(map(set, sets.parts(names, random.Random(0))))
    for changed, watched in itertools.permutations(names, 2):
        assert any(changed in part and watched not in part for part in parts)


def test_one_weight_is_a_part_by_itself() -> None:
    assert sets.parts(["a"], random.Random(0)) == [["a"]]
    assert sets.parts([], random.Random(0)) == []


def test_masks_are_filled_each_alone_too_and_only_where_there_are_some() -> None:
    assert not set(FILLS) & set(kinds([FLOATS], []))
    assert set(FILLS) <= set(kinds([FLOATS, MASK], [1]))
    assert kinds([MASK, MASK], [0, 1]) == [
        *FILLS, *(of_input(kind, index) for kind in FILLS for index in (0, 1)),
    ]  # fmt: skip


def test_limits_are_looked_for_in_one_input_at_a_time() -> None:
    plain, limited = kinds([FLOATS, FLOATS], []), kinds([FLOATS, FLOATS], [], "x = F.relu6(x)")
    assert {"large of input 0", "large of input 1"} <= set(plain)
    assert set(limited) - set(plain) == {"huge", "tiny", "huge of input 0", "huge of input 1"}


def test_a_mask_that_is_drawn_as_another_is_found_and_moved_alone() -> None:
    mask, ones = torch.rand(4, 8) < 0.5, torch.ones(4, 8, dtype=torch.bool)
    numbers = torch.rand(4, 8)
    told = seen(mask, numbers, mask.clone(), ones, ones.clone(), numbers.clone(), torch.arange(32)).told
    assert told == (2,), "what is one value is filled, and of numbers one alone is negated"
    assert seen(mask, ~mask, mask[..., None].long()).told == (1, 2), "the opposite, and another shape and type"
    assert "rolled of input 2" in sets.kinds(0, [MASK, FLOATS, MASK], [FLOATS], "cpu", "", Looks(told=told))[0]


def test_a_mask_within_another_and_tokens_one_later_are_known_from_these() -> None:
    torch.manual_seed(0)
    mask, other = torch.rand(2, 64, 64) < 0.5
    for own in (mask & other, mask | other):
        assert seen(mask, own).told == (1,)
    assert seen(mask, other).told == seen(mask, ~mask & other).told == (), "those that are apart may have to be"
    causal = torch.ones(64, 64, dtype=torch.bool).tril()
    assert seen(causal, causal.triu(-4)).told == (), "a band is made for its place"
    tokens = torch.randint(99, (4, 17))
    assert seen(tokens[:, :-1], tokens[:, 1:]).told == (1,)
    assert seen(tokens[:, 1:], tokens[:, :-1]).told == (1,)
    assert seen(tokens, tokens[:, 1:]).told == seen(tokens[:, :-1], tokens).told == (1,), "of one more"
    hidden = tokens.masked_fill(torch.rand(4, 17) < 0.5, -100)
    assert seen(tokens, hidden).told == (1,), "but for one number"
    assert seen(tokens, torch.randint(99, (4, 17))).told == ()
    ends = torch.arange(0, 90, 5)
    assert seen(ends[:-1], ends[1:]).told == (), "where spans begin, and where they end"
    for held in (mask.float(), mask.long(), 1 - mask.float()):
        assert seen(mask, held).told == (1,), "whatever it is held as"


def test_counts_are_raised_and_lengths_and_masks_are_not() -> None:
    numbers, counts, lengths = torch.randn(4, 512), torch.full((4,), 7), torch.full((4,), 512)
    step, ones = torch.tensor(100), torch.ones(4, 512)
    assert seen(numbers, counts, lengths, step, ones).counts == ((1, 512), (3, 512), (4, 0)), "no longer than the rows"
    assert seen(numbers, counts, lengths, step, ones, names="x n lengths step mask").counts == ((1, 512), (3, 512))
    assert seen(torch.randn(40, 512), torch.full((512,), 40)).counts == (), "of rows that come first"
    assert seen(torch.randn(512, 9), torch.full((512,), 4)).counts == ((1, 9),)
    assert seen(torch.randn(64, 3), torch.full((32,), 2)).counts == (), "they sum to an extent"
    assert look([step], [""], "", [768]).counts == ((0, 768),), "what the module is made with"
    assert seen(step).counts == ((0, 0),)
    assert seen(torch.zeros(4), torch.ones(4, dtype=torch.long), torch.ones(4, dtype=torch.bool)).counts == ()
    kinds = sets.kinds(0, [FLOATS, FLOATS], [FLOATS], "cpu", "", Looks(trivial=(1,), counts=((1, 0), (0, 9))))[0]
    assert {of_input(RAISED, 1), "raised below 9 of input 0"} <= set(kinds)


def test_what_a_causal_mask_looks_at_first_is_never_hidden() -> None:
    assert "filled starts" in kinds([FLOATS, MASK], [1])
    assert "filled starts" not in kinds([FLOATS, MASK], [1], "scores.masked_fill(torch.ones(n, n).triu(1), -1e9)")
    assert "filled ends" in kinds([FLOATS, MASK], [1], "is_causal=True")


def test_positions_are_repeated_unless_something_is_written_to_places() -> None:
    positions = torch.arange(16).repeat(4, 1)
    assert seen(positions, source="table(positions)").positions == (0,)
    assert seen(positions.flip(-1), positions[:, :4], positions[:, :3]).positions == (0, 1)
    for source in ("x.scatter_(1, positions, y)", "cache[positions] = x", "cache.index_copy_(0, positions, x)"):
        assert seen(positions, source=source).positions == ()
    for source in (
        "x[positions] == y",
        "places: list[int] = shape",
        "def forward(self, x: Optional[Tensor] = None): x",
    ):
        assert seen(positions, source=source).positions == (0,)


def test_what_may_have_ties_comes_last_where_a_task_chooses() -> None:
    def tried(source: str, dtype: torch.dtype = torch.long) -> list[str]:
        return sets.kinds(0, [FLOATS], [Leaf.of(torch.zeros(4, dtype=dtype))], "cpu", source)[0]

    assert {"large", "alike", "integers"} <= set(tried("return x.argmax(-1)")[-12:])
    assert {"infinities", "nans"} <= set(tried("return x.nan_to_num().argmax(-1)")[-14:])
    assert not {"infinities", "nans"} & set(tried("return x.argmax(-1)")[-12:]), "of which its text does not speak"
    assert {"large", "alike"} <= set(tried("return (x * 4).round().long()"))
    assert "large" not in tried("return (x * 4).round().char()", torch.int8), "which holds no larger ones"
    assert "blank rows" in tried("return (x * 4).round().char()", torch.int8)
    assert "large" in tried("return (x * 4).round().clamp(-128, 127).char()", torch.int8), "what passes is cut off"
    assert "huge" in tried("return x.clamp(0).argmax(-1)")
    assert "huge" not in tried("return x.argmax(-1)")
    hides = "return x.masked_fill(hidden, -1e9).clamp(0).argmax(-1)"
    assert {"huge", "tiny"} & set(tried(hides)) == {"tiny"}, "beside huge ones it hides nothing"
    assert "huge" in tried("return x.clamp(-1e4, 1e4).argmax(-1)"), "a limit"
    assert sets.has_ties("large of input 1", "x.argmax()", [FLOATS])
    assert not sets.has_ties("small", "x.argmax()", [FLOATS])
    assert sets.has_ties("outliers", "x.softmax(-1).argmax()", [FLOATS])
    assert not sets.has_ties("outliers", "x.argmax()", [FLOATS])


def test_infinities_are_meant_where_the_tasks_own_are_or_anywhere_if_these_move() -> None:
    def made(*places: int) -> sets.InputSet:
        given = torch.zeros(8).index_fill_(0, torch.tensor(places), -math.inf)
        return sets.InputSet("own", 0, 0, torch.zeros(1), [given], [])

    elsewhere, above = made(3).expected, [-made(1, 2).expected[0]]
    assert meaning.are_meant(made(1, 2).expected, [made(1, 2), made(1, 2)])
    assert not meaning.are_meant(elsewhere, [made(1, 2)])
    assert not meaning.are_meant(elsewhere, [made(1, 2), made(1, 2)])
    assert meaning.are_meant(elsewhere, [made(1, 2), made(2, 4)])
    for other in (above, [elsewhere[0] * 0], [torch.full((8,), -math.inf)]):
        assert not meaning.are_meant(other, [made(1, 2), made(2, 4)])


def test_what_fits_on_a_set_is_asked_for_beside_what_does_not() -> None:
    numbers, chosen = torch.zeros(4), torch.zeros(4, dtype=torch.long)
    assert meaning.left_open([True, True], [numbers, chosen]) == [False, False]
    assert meaning.left_open([True, False, True], [numbers, numbers, chosen]) == [False, True, True], "may hang on it"
    assert meaning.left_open([True, False], [numbers, chosen]) == [False, True]
    assert meaning.left_open([False, True], [numbers, chosen]) is None, "no numbers are left"
    assert meaning.left_open([False], [chosen]) is None
    made = sets.InputSet("large", 0, 0, numbers, [numbers, numbers * math.inf], [verify.Bound(1e-4, 1e-3)] * 2)
    assert verify.all_hold(made.leaving([False, True]).bounds, [numbers, numbers], made.expected)
    assert not verify.all_hold(made.bounds, [numbers, numbers], made.expected)


def test_outputs_are_no_numbers_hardly_more_often_than_the_tasks_own() -> None:
    def made(*places: int) -> sets.InputSet:
        given = torch.zeros(8).index_fill_(0, torch.tensor(places), math.nan)
        return sets.InputSet("own", 0, 0, torch.zeros(1), [given], [])

    own = [made(1, 2), made(2, 4)]
    assert meaning.are_meant(made(0, 3, 5).expected, own)
    assert not meaning.are_meant(made(0, 3, 5, 6, 7).expected, own)
    assert not meaning.are_meant([made(0).expected[0] * math.inf], own)


def test_parts_of_complex_outputs_may_be_infinite_at_other_places_in_each_draw() -> None:
    draws = (torch.tensor([complex(1, math.inf), 1, 2j]), torch.tensor([1, complex(1, math.inf), 2j]))
    own = [sets.InputSet("own", 0, 0, torch.zeros(1), [each], []) for each in draws]
    assert meaning.are_meant([torch.tensor([1, 2j, complex(2, math.inf)])], own)
    assert not meaning.are_meant([torch.tensor([1, 2j, complex(2, -math.inf)])], own)


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("x / x.abs().max().clamp(min=1e-8)", True),
        ("class Model(nn.Module):\n    def forward(self, x): return F.relu(x)", True),
        ("x.expand(3, 4) / torch.pairwise_distance(x, y).clamp(min=1e-8)", True),
        ("x.exp()", False),
        ("F.log_softmax(logits, -1)", False),
        ("x.tan()", False),
        ("F.elu(x)", False),
        ("self.layer = nn.Linear(3, 4)", False),
    ],
)
def test_numbers_are_faint_where_their_digits_are_kept(text: str, may: bool) -> None:
    assert ("faint" in kinds([FLOATS], [], text)) == may


def test_a_mask_of_numbers_stays_as_it_is_drawn() -> None:
    torch.manual_seed(0)
    mask = (torch.rand(4, 8) < 0.5).float()
    assert seen(torch.randn(4, 8), mask, names="x attention_mask").masks == (1,)
    assert seen(torch.randn(4, 8), mask, names="x edges").masks == ()
    flags = seen(torch.randn(4, 8), mask, names="x dones")
    assert (flags.masks, flags.flags) == ((1,), (1,)), "no other numbers, but rare ones"
    assert seen(torch.randn(4, 8), torch.ones(4, 8), names="x mask").masks == (1,)
    assert kinds([FLOATS], []) == sets.kinds(0, [FLOATS, FLOATS], [FLOATS], "cpu", "", Looks(masks=(1,)))[0]
    assert sets.kinds(0, [FLOATS], [FLOATS], "cpu", "", Looks(masks=(0,)))[0] == []


def test_inputs_are_called_as_forward_calls_them() -> None:
    source = "class Model(nn.Module):\n    def forward(self, x, attention_mask=None):\n        return x\n"
    assert names_of(source, 2) == ["x", "attention_mask"]
    assert names_of(source, 3) == ["x", "attention_mask", ""]
    assert names_of("class Model: x = (", 2) == ["", ""]


def test_what_a_task_is_not_meant_for_is_tried_in_halves_or_otherwise() -> None:
    halves = [f"signs in half {number}" for number in range(4)]
    assert sets.instead("signs") == [*halves, "wide"]
    assert sets.instead("signs", are_ranked=True) == halves
    assert sets.instead(of_input("filled", 3)) == ["doubled of input 3"]
    assert not sets.instead("cubed")
    assert sets.of_all("cubed", Looks(classes=(0,))) == ["cubed", "cubed but for classes"]
    for kind, looks in (("cubed", Looks()), ("filled", Looks(classes=(0,))), ("cubed of input 1", Looks(classes=(0,)))):
        assert sets.of_all(kind, looks) == [kind]
    assert not sets.instead(of_input("signs", 0)), "who bears it alone has it already"


def test_classes_are_columns_of_whole_numbers_beside_others_and_stay() -> None:
    rows = torch.cat([torch.randint(1, 9, (32, 1)).float(), torch.randn(32, 4)], 1)
    assert seen(rows, torch.randn(32, 4), torch.randint(1, 9, (32, 4)).float()).classes == (0,)
    assert drawn([torch.tensor(3.0)], 0, "negated but for classes", 1, torch.nn.Identity(), []) < 0
    made = drawn([rows], 0, "large but for classes", 1, torch.nn.Identity(), [])
    assert torch.equal(made[:, 0], rows[:, 0])
    assert bool((made[:, 1:].abs() > 16 * rows[:, 1:].abs()).all())
    for source, is_promised in (("torch.isnan(x)", True), ("torch.tanh(x)", False)):
        assert sets.is_promised("nans but for classes", source) is sets.is_promised("nans", source) is is_promised


def test_a_single_row_that_counts_up_is_positions_where_it_is_called_so() -> None:
    row, two = torch.arange(16), torch.cat([torch.arange(12), torch.arange(8)])
    for name in ("positions", "timesteps", "t"):
        assert seen(torch.randn(16, 4), row, names=f"x {name}").trivial == (1,)
        assert seen(torch.randn(16, 4), row, names=f"x {name}").positions == (1,)
        assert look([torch.randn(20, 4), two], ["x", name], "", before=[torch.randn(20, 4), two]).named == (1,)
    for other in ("offsets", "positives", "compose_ids"):
        assert not seen(torch.randn(16, 4), row, names=f"x {other}").trivial
    assert not look([torch.randn(16, 4), row], ["x", "times"], "return torch.searchsorted(times, x)").trivial
    assert not look([torch.randn(20, 4), two], ["x", "places"], "", before=[torch.randn(20, 4), two]).named


def test_what_fades_is_a_recurrence_or_a_power_of_places() -> None:
    assert operations.fades("def forward(self, x):\n    for n in range(3):\n        x = x + n\n")
    assert operations.fades("def forward(self, x):\n    return x * 0.9 ** torch.arange(8)\n")
    assert not operations.fades("def forward(self, x):\n    return x * torch.arange(8)\n")
    assert not operations.fades("def forward(self, x):\n    return x ** 2\n")


def test_a_row_lies_far_out_where_nothing_stands_for_infinity_and_nothing_underflows() -> None:
    for source, may in (
        ("return torch.logsumexp(self.head(x), -1)", True),
        ("return self.head(x)", True),
        ("for step in x:\n    h = torch.logsumexp(h + step, -1)", False),
        ("return torch.log_softmax(self.head(x), -1)", False),
        ("return scores.masked_fill(mask, -1e9).softmax(-1)", False),
    ):
        assert operations.may_lie_far_out(source) is may


def test_weights_that_are_logarithms_are_known_by_the_text() -> None:
    for source in ("a = -torch.exp(self.a_log.float())", "a = torch.exp(-self.a_log)", "a = self.a_log.exp()"):
        assert operations.are_logarithms(source) == {"a_log"}
    for source in ("a = torch.exp(self.a_log[None, :].to(x.dtype))", "a = self.a_log.unsqueeze(0).float().exp()"):
        assert operations.are_logarithms(source) == {"a_log"}
    assert not operations.are_logarithms("y = torch.exp(self.net.head(x)); z = torch.exp(self.scores.sum(1))")
    assert operations.are_logarithms("y = self.cell.rate.exp()") == {"rate"}
    assert not operations.are_logarithms("y = torch.exp(self.head(x)); z = torch.exp(x @ self.weight)")


def test_what_selects_is_tried_on_ranked_values() -> None:
    x = Leaf.of(torch.randn(8, 64))
    for code in ("torch.quantile(x, 0.5)", "x.nanmedian(-1)", "x.cummax(1)[0]", "x.mode(-1)", "x.sort(-1)"):
        assert RANKED in sets.kinds(0, [x], [x], "cpu", code)[0]
    for code in ("F.interpolate(x, mode='nearest')", "x.mean(-1)"):
        assert RANKED not in sets.kinds(0, [x], [x], "cpu", code)[0]


def test_an_output_is_another_sets_answer_if_it_is_by_far_nearer_to_that() -> None:
    other = sets.InputSet("own", 1, 0, torch.zeros(1), [torch.linspace(1.0, 2.0, 64)], [verify.Bound(1e-3, 1e-2)])
    for apart, is_it in ((2e-3, False), (0.5, True)):
        wanted = other.expected[0] + apart
        out = other.expected[0] * (1 + 1e-4 * (-1) ** torch.arange(64)) + 0.2 * apart * (not is_it)
        assert other.bounds[0].holds(verify.compare(out, other.expected[0]))
        assert other.is_answered_by(0, out, verify.compare(out, wanted)) == is_it


@pytest.mark.parametrize(("weights", "many"), [
    (sets.PARTS_BYTES, sets.PARTS + sets.MOST_OPENED), (sets.EXTREME_BYTES, sets.FEW_OTHERS),
    (room.LENT_BYTES, sets.FEW_OTHERS), (room.LENT_BYTES + 1, 0),
])  # fmt: skip
def test_sets_under_some_other_weights_keep_all_of_them(weights: int, many: int) -> None:
    """Some forty sets of a layer of 32 MB, of which the room that a session claimed knew nothing. The largest lie on
    the host."""
    layout = Layout((FLOATS,), (FLOATS,), 1, 1)
    none, kept = (sets.kept_nbytes(layout, layout, each, "cuda:0", "") for each in (1, weights))
    assert many * weights <= kept - none + (64 << 10)
    assert many or kept <= none
