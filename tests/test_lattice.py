"""What parts are worth, by hand and by property: pure arithmetic on the words on their subsets."""

import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import within

from cuda_l1.ablate import lattice
from cuda_l1.ablate.lattice import Measured
from cuda_l1.errors import UsageError
from cuda_l1.types import Interval


def exactly(**speedups):
    """Speedups without doubt, by the letters of the parts that are on; `none` is no part."""
    return {
        frozenset(() if name == "none" else name): Measured(name, Interval(value=value, lo=value, hi=value))
        for name, value in speedups.items()
    }


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
