"""What decides something in the benchmarks: bounds, protocols, resume, limits, and candidates that are right."""

import ast
import fcntl
import math
import statistics
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import aa
import aa_tasks
import by_chance
import decision_quality
import decision_table
import fixed_protocols
import gpu_watch
import journal
import kernels
import other_judges
import sampling as sampling_benchmark
import sampling_bandit
import sampling_table
import speed_table

from cuda_l1.types import Task

RELU = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()

    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(4, 4)]


def get_init_inputs():
    return []
"""


@pytest.mark.parametrize(("failures", "trials", "bound"), [(0, 149, 0.0199), (1, 236, 0.0199), (3, 100, 0.0757)])
def test_the_bound_is_clopper_and_pearsons(failures, trials, bound):
    assert aa.upper_bound(failures, trials) == pytest.approx(bound, abs=1e-4)


def test_no_trial_bounds_nothing():
    assert aa.upper_bound(0, 0) == 1.0


def test_a_journal_goes_on_behind_half_a_line(tmp_path):
    path = tmp_path / "rows.jsonl"
    journal.Journal(path).add({"n": 1})
    with path.open("a") as file:
        file.write('{"n": 2, "cut')
    again = journal.Journal(path)
    assert again.rows == [{"n": 1}]
    again.add({"n": 3})
    assert journal.Journal(path).rows == [{"n": 1}, {"n": 3}]


def test_the_limit_ends_what_takes_longer_and_nothing_else(capsys):
    with journal.limit(0.05):
        time.sleep(30)
    assert "goes on from here" in capsys.readouterr().err
    with journal.limit(30):
        done = True
    assert done
    assert not capsys.readouterr().err


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_tasks_of_a_a_are_sources_with_a_candidate_that_is_the_same(device):
    made = aa_tasks.tasks(device)
    assert len({task.source_digest for task in made}) == len(made) > 15
    for task in made:
        ast.parse(task.source)
        code = aa_tasks.itself(task, 1).code
        assert "class ModelNew(nn.Module)" in code
        assert "class Model(" not in code
        assert aa_tasks.itself(task, 1).id != aa_tasks.itself(task, 2).id


def test_every_chosen_kernel_is_a_new_source_that_keeps_the_task():
    codes = set()
    for flavour, names in kernels.CHOSEN.items():
        for name in names:
            task = Task(id="kernelbench/1/19", name=name, source=RELU)
            one, two = (kernels.candidate(name, flavour, task, mark) for mark in ("a1", "b2"))
            ast.parse(one.code)
            assert one.id != two.id
            assert "class ModelNew" in one.code
            assert f"{name}_a1" in one.code
            left = {"EXPR0", "EXPR1", "NEEDS_MAX", "PARAMS", "KERNEL", "PYTHON"}
            assert not [word for word in left if word in one.code]
            codes.add(one.code)
    assert len(codes) == 40


def test_a_replaced_forward_keeps_construction_and_calls():
    space = {}
    exec(kernels.with_forward(RELU, "return x + 1"), space)
    assert space["ModelNew"]()(space["torch"].zeros(2)).tolist() == [1, 1]


def pairs(ratio, count=700):
    return [(0.001 * (i + 1), ratio, 1.0) for i in range(count)]


@pytest.mark.parametrize(("ratio", "word"), [(1.05, "FAST"), (1.004, "SAME"), (0.95, "SLOW")])
def test_both_fixed_protocols_decide_by_their_point(ratio, word):
    assert fixed_protocols.decided(fixed_protocols.paper_ratio(pairs(ratio))) == word
    assert fixed_protocols.decided(fixed_protocols.means_ratio(pairs(ratio))) == word


def test_the_papers_protocol_throws_away_what_varies():
    wild = pairs(1.0, 350) + pairs(1.5, 350)
    assert fixed_protocols.decided(fixed_protocols.paper_ratio(wild)) == "AMBIGUOUS"


def test_windows_are_disjoint_and_whole():
    made = list(fixed_protocols.windows(pairs(1.0), 0.2))
    assert [len(window) for window in made] == pytest.approx([200, 200, 200], abs=2)
    assert made[0][-1][0] < made[1][0][0]


def test_the_fixed_protocols_measure_what_is_there():
    clock = fixed_protocols.Clock("cpu")
    sides = (lambda: time.sleep(0.005), lambda: time.sleep(0.001), list, 0.05)
    taken = fixed_protocols.pairs_for(clock, *sides)
    assert statistics.median(reference / candidate for _, reference, candidate in taken) > 1.01
    (measured,) = fixed_protocols.trials_for(clock, *sides, count=20)
    assert fixed_protocols.means_ratio(measured["trials"]) > 1.01


def test_candidates_of_known_truth_differ_in_the_number_alone():
    shape = decision_quality.SHAPES[0]
    reference, candidate = (decision_quality.source(shape, "cpu", repeats) for repeats in (100, 98))
    assert reference.replace("REPEATS = 100", "REPEATS = 98") == candidate


def test_the_figures_numbers_count_wrong_and_missed():
    def row(repeats, decision):
        return {"row": "decision", "method": "paper", "budget": "1 s", "seconds": 1.0, "repeats": repeats,
                "decision": decision}  # fmt: skip

    rows = [row(100, "SAME"), row(100, "FAST"), row(100, "AMBIGUOUS"), row(98, "FAST"), row(102, "FAST")]
    (budget,) = decision_table.budgets(rows)
    assert budget.bad == {"the same": pytest.approx(1 / 3), "2%": 0.5}
    assert (budget.reversed, budget.undecided) == (1, 1)
    assert "33.3% of 3" in decision_table.render([budget])
    assert budget.off is None, "too few to say"
    rows = [row(98, "FAST") | {"ratio": 100 / 98 * 1.03}] * 3 + [row(100, "SAME") | {"ratio": 1.0}] * 27
    (budget,) = decision_table.budgets(rows)
    assert budget.off == pytest.approx(0.03)


def test_a_held_lease_is_seen_from_outside(tmp_path):
    path = tmp_path / "lease"
    path.touch()
    if not Path("/proc/locks").exists():
        pytest.skip("this kernel lists no locks")
    assert gpu_watch.is_locked(path) is False
    with path.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert gpu_watch.is_locked(path) is True


def test_clocks_around_functions_count_the_outer_one():
    class Module:
        @staticmethod
        def outer():
            time.sleep(0.01)
            Module.inner()

        @staticmethod
        def inner():
            time.sleep(0.01)

    seconds = {"verify": 0.0, "build": 0.0}
    other_judges.clocked(Module, {"outer": "verify", "inner": "build"}, seconds)
    Module.outer()
    assert seconds["verify"] >= 0.02
    assert seconds["build"] == 0


def test_the_interval_of_a_ratio_of_means_narrows_with_the_noise():
    value, lo, hi = other_judges.ratio_of_means([2.0, 2.2] * 50, [1.0, 1.1] * 50)
    assert value == pytest.approx(2.0)
    assert lo < 2 < hi
    calm = other_judges.ratio_of_means([2.0, 2.02] * 50, [1.0, 1.01] * 50)
    assert calm[2] - calm[1] < hi - lo


def test_rates_of_the_others_are_weighted_as_the_sixty():
    means = {"torch": 10.0, "cuda": 40.0, "nvrtc": 10.0, "triton": 10.0}
    assert speed_table.seconds_each(means, list(means)) == pytest.approx(20.0)


def test_the_stand_in_for_a_model_learns_from_what_it_is_shown():
    task = sampling_bandit.problem(sampling_bandit.LANDSCAPES[0], 1)
    with_it, without = 0b0110, 0b0100
    learned = sampling_bandit._learned(task, [(with_it, 3.0), (without, 1.5)]) - task.belief
    told = math.log(2) - task.belief[1]
    assert learned[1] == pytest.approx(told, abs=0.25 * abs(told) + 0.05), "one technique apart: its worth"
    assert not learned[[0, 3, 4, 5, 6, 7, 8, 9]].any(), "nothing about what neither has"
    deaf = task.landscape._replace(reads_scores=False)
    assert (sampling_bandit._learned(task._replace(landscape=deaf), [(with_it, 3.0)]) == task.belief).all()


def test_a_search_of_the_bandit_is_the_same_again_and_ends():
    landscape = sampling_bandit.LANDSCAPES[0]
    for sampler in sampling_benchmark.SAMPLERS:
        task = sampling_bandit.problem(landscape, 3)
        needed = [sampling_benchmark.search(task, sampler, 3) for _ in range(2)]
        assert needed[0] == needed[1]
        assert 1 <= needed[0] <= sampling_benchmark.CAP


def test_the_bandits_tables_count_what_is_there():
    rows = [{"row": "run", "landscape": "plain", "sampler": name, "seed": 0, "needed": [needed] * 20}
            for name, needed in (("random", 400), ("contrast", 100))]  # fmt: skip
    text = sampling_table.render(rows, 400)
    assert "| plain | 400 [400, 400] | 100 [100, 100] |" in text
    assert "| plain | 0% | 100% |" in text
    assert "| plain | 0.25 [0.25, 0.25] |" in text
    assert sampling_table.effective([5, 5, 5, 5]) == pytest.approx(4)
    assert sampling_table.effective([9]) == 1


def test_what_luck_decides_is_counted_by_kind_and_file():
    row = {"status": "WRONG_OUTPUT", "verdict": None, "speedup": None, "right": True, "findings": []}
    passed = {"status": "PASSED", "verdict": "FAST", "speedup": 2.0, "right": False}
    rows = [
        {**row, "kind": "cheats", "name": "a"}, {**row, **passed, "kind": "cheats", "name": "a"},
        {**row, "kind": "cheats", "name": "b"}, {**row, "kind": "honest", "name": "c", "right": False},
        {**row, "kind": "honest", "name": "d", "status": "INFRA_FAILED", "right": False},
    ]  # fmt: skip
    said = by_chance.render(rows)
    assert "| cheats | 2 | 3 | 1 slipped through | 86.46% | 1 |" in said
    assert "| honest | 1 | 1 | 1 turned away | 100.00% |  |" in said
    assert "| cheats/a | 1 of 2 | PASSED FAST 2.00x |" in said
    assert "honest/d" not in said
    assert said.endswith("1 more ended by a failure of the judge's own.")
