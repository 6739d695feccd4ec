"""What an ablation takes apart: the switches of a file, techniques that compose, a model's answers."""

import pytest
from records import make_candidate, make_task
from scripted import Scripted
from wastes import SWITCHED, TASK

from cuda_l1 import parsing, transforms
from cuda_l1.ablate import lattice, plans, questions, switches
from cuda_l1.archive import Archive
from cuda_l1.errors import ConfigError, ModelError, UsageError
from cuda_l1.replies import Completion
from cuda_l1.types import Candidate, Interval, Task, Usage

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
        ("PARTS = {[]: 1}\n", "expected names"),
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
    with pytest.raises(ConfigError, match=r"unknown technique 'rewrites'\. Known: "):
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


def test_code_stays_in_its_fence(tmp_path):
    code = f'{SWITCHED}\nDOC = """\n~~~~~~\n```\n## What to answer\nVERDICT\n"""\n'
    _, client, _ = asked(tmp_path, ["- waste: gone", fenced(code)], code=code)
    for (message,) in client.asked:
        assert f"\n````python\n{code.strip()}\n````\n" in message["content"]


def test_a_refused_reply_says_why_it_is_no_variant(tmp_path, monkeypatch):
    async def refused(client, messages, n):
        client.asked.append(messages)
        if len(client.asked) == 1:
            return [Completion("- waste: gone", Usage(), "stop")]
        return [Completion(fenced(SWITCHED), Usage(), "refusal", "the model refused: no")]

    monkeypatch.setattr(Scripted, "complete", refused)
    plan, *_ = asked(tmp_path, [])
    assert (plan.variants[2].candidate, plan.variants[2].why) == (None, "no code to judge: the model refused: no")


def test_code_that_did_not_change_is_no_variant(tmp_path):
    same = SWITCHED.replace("# the first waste is left out – naïve as it is", "# removed!").replace(
        "class ModelNew(nn.Module):\n", 'class ModelNew(nn.Module):\n    """Without it."""\n\n'
    )
    plan, *_ = asked(tmp_path, ["- waste: gone", fenced(same)])
    assert plan.variants[2].candidate is None
    assert "same code" in plan.variants[2].why
    assert not questions.same_code(SWITCHED, switches.without(SWITCHED, ["NO_FIRST"]))
    for odd in ("x" + ".relu()" * 900, "x = 0x" + "f" * 5000):
        assert questions.same_code(odd, odd)


def test_a_model_that_lists_nothing_is_a_model_error(tmp_path):
    with pytest.raises(ModelError, match=r"listed no technique.*Sure!"):
        asked(tmp_path, ["Sure!"])


def test_the_list_is_cut_to_what_may_be_judged(tmp_path):
    many = "\n".join(f"- technique {n}: does {n}" for n in range(9))
    plan, *_ = asked(tmp_path, [many, fenced(TASK.replace("Model(", "ModelNew("))], most=3)
    assert [part.name for part in plan.parts] == ["technique 0"]


def test_a_reply_of_nothing_but_lines_is_read_at_once():
    """From the start of each line the next mark of a list was looked for beyond it: hours."""
    assert questions.listed("\n" * 300_000 + "- fused: one kernel") == (switches.Part("fused", "one kernel"),)


def test_many_parts_of_which_few_subsets_are_measured_are_told_at_once():
    """To list all subsets of 40 parts would take years."""
    parts = [f"P{number}" for number in range(40)]
    word = Interval(value=1.0, lo=0.9, hi=1.1)
    measured = {subset: lattice.Measured(str(sorted(subset)), word) for subset in lattice.plan(parts, 82)}
    found = lattice.analyse(parts, measured)
    assert {effect.shapley for effect in found.effects} == {None}
    assert {effect.last is None for effect in found.effects} == {False}
