"""No verdict hangs on the luck of a draw: what few numbers are, or are off by, by chance says nothing of a task, nor of
an honest candidate."""

from __future__ import annotations

import random

import pytest
import torch
from linear import LINEAR, rewrite, task

from cuda_l1.correctness import edges, verify
from cuda_l1.correctness.contender import close, started
from cuda_l1.errors import TaskError
from cuda_l1.inputs.bounds import below
from cuda_l1.inputs.counts import bound_of
from cuda_l1.inputs.distributions import RAISED, of_input, varied
from cuda_l1.inputs.draws import heads_of
from cuda_l1.inputs.integers import padding_of
from cuda_l1.inputs.looks import look
from cuda_l1.inputs.parts import FEWEST, THIN, in_part
from cuda_l1.judge import JudgeConfig, Session, judge
from cuda_l1.timing.laid import deck
from cuda_l1.types import Status

FORWARD = "return torch.relu(self.fc(x))"
GLANCE = JudgeConfig(effort="glance", baselines=())


def of(body: str, inputs: str = "") -> str:
    """A task of a few numbers, on the first of the usual inputs or on others."""
    source = LINEAR.replace(FORWARD, body)
    head, _, tail = source.partition("def get_inputs():\n")
    rest = tail.partition("\n\n")[2]
    return source if not inputs else f"{head}def get_inputs():\n    return [{inputs}]\n\n{rest}"


def test_labels_that_are_one_number_by_chance_are_no_counts() -> None:
    scores, labels = torch.randn(2, 10), torch.tensor([3, 3])
    kinds = look([scores, labels], ["", ""], "", [10], heads_of([scores, labels]))
    assert kinds.trivial == (1,), "by one draw they may be counts"
    others = [[torch.randn(2, 10), torch.tensor([3, 7])]]
    seen = look([scores, labels], ["", ""], "", [10], heads_of([scores, labels]), others)
    assert seen.trivial == seen.counts == seen.named == ()
    one, another = torch.tensor([4]), torch.tensor([5])
    assert look([one], [""], "", [], heads_of([one]), [[one]]).trivial == (0,), "a step, say"
    assert look([one], [""], "", [], heads_of([one]), [[another]]).trivial == (), "an index, which is drawn otherwise"
    full, fuller = torch.full((8,), 4), torch.full((8,), 6)
    assert look([full], [""], "", [], heads_of([full]), [[fuller]]).trivial == (0,), "lengths that are equal in a batch"


def test_masks_that_agree_by_chance_tell_nothing_of_one_another() -> None:
    one, two = torch.tensor([True, False, True, True]), torch.tensor([True, False, False, True])
    assert look([one, two], ["", ""], "").told == (1,)
    others = [[one, torch.tensor([False, True, True, False])]]
    assert look([one, two], ["", ""], "", others=others).told == ()


def test_what_few_integers_are_in_one_draw_alone_says_nothing() -> None:
    source = "class Model(nn.Module):\n    def forward(self, x, t):\n        return x * (t != 0)\n"
    x, in_order, one, two = torch.randn(4, 8), *torch.tensor([[1, 5, 6, 9], [7, 2, 9, 4], [8, 1, 5, 2]])
    with_zero = torch.tensor([7, 0, 9, 4])
    for first in (one, in_order, with_zero):
        seen = look([x, first], ["x", "t"], source, others=[[x, one], [x, two]])
        assert (seen.tokens, seen.again, seen.kept) == (((1, 0),), (1,), ())


def test_what_comes_again_may_come_once_in_a_draw() -> None:
    apart, some = torch.randperm(64)[:32], [torch.randint(0, 64, (32,)) for _ in range(2)]
    assert look([apart], ["shown"], "", others=[[each] for each in some]).again == (0,)
    others = [[torch.randperm(64)[:32]] for _ in range(2)]
    assert look([apart], ["shown"], "", others=others).again == ()


def test_numbers_have_the_signs_that_they_have_in_any_draw() -> None:
    one, some = torch.ones(4), torch.rand(4)
    assert look([some], ["x"], "", others=[[-2 * some]]).signed == (0,)
    assert look([some], ["x"], "", others=[[2 * some]]).signed == ()
    source = "F.margin_ranking_loss(x, y, target)"
    assert look([one], ["target"], source, others=[[-one]]).masks == (0,), "labels of such a loss"


def test_a_promise_holds_in_every_draw() -> None:
    one, some, none = torch.eye(16, dtype=torch.bool)[3], torch.arange(16) % 3 > 0, torch.zeros(16, dtype=torch.bool)
    assert look([one], ["off"], "", others=[[some], [one], [none], [one]]).flags == (0,)
    assert look([one], ["off"], "", others=[[one.roll(4)], [one.roll(5)]]).flags == (), "one of sixteen"
    few, all_of_them = torch.randint(0, 12, (16,)), torch.arange(16).roll(5).flip(0)
    assert look([few], ["after"], "", others=[[few.flip(0)], [all_of_them]]).tables == (0,)
    assert look([few], ["after"], "", others=[[few.flip(0)], [all_of_them + 1]]).tables == (), "16 is no row"


def test_of_two_draws_the_first_says_what_most_do() -> None:
    shown = torch.randint(0, 64, (64,))
    assert look([shown], ["shown"], "", others=[[torch.arange(64)]]).again == (0,)
    assert look([torch.arange(64)], ["shown"], "", others=[[shown], [shown.flip(0)]]).again == (0,)


def test_a_number_that_hides_rows_is_there_in_any_draw() -> None:
    source = "class Model(nn.Module):\n    def forward(self, x, ids):\n        return x * (ids != 0)\n"
    x, ids, with_zero = torch.randn(4, 8), torch.randint(1, 90, (4, 8)), torch.randint(1, 90, (4, 8))
    with_zero[2, 3] = 0
    draws = [[x, ids.flip(0)], [x, with_zero]]
    assert (1, "hidden rows with 0") in look([x, ids], ["x", "ids"], source, others=draws).hidden
    assert (1, "hidden rows with 0") not in look([x, ids], ["x", "ids"], source, others=draws[:1]).hidden


def test_what_is_small_beside_large_inputs_is_seen_in_some_draws() -> None:
    inputs = "torch.randn(256, 2048), torch.tensor([[5, 6, 8, 9], [9, 5, 8, 6]][next(TIMES) % 2])"
    source = of("return self.fc(x[:, :64]) * (t != 0).float().mean()", inputs).replace(
        "forward(self, x)", "forward(self, x, t)"
    )
    for begun in range(2):
        with Session(task(f"import itertools\nTIMES = itertools.count({begun})\n{source}"), GLANCE) as session:
            assert session.reference.looks.tokens == ((1, 0),)


def test_rows_of_one_number_each_are_no_padding() -> None:
    rows = torch.arange(2, 130)[:, None].expand(128, 8)
    assert padding_of(rows) is None
    assert padding_of(torch.where(torch.arange(8) < 3, rows, 0)) == 0


def test_a_number_at_its_bound_stays() -> None:
    labels = torch.tensor([9])
    assert torch.equal(varied(labels, below(RAISED, 10)), labels)
    assert varied(torch.tensor([3]), below(RAISED, 10)) > 3


def test_counts_of_eight_bits_stay_below_what_these_hold() -> None:
    counts = torch.full((4, 3), 7, dtype=torch.int8)
    bound = bound_of(counts, [counts, torch.zeros(300)], set(), is_mask=False)
    assert bound == 128
    assert int(varied(counts, below(RAISED, bound)).min()) == 7


def test_an_index_that_is_drawn_is_not_filled_beside_a_state_that_begins_at_zero() -> None:
    source = of("return self.fc(x) + h + ids", "torch.randn(1, 64), torch.zeros(1, 1), torch.randint(0, 5, (1,))")
    source = source.replace("def forward(self, x)", "def forward(self, x, h, ids)")
    with Session(task(source), GLANCE) as session:
        kinds = [made.kind for made in session.reference.sets]
        assert any(kind.startswith("filled") for kind in kinds)
        assert of_input("filled", 2) not in kinds
        assert session.reference.looks.stay(3)[1] == [0, 2]


def test_which_input_alone_is_drawn_otherwise_no_draw_says() -> None:
    source = of("return self.fc(x) * s + t.log()", "torch.randn(8, 64), torch.randn(8, 64), torch.rand(8, 64)")
    source = source.replace("def forward(self, x)", "def forward(self, x, s, t)")
    found = list[set[str]]()
    for _ in range(2):
        with Session(task(source), GLANCE) as session:
            found.append({made.kind for made in session.reference.sets if not made.weights})
    assert found[0] == found[1]
    assert {of_input("negated", 0), of_input("negated", 1), of_input("blank rows", 0, 1)} <= found[0]


LOSS = of("return torch.nn.functional.cross_entropy(x, t)", "torch.randn(1, 4), torch.randint(0, 4, (1,))").replace(
    "def forward(self, x)", "def forward(self, x, t)"
)


@pytest.mark.parametrize("gap", [9.0, 14.0, 30.0])
def test_a_loss_that_vanishes_is_right_by_last_places(gap: float) -> None:
    with Session(task(LOSS), GLANCE) as session:
        ref = session.reference
        row = ref.sets[0].inputs.clone()
        logits, label = ref.leaves_of(row)
        logits.copy_(torch.tensor([[gap, 0.1, -0.3, 0.2]]))
        label.zero_()
        (exact,), bound = ref.exact_of(row, 0) or [], verify.Bound(1e-4, 1e-3)
        honest = (logits.logsumexp(1) - logits[:, 0])[0]
        wrong = 2 * exact + 1e-3
        assert not bound.holds(verify.compare(honest, exact))
        assert edges.undecided(ref, edges.Answer(row, 0, 0, honest, exact, bound))
        assert not edges.undecided(ref, edges.Answer(row, 0, 0, wrong, exact, bound))
        assert not edges.undecided(ref, edges.Answer(row, 0, 0, torch.tensor(float("nan")), exact, bound))


def test_a_divergence_of_what_is_nearly_equal_is_right_by_results_that_move() -> None:
    body = "p, q = x.softmax(1), y.softmax(1)\n        return (q * (q.log() - p.log())).sum()"
    source = of(body, "torch.randn(1, 4), torch.randn(1, 4)").replace("def forward(self, x)", "def forward(self, x, y)")
    with Session(task(source), GLANCE) as session:
        ref = session.reference
        row = ref.sets[0].inputs.clone()
        for leaf, numbers in zip(ref.leaves_of(row), ([2.0, 0.0, 1.0, -2.0], [-1.0, 2.0, 0.0, 1.0]), strict=True):
            leaf.copy_(torch.tensor([numbers]) / 64)
        (exact,), bound = ref.exact_of(row, 0) or [], verify.Bound(1e-4, 1e-3)
        assert edges.undecided(ref, edges.Answer(row, 0, 0, (exact + 1e-7).float(), exact, bound))
        assert not edges.undecided(ref, edges.Answer(row, 0, 0, (exact * 1.5).float(), exact, bound))


def test_a_single_number_in_float64_is_held_to_float64() -> None:
    source = of("return (x * x).sum()", "torch.randn(4, dtype=torch.float64)")
    narrow = rewrite("(x * x).sum()", "(x.float() * x.float()).sum().double()", source)
    evaluation, own = judge(task(source), [narrow, rewrite(source=source)], GLANCE)
    assert evaluation.status in (Status.WRONG_OUTPUT, Status.REJECTED)
    assert own.status is Status.PASSED, own.findings


@pytest.mark.slow
def test_what_is_mostly_the_same_is_not_degenerate() -> None:
    for seed in range(3):
        for body in ("return torch.relu(x[0, :1] - 0.8)", "return (x[0, :3] > 0).all()"):
            with Session(task(of(body)), GLANCE.model_copy(update={"seed": seed})) as session:
                assert not session.degenerate
    with Session(task(of("return torch.relu(x[0, :1] - x[0, :1].abs())")), GLANCE) as session:
        assert session.degenerate


def test_without_float64_too() -> None:
    body = "assert x.dtype == torch.float32\n        return torch.relu(x[0, :1] - 0.8)"
    for seed in range(5):
        with Session(task(of(body)), GLANCE.model_copy(update={"seed": seed})) as session:
            assert not session.reference.has_oracle
            assert not session.degenerate


def test_what_drops_few_numbers_is_random_in_every_session() -> None:
    source = of("return torch.nn.functional.dropout(x[0, :4], 0.1, True)")
    for seed in range(5):
        with (
            pytest.raises(TaskError, match="it is random"),
            Session(task(source), GLANCE.model_copy(update={"seed": seed})),
        ):
            pass


def test_who_changes_inputs_where_the_reference_does_passes() -> None:
    source = of("ids[ids == 7] = 0\n        return ids * 2", "torch.randint(0, 200, (4,))")
    source = source.replace("def forward(self, x)", "def forward(self, ids)")
    own = rewrite(source=source)
    harm = rewrite("ids[ids == 7] = 0", "ids[ids == 9] = 0", source)
    config = GLANCE.model_copy(update={"seed": 1})
    kept, harmed = judge(task(source), [own, harm], config)
    assert kept.status is Status.PASSED, kept.findings
    assert harmed.status in (Status.REJECTED, Status.WRONG_OUTPUT)


@pytest.mark.parametrize("how", [THIN, FEWEST])
def test_no_look_at_every_second_column_or_at_a_half_misses_nothing_that_is_another(how: str) -> None:
    value, watches = torch.zeros(64, 64), [slice(first, None, step) for step in (2, 3, 4) for first in range(step)]
    watches += [slice(None, 32), slice(32, None)]
    for seed in range(0, 200, 4):
        places = [in_part(value, value + 1, how, seed + last).any(0).nonzero().item() for last in range(4)]
        assert 0 not in places
        assert len(set(places)) == 4
        assert not [watch for watch in watches if set(places) <= set(range(64)[watch])]


def test_what_is_filled_comes_among_the_first_of_many() -> None:
    kinds = [f"other {number}" for number in range(22)] + ["filled", of_input("filled ends", 1)]
    for seed in range(50):
        dealt = deck(kinds, random.Random(seed))
        assert sorted(dealt) == sorted(kinds)
        assert set(kinds[-2:]) <= set(dealt[-8:])
    assert len({deck(kinds, random.Random(seed)).index("filled") for seed in range(99)}) == 8, "nobody knows when"
    assert sorted(deck(["filled", "signs"], random.Random(0))) == ["filled", "signs"]
    assert deck([], random.Random(0)) == []


def test_what_was_dealt_comes_again_before_long() -> None:
    kinds, rng = [f"other {number}" for number in range(27)], random.Random(0)
    for _ in range(50):
        before = deck(kinds, rng)
        first, then = before[::-1], deck(kinds, rng, before)[::-1]
        assert max(then.index(kind) + len(kinds) - first.index(kind) for kind in kinds) <= len(kinds) * 4 / 3
    assert sorted(deck(kinds[:5], rng, before)) == kinds[:5], "others than before"


def test_what_a_few_rows_err_by_is_no_step() -> None:
    """A variance in one pass errs by one number a row, whose signs some tries repeat."""
    body = "m = x.mean(1, keepdim=True)\n        return (x - m) * ((x - m) ** 2).mean(1, keepdim=True).rsqrt()"
    source = of(body, "torch.rand(3, 64) + 5")
    in_one_pass = rewrite("((x - m) ** 2).mean(1, keepdim=True)", "((x * x).mean(1, keepdim=True) - m * m)", source)
    torch.manual_seed(0)
    for seed in range(4):
        with Session(task(source), GLANCE.model_copy(update={"seed": seed})) as session:
            made = started(in_one_pass, session.reference, session._layout, 1, trusted=False, full=True)
            try:
                made[0].finish()
                made[0].check_fresh()
                made[0].check_fresh(later=True)
            finally:
                close(made)
