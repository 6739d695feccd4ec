"""Ablations: the algebra by hand and by property, the switches of a file, techniques that compose, a model's answers,
and one real judged ablation of a tiny task from the command line."""

import itertools
import json
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import make_candidate, make_evaluation, make_task

from cuda_l1 import parsing, transforms
from cuda_l1.ablate import lattice, page, plans, questions, study, switches
from cuda_l1.ablate.lattice import Measured
from cuda_l1.archive import Archive
from cuda_l1.cli import main
from cuda_l1.errors import ConfigError, ModelError, UsageError
from cuda_l1.judge import JudgeConfig
from cuda_l1.offline import Scripted
from cuda_l1.types import Candidate, Finding, Interval, Status, Task

TASK = '''"""Two wastes that nobody looks at."""
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        for waste in (x, x + 1):
            for _ in range(8):
                waste = torch.special.i0e(waste)
        return torch.tanh(x) * x


def get_inputs():
    return [torch.randn(120, 256)]


def get_init_inputs():
    return []
'''
SWITCHED = """import torch
from torch import nn

PARTS = ("NO_FIRST", "NO_SECOND")
NO_FIRST = True  # the first waste is left out – naïve as it is
NO_SECOND: bool = True


class ModelNew(nn.Module):
    def forward(self, x):
        wastes = [] if NO_FIRST else [x]
        if not NO_SECOND:
            wastes.append(x + 1)
        for waste in wastes:
            for _ in range(8):
                waste = torch.special.i0e(waste)
        return torch.tanh(x) * x
"""


def exactly(**speedups):
    """Speedups without doubt, by the letters of the parts that are on; `none` is no part."""
    return {
        frozenset(() if name == "none" else name): Measured(name, Interval(value=value, lo=value, hi=value))
        for name, value in speedups.items()
    }


def within(value, share):
    """A factor whose logarithm is known to plus or minus `share`."""
    return Interval(value=value, lo=value * math.exp(-share), hi=value * math.exp(share))


# The algebra.


def test_two_parts_that_multiply():
    found = lattice.analyse("ab", exactly(none=1, a=2, b=3, ab=6))
    assert found.together.value == pytest.approx(6)
    assert found.interaction.product.value == pytest.approx(6)
    assert found.interaction.factor.value == pytest.approx(1)
    assert found.interaction.says == "multiply"
    a, b = found.effects
    assert (a.alone.value, a.last.value, a.shapley.value) == pytest.approx((2, 2, 2))
    assert (b.alone.value, b.last.value, b.shapley.value) == pytest.approx((3, 3, 3))


def test_a_part_that_another_needs():
    """b does nothing alone and triples on top of a: together 6, singly 2 * 1."""
    found = lattice.analyse("ab", exactly(none=1, a=2, b=1, ab=6))
    assert found.interaction.factor.value == pytest.approx(3)
    assert found.interaction.log.value == pytest.approx(math.log(3))
    assert found.interaction.says == "help"
    a, b = found.effects
    assert (a.alone.value, a.last.value) == pytest.approx((2, 6))
    assert a.shapley.value == pytest.approx(math.sqrt(2 * 6))
    assert b.shapley.value == pytest.approx(math.sqrt(1 * 3))


def test_two_parts_that_do_the_same():
    found = lattice.analyse("ab", exactly(none=0.5, a=1, b=1, ab=1))
    assert found.interaction.factor.value == pytest.approx(0.5)
    assert found.interaction.says == "hinder"
    assert [effect.worth for effect in found.effects] == ["no difference"] * 2


def test_three_parts_have_pairs_and_shapley_values_by_hand():
    logs = {"none": 0, "a": 1, "b": 2, "c": 0, "ab": 4, "ac": 1, "bc": 2, "abc": 6}
    found = lattice.analyse("abc", exactly(**{name: math.exp(log) for name, log in logs.items()}))
    # a: (1/3)(1-0) + (1/6)(4-2) + (1/6)(1-0) + (1/3)(6-2); b and c alike
    shares = [math.log(effect.shapley.value) for effect in found.effects]
    assert shares == pytest.approx([1 / 3 + 2 / 6 + 1 / 6 + 4 / 3, 2 / 3 + 3 / 6 + 2 / 6 + 5 / 3, 2 / 3])
    assert {pair.parts: round(pair.log.value, 9) for pair in found.pairs} == {
        ("a", "b"): 1, ("a", "c"): 0, ("b", "c"): 0,
    }  # fmt: skip
    assert found.interaction.log.value == pytest.approx(6 - 3)


def test_intervals_add_in_quadrature():
    measured = {frozenset(name): Measured(name, within(1, 0.03)) for name in ("a", "b", "ab")}
    measured[frozenset()] = Measured("none", within(1, 0.04))
    log = lattice.analyse("ab", measured).interaction.log
    assert (log.lo, log.hi) == pytest.approx((-math.sqrt(3 * 0.03**2 + 0.04**2), math.sqrt(3 * 0.03**2 + 0.04**2)))
    one_sided = {frozenset("a"): Measured("a", Interval(value=1, lo=math.exp(-0.2), hi=math.exp(0.1)))}
    assert lattice.contrast(one_sided, {frozenset("a"): -2.0}).hi == pytest.approx(0.4), "the lower bound, turned round"


def test_what_the_interval_does_not_settle_is_not_said():
    measured = {s: Measured(str(s), within(1.1, 0.05)) for s in lattice.plan("ab", 4)}
    found = lattice.analyse("ab", measured)
    assert found.interaction.says == "cannot tell"
    assert {effect.worth for effect in found.effects} == {"cannot tell"}


def test_the_same_code_is_no_second_measurement():
    """Where a part changes nothing, the subsets are twins: the difference is zero without doubt."""
    measured = {frozenset(): Measured("x", within(1, 0.2)), frozenset("a"): Measured("x", within(1, 0.2))}
    (effect,) = lattice.analyse("a", measured).effects
    assert (effect.alone.lo, effect.alone.value, effect.alone.hi) == pytest.approx((1, 1, 1))
    assert effect.worth == "no difference"


@pytest.mark.parametrize("missing", ["ab", "a", "none"])
def test_what_was_not_measured_leaves_gaps_and_no_guess(missing):
    measured = {s: m for s, m in exactly(none=1, a=2, b=3, ab=6).items() if m.key != missing}
    found = lattice.analyse("ab", measured)
    assert (found.together is None) == (missing in ("ab", "none"))
    assert all(effect.shapley is None for effect in found.effects)
    assert found.interaction is None


def test_without_the_single_parts_what_is_taken_away_must_do():
    """A model takes away one at a time: for two parts that says the same as adding one at a time."""
    whole = exactly(none=1, x=2, y=1.5, xy=6)
    by_alone = lattice.analyse("xy", whole).interaction
    more = exactly(none=1, xy=4, yz=2, xz=1, xyz=8)
    by_last = lattice.analyse("xyz", more).interaction
    assert by_last.by == "last"
    assert by_last.product.value == pytest.approx((8 / 4) * (8 / 2) * (8 / 1))
    assert by_last.factor.value == pytest.approx(8)
    assert by_last.says == "help", "each is worth more on top of the rest than its share"
    last_of_two = lattice._interaction("xy", frozenset("xy"), whole, "last")
    assert last_of_two.factor.value == pytest.approx(by_alone.factor.value)


def random_lattice(parts, seed):
    rng = random.Random(seed)
    found = {}
    for subset in lattice.plan(parts, 2 ** len(parts)):
        value, width = math.exp(rng.uniform(-2, 3)), rng.uniform(0, 0.5)
        found[subset] = Measured(str(sorted(subset)), within(value, width))
    return found


@given(st.integers(1, 5), st.integers())
def test_shapley_shares_multiply_to_what_all_do_together(count, seed):
    parts = "abcde"[:count]
    found = lattice.analyse(parts, random_lattice(parts, seed))
    product = math.prod(effect.shapley.value for effect in found.effects)
    assert product == pytest.approx(found.together.value)


@given(st.integers(1, 4), st.integers())
def test_shapley_is_the_mean_over_all_orders(count, seed):
    parts = "abcd"[:count]
    measured = random_lattice(parts, seed)
    logs = {subset: math.log(each.speedup.value) for subset, each in measured.items()}
    sums = dict.fromkeys(parts, 0.0)
    for order in itertools.permutations(parts):
        for place, part in enumerate(order):
            sums[part] += logs[frozenset(order[: place + 1])] - logs[frozenset(order[:place])]
    for effect in lattice.analyse(parts, measured).effects:
        assert math.log(effect.shapley.value) == pytest.approx(sums[effect.part] / math.factorial(count))


@given(st.integers(2, 4), st.integers(), st.floats(0.01, 100))
def test_what_all_subsets_share_falls_out(count, seed, factor):
    """Another device or a slower eager multiplies all speedups: no conclusion may change."""
    parts = "abcd"[:count]
    measured = random_lattice(parts, seed)
    scaled = {
        subset: Measured(each.key, Interval(**{k: v * factor for k, v in each.speedup.model_dump().items()}))
        for subset, each in measured.items()
    }
    one, two = lattice.analyse(parts, measured), lattice.analyse(parts, scaled)
    assert two.interaction.factor.value == pytest.approx(one.interaction.factor.value)
    assert [e.shapley.value for e in two.effects] == pytest.approx([e.shapley.value for e in one.effects])


@given(st.integers(1, 4), st.integers())
def test_parts_that_multiply_are_found_to(count, seed):
    parts, rng = "abcd"[:count], random.Random(seed)
    factors = {part: math.exp(rng.uniform(-1, 2)) for part in parts}
    values = {s: math.prod(factors[part] for part in s) for s in lattice.plan(parts, 16)}
    measured = {s: Measured(str(sorted(s)), Interval(value=v, lo=v, hi=v)) for s, v in values.items()}
    found = lattice.analyse(parts, measured)
    assert found.interaction is None if count == 1 else found.interaction.says == "multiply"
    assert all(pair.says == "multiply" for pair in found.pairs)


def test_a_plan_is_all_subsets_or_the_outermost():
    assert lattice.plan("abc", 8)[:2] == [frozenset("abc"), frozenset()]
    assert len(lattice.plan("abc", 8)) == len(set(lattice.plan("abc", 8))) == 8
    outermost = lattice.plan("abcde", 16)
    assert len(outermost) == 12
    assert {len(subset) for subset in outermost} == {0, 1, 4, 5}
    assert lattice.plan("a", 3) == [frozenset("a"), frozenset()]
    with pytest.raises(UsageError, match=r"8 parts need 18 subsets.*limit is 16.*--parts"):
        lattice.plan("abcdefgh", 16)


def test_words_on_the_same_code_that_differ_are_doubt_for_all():
    """Two words on each of two codes: deviations 0.1 and 0.3 around the means, pooled with two degrees of freedom."""
    sure = {
        "a": [within(math.exp(-0.1), 0.01), within(math.exp(0.1), 0.01)],
        "b": [within(math.exp(1 - 0.3), 0.01), within(math.exp(1 + 0.3), 0.01)],
    }
    deviation, freedom = lattice.spread(sure)
    assert (deviation, freedom) == (pytest.approx(math.sqrt((2 * 0.01 + 2 * 0.09) / 2)), 2)
    a, b = lattice.pooled(sure).values()
    half = 4.303 * deviation / math.sqrt(2)
    assert (math.log(a.lo), math.log(a.value), math.log(a.hi)) == pytest.approx((-half, 0, half))
    assert math.log(b.hi) == pytest.approx(1 + half)
    doubtful = {"a": [within(2, 0.4), within(2, 0.3)]}
    assert math.log(lattice.pooled(doubtful)["a"].hi / 2) == pytest.approx(0.25), "the words' own doubt, over two"
    once = {"a": [within(2, 0.4)]}
    assert lattice.spread(once) == (0.0, 0)
    assert lattice.pooled(once)["a"].hi == pytest.approx(within(2, 0.4).hi)
    many = {str(n): [within(1 - 0.01, 0), within(1 + 0.01, 0)] for n in range(60)}
    assert lattice.pooled(many)["0"].hi == pytest.approx(1 + 2.0 * 0.01, abs=1e-3)


def test_noise_of_equal_code_finds_nothing_in_most_ablations():
    """Three parts that change nothing, each start luckier than the judge knows: 95% of the intervals must hold 1."""
    rng, missed = random.Random(1), []
    for _ in range(300):
        subsets = lattice.plan("abc", 8)
        words = {str(sorted(s)): [within(math.exp(rng.gauss(0, 0.2)), 0.02) for _ in range(2)] for s in subsets}
        pooled = lattice.pooled(words)
        found = lattice.analyse("abc", {s: Measured(str(sorted(s)), pooled[str(sorted(s))]) for s in subsets})
        missed += [e.last.lo > 1 or e.last.hi < 1 for e in found.effects]
        missed.append(found.interaction.says != "cannot tell")
    assert 0.02 < sum(missed) / len(missed) < 0.08


# The switches of a file.


def test_a_switch_is_turned_and_nothing_else_changes():
    assert switches.read(SWITCHED) == (
        switches.Part("NO_FIRST", "the first waste is left out – naïve as it is"),
        switches.Part("NO_SECOND"),
    )
    assert switches.without(SWITCHED, ()) == SWITCHED
    expected = SWITCHED.replace("NO_FIRST = True", "NO_FIRST = False")
    assert switches.without(SWITCHED, ["NO_FIRST"]) == expected
    assert switches.without(expected.replace("False", "True"), ["NO_FIRST", "NO_SECOND"]).count("= False") == 2
    assert switches.read("class ModelNew: pass") == ()


def test_columns_are_counted_in_bytes():
    code = 'PARTS = ["ÉTÉ"]\nä = "ö"; ÉTÉ = True; b = ÉTÉ  # où\n'
    assert switches.without(code, ["ÉTÉ"]) == code.replace("True", "False")
    assert switches.read(code)[0].note == "où"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("PARTS = A\nA = True\nprint(A)", "expected names"),
        ("PARTS = ()\n", "expected names"),
        ('PARTS = ("A", "A")\nA = True\nprint(A)', "twice"),
        ('PARTS = ("A",)\nPARTS = ("A",)', "2 times"),
        ('PARTS = ("A",)\n', "found 0 assignments"),
        ('PARTS = ("A",)\nA = True\nA = A and True', "found 2 assignments"),
        ('PARTS = ("A",)\nA = True\ndef f():\n    global A\n    A = False', "found 2 assignments"),
        ('PARTS = ("A",)\nA = False\nprint(A)', "line 2.*is False: expected True"),
        ('PARTS = ("A",)\nA = 1\nprint(A)', "is 1: expected True"),
        ('PARTS = ("A",)\nA = True\n', "read nowhere"),
        ('PARTS = ("A",\n', "no Python"),
    ],
)
def test_a_wrong_declaration_is_told(code, said):
    with pytest.raises(UsageError, match=said):
        switches.read(code)


def test_a_plan_from_switches_keeps_what_is_not_chosen_on():
    task = make_task()
    candidate = make_candidate(task, SWITCHED, origin="human", author="mine.py")
    plan = plans.of_switches(candidate, ["NO_SECOND"], 16)
    assert [part.name for part in plan.parts] == ["NO_SECOND"]
    whole, none = plan.variants
    assert whole.candidate == candidate
    assert "NO_FIRST = True" in none.candidate.code
    assert "NO_SECOND: bool = False" in none.candidate.code
    assert (none.candidate.author, none.candidate.origin) == ("mine.py without NO_SECOND", "human")
    assert len({v.candidate.id for v in plans.of_switches(candidate, [], 16).variants}) == 4
    with pytest.raises(UsageError, match="NO_THIRD: the candidate declares NO_FIRST, NO_SECOND"):
        plans.of_switches(candidate, ["NO_THIRD"], 16)
    assert plans.of_switches(make_candidate(task), [], 16) is None


# Techniques that compose.

COMPOSABLE = """
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout()

    def forward(self, a, b):
        return self.drop(torch.diag(a) @ b) + torch.tanh(b) * torch.tanh(b)

def get_inputs():
    return [torch.randn(24), torch.randn(24, 20)]

def get_init_inputs():
    return []
"""
FITTING = ["dead_operations", "common_subexpressions", "diag_matmul_to_broadcast"]


def outputs(code):
    """What a candidate returns for fixed inputs."""
    import torch

    space = {"__name__": "candidate"}
    exec(compile(code, "candidate", "exec"), space)
    torch.manual_seed(0)
    with torch.no_grad():
        return space["ModelNew"]().eval()(torch.randn(24), torch.randn(24, 20))


def test_every_subset_of_the_techniques_that_fit_is_a_candidate_of_its_own():
    import torch

    task = Task(id="local/composable", name="composable", source=COMPOSABLE)
    plan = plans.of_transforms(task, "cpu", FITTING, 16)
    assert [part.name for part in plan.parts] == FITTING
    assert len({variant.candidate.id for variant in plan.variants}) == 8
    whole, none = plan.variants[:2]
    assert ("diag" in none.candidate.code, none.candidate.author) == (True, "as traced")
    assert whole.candidate.author == "+".join(FITTING)
    expected = outputs(COMPOSABLE.replace("Model(", "ModelNew("))
    for variant in plan.variants:
        torch.testing.assert_close(outputs(variant.candidate.code), expected)


def test_a_technique_that_finds_nothing_left_gives_a_twin():
    """It changes nothing, is not named in the code, and so needs no judging of its own."""
    source = COMPOSABLE.replace("nn.Dropout()", "nn.Dropout(0.1)")
    task = Task(id="local/composable", name="composable", source=source)
    with_idle = transforms.compose(task, "cpu", ["dead_operations", "sdpa"])
    assert list(with_idle.done) == ["dead_operations"]
    assert with_idle.declined[0].technique == "sdpa"
    assert with_idle.candidate.id == transforms.compose(task, "cpu", ["dead_operations"]).candidate.id


def test_techniques_that_do_not_compose_are_refused():
    task = Task(id="local/composable", name="composable", source=COMPOSABLE)
    with pytest.raises(ConfigError, match="unknown technique 'rewrites'"):
        plans.of_transforms(task, "cpu", ["rewrites"], 16)
    with pytest.raises(UsageError, match=r"no known technique fits composable.*sdpa"):
        plans.of_transforms(task, "cpu", ["sdpa"], 16)


# A model's answers.

LIST = """<think>- wrong: never said</think>Here they are:

- **No first waste**: the first loop is gone
2. `no second waste`: so is the second
- no first waste twice
"""


def fenced(code):
    return f"## Code Implementation\n```python\n{code}```\n"


def asked(tmp_path, replies, code=SWITCHED, most=16):
    """The plan from a model with these replies, and the client."""
    task = Task(id="local/waste", name="waste", source=TASK)
    candidate = Candidate(task_id=task.id, code=code, origin="human", author="mine.py")
    client = Scripted(replies)
    with Archive(tmp_path / "archive.sqlite") as archive:
        archive.add_task(task)
        archive.start_run("run", task.id, "{}")
        archive.add_candidate(candidate, task)
        plan = questions.Asker(task, candidate, client, archive, "run").plan("cpu", most, lambda text: None)
        return plan, client, archive.attempts("run")


def test_a_model_takes_one_technique_away_at_a_time(tmp_path):
    slower = switches.without(SWITCHED, ["NO_FIRST"])
    plan, client, attempts = asked(tmp_path, [LIST, fenced(slower), "I would rather not."])
    assert [part.name for part in plan.parts] == ["No first waste", "no second waste"]
    whole, none, without_first, without_second = plan.variants
    assert whole.candidate.code == SWITCHED
    assert "class ModelNew" in none.candidate.code
    assert without_first.subset == {"no second waste"}
    assert (without_first.candidate.origin, without_first.candidate.code) == ("llm", slower)
    assert without_first.candidate.author == "scripted without No first waste"
    assert without_second.candidate is None
    assert "no code block" in without_second.why
    assert "the first loop is gone" in client.asked[1][0]["content"]
    assert [attempt.candidate_id is None for attempt in attempts] == [True, False, True]
    again, unasked, _ = asked(tmp_path, [])
    assert again == plan, "answers of the same run are not asked for twice"
    assert unasked.asked == []


def test_code_that_did_not_change_is_no_variant(tmp_path):
    same = SWITCHED.replace("# the first waste is left out – naïve as it is", "# removed!").replace(
        "class ModelNew(nn.Module):\n", 'class ModelNew(nn.Module):\n    """Without it."""\n\n'
    )
    plan, *_ = asked(tmp_path, ["- waste: gone", fenced(same)])
    assert plan.variants[2].candidate is None
    assert "same code" in plan.variants[2].why
    assert not questions.same_code(SWITCHED, switches.without(SWITCHED, ["NO_FIRST"]))


def test_a_model_that_lists_nothing_is_a_model_error(tmp_path):
    with pytest.raises(ModelError, match=r"listed no technique.*Sure!"):
        asked(tmp_path, ["Sure!"])


def test_the_list_is_cut_to_what_may_be_judged(tmp_path):
    many = "\n".join(f"- technique {n}: does {n}" for n in range(9))
    plan, *_ = asked(tmp_path, [many, fenced(TASK.replace("Model(", "ModelNew("))], most=3)
    assert [part.name for part in plan.parts] == ["technique 0"]


# What is told.


def judged_plan(statuses=()):
    """A plan of two parts with evaluations, all passed but for those given."""
    task = make_task()
    plan = plans.of_switches(make_candidate(task, SWITCHED, origin="human", author="mine.py"), [], 16)
    speedups = {2: within(6, 0.01), 0: within(1, 0.01), 1: within(2, 0.01)}
    evaluations = {
        variant.subset: make_evaluation(
            variant.candidate, speedup_eager=speedups[len(variant.subset)], degenerate="degenerate" in statuses
        )
        for variant in plan.variants
    }
    return task, plan, evaluations


def told(tmp_path, task, plan, evaluations, *, interrupted=False):
    words = {evaluation.candidate_id: [evaluation] for evaluation in evaluations.values()}
    with Archive(tmp_path / "archive.sqlite") as archive:
        this = study.Study(task, JudgeConfig(), archive, "run")
        return study.summary(this, plan, study.Judged(words, interrupted))


def test_a_summary_says_what_multiplies_and_reads_as_a_page(tmp_path):
    total = told(tmp_path, *judged_plan())
    assert total["outcome"] == "measured"
    assert total["analysis"]["interaction"]["says"] == "help"
    text = page.markdown(total)
    assert "| all: NO_FIRST + NO_SECOND | PASSED | 1x | 11.00 µs | 6.00x" in text
    assert "the factor between is 1.50x" in text
    assert "they help each other" in text
    json.dumps(total, allow_nan=False)


def test_what_keeps_a_table_from_being_one_is_told(tmp_path):
    task, plan, evaluations = judged_plan()
    whole = plan.variants[0]
    for status, outcome in ((Status.WRONG_OUTPUT, "does not pass"), (Status.INFRA_FAILED, "not judged")):
        failed = evaluations | {whole.subset: make_evaluation(whole.candidate, status)}
        total = told(tmp_path, task, plan, failed)
        assert total["outcome"] == outcome
        assert total["analysis"]["together"] is None
        assert page.sentences(total)[0] == page._WHY[outcome]
    partly = {whole.subset: evaluations[whole.subset]}
    total = told(tmp_path, task, plan, partly, interrupted=True)
    assert (total["outcome"], total["subsets"][1]["status"]) == ("interrupted", None)
    assert told(tmp_path, *judged_plan(["degenerate"]))["outcome"] == "degenerate"


def test_a_variant_that_fails_is_a_row_and_leaves_a_gap(tmp_path):
    task, plan, evaluations = judged_plan()
    broken = plan.variants[-1]
    finding = Finding(check="error", detail="off by 1")
    evaluations[broken.subset] = make_evaluation(broken.candidate, Status.WRONG_OUTPUT, findings=(finding,))
    total = told(tmp_path, task, plan, evaluations)
    assert total["outcome"] == "measured"
    assert total["analysis"]["together"]["value"] == pytest.approx(6)
    assert total["analysis"]["interaction"] is None
    assert "off by 1" in page.markdown(total)


def archived(archive, task, plan, words):
    """The archive with these words of the run, in order."""
    for variant in plan.variants:
        archive.add_candidate(variant.candidate, task)
    for evaluation in words:
        archive.add_evaluation(evaluation, config_digest="digest", run_id="run")


CROWDED = Finding(check="crowded", detail="other programs had 1.5 of 2 CPU cores")


def test_known_words_start_no_judge(tmp_path):
    task, plan, evaluations = judged_plan()
    with Archive(tmp_path / "archive.sqlite") as archive:
        this = study.Study(task, JudgeConfig(), archive, "run", on_judged=lambda *_: pytest.fail("judged again"))
        study.start(this, {})
        archived(archive, task, plan, [*evaluations.values()] * 2)
        found = study.judge(this, plan)
        assert {name: len(words) for name, words in found.words.items()} == {
            variant.candidate.id: 2 for variant in plan.variants
        }
        assert (found.interrupted, found.due) == (False, 0)
        total = study.summary(this, plan, found)
    assert [row["judged"] for row in total["subsets"]] == [2] * 4
    assert total["repeats"] == {"log_deviation": pytest.approx(0), "degrees_of_freedom": 4}


def test_what_is_due():
    passed = make_evaluation(make_candidate(make_task()))
    crowded = passed.model_copy(update={"notes": (CROWDED,)})
    wrong = make_evaluation(make_candidate(make_task()), Status.WRONG_OUTPUT)
    ours = make_evaluation(make_candidate(make_task()), Status.INFRA_FAILED)
    for words, passes in (([], 2), ([passed], 1), ([crowded, ours], 2), ([passed, crowded], 1), ([wrong], 0)):
        assert sum(study._is_due(words, number) for number in range(2)) == passes
    assert study._settled([crowded, passed, ours, crowded]) == [passed]
    assert study._settled([ours, crowded, ours]) == [crowded]
    assert study._settled([ours]) == [ours]


def test_a_crowded_machine_is_told(tmp_path):
    task, plan, evaluations = judged_plan()
    crowded = evaluations[frozenset()].model_copy(update={"notes": (CROWDED,)})
    words = {e.candidate_id: [e] for e in (evaluations | {frozenset(): crowded}).values()}
    with Archive(tmp_path / "archive.sqlite") as archive:
        this = study.Study(task, JudgeConfig(), archive, "run")
        total = study.summary(this, plan, study.Judged(words, interrupted=False, due=1))
    assert "1 measurements do not count" in " ".join(page.sentences(total))
    assert "1.5 of 2 CPU cores" in page.markdown(total)


# The command.


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Runs `cuda-l1 ablate` in a folder with a task and a candidate; gives exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "task.py").write_text(TASK)
    (tmp_path / "switched.py").write_text(SWITCHED)
    (tmp_path / "plain.py").write_text(TASK.replace("Model(", "ModelNew("))

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            main(["ablate", *arguments, "--device", "cpu", "--effort", "quick", "--archive", "archive.sqlite"])
        out, err = capsys.readouterr()
        return end.value.code, out, err

    return run


def test_a_real_ablation_and_its_continuation(command, tmp_path):
    code, out, err = command("task.py", "switched.py", "--repeats", "1", "--json")
    total = json.loads(out)
    assert (code, total["outcome"]) == (0, "measured"), err
    assert [row["status"] for row in total["subsets"]] == ["PASSED"] * 4
    together = total["analysis"]["together"]
    assert together["lo"] <= together["value"] <= together["hi"]
    shares = [effect["shapley"]["value"] for effect in total["analysis"]["effects"]]
    assert math.prod(shares) == pytest.approx(together["value"])
    folder = tmp_path / total["folder"]
    assert json.loads((folder / "ablation.json").read_text())["analysis"] == total["analysis"]
    assert "# task" in (folder / "ablation.md").read_text()

    with Archive(tmp_path / "archive.sqlite") as archive:
        words = archive.evaluations(total["run_id"])
    assert len(words) == 4
    if not any(map(study.is_crowded, words)):  # a crowded machine has its subsets measured again
        code, out, err = command("task.py", "switched.py", "--repeats", "1")
        assert (code, "vs eager\n" in err) == (0, False), "nothing is judged again"
        assert "all: NO_FIRST + NO_SECOND" in out
        assert "it is" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["task.py", "plain.py"], "declares no PARTS"),
        (["task.py", "switched.py", "--parts", "NONE"], "--parts NONE: the candidate declares NO_FIRST"),
        (["task.py", "missing.py"], "no candidate missing.py"),
        (["task.py", "switched.py", "--most", "2"], "greater than or equal to 3"),
        (["task.py", "plain.py", "--model", "any", "--parts", "A"], "with --model the model names them"),
    ],
)
def test_a_wrong_request_is_told(command, arguments, said):
    code, out, err = command(*arguments)
    assert code == 2
    assert out == ""
    assert said in err


def test_the_shipped_candidate_declares_its_parts_and_computes_its_example():
    import torch
    from test_examples import FOLDER, load

    name = "layernorm_residual_gelu"
    code = (FOLDER / "candidates" / f"{name}.py").read_text()
    parts = [part.name for part in switches.read(code)]
    assert parts == ["LIBRARY_NORM", "LIBRARY_GELU", "IN_PLACE"]
    assert parsing.parse(fenced(code), load(name)).language == "torch"
    theirs = {"__name__": "theirs"}
    exec(load(name).source, theirs)
    torch.manual_seed(0)
    reference, x, residual = theirs["Model"](16).eval(), torch.randn(5, 16), torch.randn(5, 16)
    for weight in reference.parameters():
        torch.nn.init.normal_(weight)
    for subset in lattice.plan(parts, 8):
        ours = {"__name__": "ours"}
        exec(switches.without(code, [part for part in parts if part not in subset]), ours)
        module = ours["ModelNew"](16).eval()
        module.load_state_dict(reference.state_dict())
        with torch.no_grad():
            torch.testing.assert_close(module(x, residual), reference(x, residual))
