"""Tasks to train on are distinct, the same everywhere, sound, and none is KernelBench's."""

import os
import re
import subprocess
import sys

import pytest
from records import make_task

from cuda_l1.errors import ConfigError, UsageError
from cuda_l1.train import contamination, families, screen
from cuda_l1.train.families import layout
from cuda_l1.train.families.draw import Draw
from cuda_l1.types import digest

TRAIN, HELD_OUT = families.split()
EVERY = [*TRAIN, *HELD_OUT]
SAMPLE = families.generate(0, 4 * len(EVERY), EVERY)
OF_FAMILY = {name: [task for task in SAMPLE if families.family_of(task) == name] for name in EVERY}
GOLDEN = "e991d79b0fbfbd21"
"""Of the first tasks of every family: another value means that old seeds give new tasks."""


# The generator.


def test_families_are_split_into_disjoint_sets():
    assert len(TRAIN) >= 12
    assert len(HELD_OUT) >= 4
    assert not set(TRAIN) & set(HELD_OUT)
    assert {families.family_of(task) for task in families.generate(0, 30)} == set(TRAIN)


def test_tasks_are_the_same_in_every_process_and_python():
    code = (
        "from cuda_l1.train import families; from cuda_l1.types import digest; "
        "print(digest(*[t.source for t in families.generate(0, 21, list(families.FAMILIES))]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": "7"}
    )
    assert done.stdout.strip() == GOLDEN, done.stderr
    assert digest(*[task.source for task in SAMPLE[:21]]) == GOLDEN


def test_a_shorter_list_is_the_start_of_a_longer_one():
    assert families.generate(3, 40)[:17] == families.generate(3, 17)
    assert families.generate(3, 40) != families.generate(4, 40)


@pytest.mark.parametrize("name", EVERY)
def test_tasks_differ_by_more_than_names_and_numbers(name):
    tasks = families.generate(1, 60, [name])
    assert len({families.normalised(task.source) for task in tasks}) == 60
    assert len({families.structure(task.source) for task in tasks}) > 45
    assert len({task.id for task in tasks}) == 60


def test_sizes_follow_the_device():
    small, large = (families.generate(0, 30, scale=scale) for scale in ("cpu", "cuda"))
    assert not {task.id for task in small} & {task.id for task in large}
    assert max(map(_largest, small)) < max(map(_largest, large))


def _largest(task):
    return max(int(size) for size in re.findall(r"^\w+ = (\d+)$", task.source, re.MULTILINE))


def test_tasks_come_in_three_layouts():
    documented = [task for task in SAMPLE if '    """\n    Performs ' in task.source]
    benchmarks = [task for task in SAMPLE if '    """\n    Model that performs ' in task.source]
    scripts = [task for task in SAMPLE if "\nfrom torch import nn\n" in task.source]
    assert len(documented) + len(benchmarks) + len(scripts) == len(SAMPLE)
    assert min(len(documented), len(benchmarks), len(scripts)) > 0.2 * len(SAMPLE)
    for task in documented + benchmarks:
        assert task.source.index("class Model") < task.source.index("def get_inputs")
        assert not re.search(r"^[A-Z_]+ = ", task.source, re.MULTILINE)


def test_all_layouts_of_a_task_compute_the_same():
    import torch

    drawn = Draw("a seed", "cpu")
    parts = layout.Parts(
        {"BATCH": 2, "CHANNELS": 8, "SIDE": 9, "OUT": 4},
        [
            "self.conv = nn.Conv2d(CHANNELS, OUT, 3, padding=1, bias=False, stride=2)",
            "self.pool = nn.MaxPool2d(2)",
            "self.norm = nn.LayerNorm(OUT)",
            "self.scale = nn.Parameter(torch.randn(OUT, 1, 1))",
        ],
        {"x": "torch.randn(BATCH, CHANNELS, SIDE, SIDE)"},
        ["t = self.pool(self.conv(x)) * self.scale", "t = self.norm(t.mean(dim=-1).sum(dim=-1))", "return t"],
    )
    texts = [layout.script(parts), layout.benchmark(parts), *(layout.documented(parts, drawn) for _ in range(20))]
    assert len(set(texts)) > 15
    outputs = []
    for text in texts:
        names = {}
        exec(text, names)
        torch.manual_seed(0)
        model = names["Model"](*names["get_init_inputs"]())
        outputs.append(model(*names["get_inputs"]()))
    assert all(torch.equal(output, outputs[0]) for output in outputs)
    spelt_out = "\n".join(texts[2:])
    for argument in ("kernel_size: int", "stride: int = 2", "stride: tuple = (2, 2)", "bias: bool = False", "dim: int"):
        assert argument in spelt_out
    assert all(word in spelt_out for word in ("in_channels", "self.dim", "self.conv2d(x)", "self.conv(x)"))


@pytest.mark.parametrize("name", HELD_OUT)
def test_a_held_out_family_calls_what_no_other_family_calls(name):
    known = {each for family in TRAIN for task in OF_FAMILY[family] for each in families.operations(task.source)}
    known |= {each for task in families.generate(5, 300) for each in families.operations(task.source)}
    assert all(set(families.operations(task.source)) - known for task in OF_FAMILY[name])


def test_an_unknown_family_is_an_error_that_names_the_near_one():
    with pytest.raises(ConfigError, match="did you mean attention"):
        families.generate(0, 1, ["atention"])


# When two tasks are the same.


def test_comments_do_not_make_a_task_and_numbers_do():
    source = OF_FAMILY["stacked_layers"][0].source
    commented = source.replace("    def forward", "    # a comment\n    def forward")
    other_size = re.sub("(rows = )", r"\g<1>1", source, flags=re.IGNORECASE)
    assert commented != source
    assert families.normalised(commented) == families.normalised(source)
    assert families.normalised(other_size) != families.normalised(source)
    assert families.structure(other_size) == families.structure(source)


def test_names_that_a_text_gives_itself_do_not_count():
    one = "class Model:\n    def forward(self, x):\n        y = x + 1\n        return y * self.w\n"
    two = "class Model:\n    def forward(self, a):\n        'Text.'\n        b = a + 1\n        return b * self.v\n"
    assert families.normalised(one) == families.normalised(two)
    assert families.normalised(one) != families.normalised(two.replace("1", "2"))
    assert families.normalised(one) != families.normalised(two.replace("+", "-"))


# The screen.


def test_almost_all_tasks_pass_the_screen():
    faults = {task.id: screen.screen(task).fault for tasks in OF_FAMILY.values() for task in tasks}
    assert sum(map(bool, faults.values())) <= 0.05 * len(faults), {k: v for k, v in faults.items() if v}


@pytest.mark.parametrize(
    ("forward", "inputs", "fault"),
    [
        ("torch.relu(-torch.abs(x))", "torch.randn(64, 512)", "same output"),
        ("torch.log(x)", "torch.randn(64, 512)", "not finite"),
        ("(x + 1e9) - 1e9", "torch.randn(64, 512)", "rounding noise"),
        ("x @ x", "torch.randn(64, 512)", "raises RuntimeError"),
        ("x", "torch.randn(2)", "a call takes"),
    ],
)
def test_a_bad_task_is_named(forward, inputs, fault):
    source = f"""
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return {forward}
def get_inputs():
    return [{inputs}]
def get_init_inputs():
    return []
"""
    assert fault in screen.screen(make_task(source=source)).fault
    without = source.replace("def get_init_inputs():\n    return []\n", "")
    assert fault in screen.screen(make_task(source=without)).fault, "its Model takes no arguments"


# KernelBench.


@pytest.fixture
def checkout(tmp_path):
    """A checkout that holds one generated task as a problem, under other names."""
    folder = tmp_path / "KernelBench" / "level1"
    folder.mkdir(parents=True)
    (folder / "1_Twin.py").write_text(SAMPLE[0].source.replace("COLUMNS", "dim"))
    return tmp_path


def test_a_kernelbench_problem_is_refused(checkout):
    known = contamination.problems(str(checkout))
    contamination.refuse(SAMPLE[1:], known)
    with pytest.raises(UsageError, match="is kernelbench/1/1: KernelBench is tested on"):
        contamination.refuse(SAMPLE, known)
    resized = SAMPLE[0].model_copy(update={"source": SAMPLE[0].source.replace("ROWS = ", "ROWS = 1")})
    with pytest.raises(UsageError, match="kernelbench/1/1"):
        contamination.refuse([resized], known)
    assert [name for _, name in contamination.shared_operations(SAMPLE, known)] == ["kernelbench/1/1"]
