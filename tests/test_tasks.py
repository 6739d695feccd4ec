"""What a new user does first, right and wrong: every mistake has a message that says what to do next."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from cuda_l1 import constructor, syntax, tasks
from cuda_l1.errors import TaskError, nearest_file
from cuda_l1.tasks.wrapped import module_of

HEAD = "import torch\nfrom torch import nn\n\n"
NET = """
class Net(nn.Module):
    def __init__(self, features, hidden=8, bias=True):
        super(Net, self).__init__()
        self.linear = nn.Linear(features, hidden, bias=bias)

    def forward(self, x, mask=None):
        y = self.linear(x)
        return y if mask is None else y * mask


def make_inputs():
    return [torch.randn(4, 16)]
"""
TASK = """
N = 16


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(N)]
"""


def run(task):
    """The module's output on its own inputs, and the namespace of its source."""
    space = {"__name__": "task"}
    exec(compile(syntax.encoded(task.source), "task.py", "exec"), space)
    torch.manual_seed(0)
    return space["Model"](*space["get_init_inputs"]())(*space["get_inputs"]()), space


# What works


KEYWORDS = """
class Base(nn.Module):
    def __init__(self, features, *, hidden=8, **kwargs):
        super().__init__()
        self.linear = nn.Linear(features, hidden, **kwargs)

    def forward(self, x, *, scale=1.0, **kwargs):
        return self.linear(x) * scale


class Net(Base):
    pass


class Plain(nn.Linear):
    pass
"""


@pytest.mark.parametrize(
    ("name", "inputs", "init", "gives"),
    [
        ("Net", "randn(4, 16)", "16, hidden=5, bias=False", "[[16], dict(hidden=5, bias=False)]"),
        ("Base", "x=randn(4, 16)", "hidden=5, features=16", "[[16], dict(hidden=5)]"),
        ("Net", "randn(4, 16), scale=2.0", "features=16, hidden=5", "[[16], dict(hidden=5)]"),
        ("Plain", "input=randn(4, 16)", "16, bias=False, out_features=5", "[[16], dict(bias=False, out_features=5)]"),
        ("Plain", "randn(4, 16)", "16, 5", "[16, 5]"),
    ],
)
def test_arguments_that_go_by_name_alone(folder, name, inputs, init, gives):
    task = tasks.load(folder("net.py", HEAD + KEYWORDS) + f":{name}", inputs=inputs, init=init)
    assert f"return {gives}\n" in task.source
    space = {"__name__": "task"}
    exec(task.source, space)
    given = space["get_inputs"]()
    module = constructor.made(space["Model"], space["get_init_inputs"]())
    assert (module(**given) if isinstance(given, dict) else module(*given)).shape == (4, 5)


def test_a_file_in_kernelbench_format_is_taken_as_it_is(folder):
    text = HEAD + TASK + "\n\ndef get_init_inputs():\n    return []\n"
    task = tasks.load(folder("relu.py", text))
    assert task.source == text
    assert task.name == "relu"
    assert task.id == f"local/{task.source_digest}"
    run(task)


def test_without_get_init_inputs_the_model_takes_no_arguments(folder):
    task = tasks.load(folder("relu.py", HEAD + TASK))
    assert task.source.startswith((HEAD + TASK).rstrip())
    run(task)


def test_equal_text_in_two_folders_is_one_task_and_precision_makes_it_another(folder):
    one, two = tasks.load(folder("a/relu.py", HEAD + TASK)), tasks.load(folder("b/relu.py", HEAD + TASK))
    assert one.id == two.id
    assert one.id != tasks.load("a/relu.py", precision="bf16").id


@pytest.mark.parametrize(
    ("inputs", "init"),
    [
        ("make_inputs", "16"),
        ("net.py:make_inputs", "features=16, bias=False"),
        ("x=randn(4, 16)", "bias=False, features=16"),
        ("mask=ones(4, 8); x=randn(4, 16, fp32)", "16, 8"),
    ],
)
def test_a_class_of_any_name_with_inputs(folder, inputs, init):
    task = tasks.load(folder("net.py", HEAD + NET) + ":Net", inputs=inputs, init=init)
    assert task.name == "Net"
    assert "class Model(nn.Module)" in task.source
    assert "super(Model, self)" in task.source
    output, _ = run(task)
    assert output.shape == (4, 8)


def test_defaults_fill_the_gap_between_arguments_given(folder):
    task = tasks.load(folder("net.py", HEAD + NET) + ":Net", inputs="make_inputs", init="16, bias=False")
    assert "return [16, 8, False]" in task.source


def test_what_forward_takes_by_keyword_only_makes_a_dict(folder):
    source = HEAD + NET.replace("(self, x, mask=None)", "(self, x, *, mask, scale=2.0)")
    task = tasks.load(folder("net.py", source) + ":Net", inputs="mask=None, x=randn(4, 16)", init="16")
    assert "return dict(x=torch.randn(4, 16), mask=None)" in task.source
    with pytest.raises(TaskError, match="gives no mask; forward takes"):
        tasks.load("net.py:Net", inputs="x=randn(4, 16)", init="16")
    for takes, gives in (("*xs, mask", "randn(4), randn(4)"), ("x, /, *, mask", "x=randn(4)")):
        folder("net.py", HEAD + NET.replace("(self, x, mask=None)", f"(self, {takes})"))
        with pytest.raises(TaskError, match="some by place alone and others by name alone"):
            tasks.load("net.py:Net", inputs=f"{gives}, mask=None", init="16")


def test_inputs_of_another_file_join_the_source(folder):
    folder("shapes.py", "from __future__ import annotations\nimport torch\nROWS = 3\n\n\ndef make() -> list:\n"
           "    return [torch.randn(ROWS, 16)]\n")  # fmt: skip
    task = tasks.load(folder("net.py", HEAD + NET) + ":Net", inputs="shapes.py:make", init="16", sizes={"ROWS": "5"})
    assert run(task)[0].shape == (5, 8)


def test_another_class_called_model_steps_aside(folder):
    text = HEAD + TASK + "\n\nclass Twice(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    text += "        self.inner = Model()\n\n    def forward(self, x):\n        return 2 * self.inner(x)\n"
    task = tasks.load(folder("a.py", text) + ":Twice")
    output, space = run(task)
    assert (output != 0).any()
    assert type(space["Model"]().inner).__name__ == "OtherModel"


FUNCTION = """
def cut(x, /, mask=None, *more, scale: float = 2.0, **others):
    return (x * scale if mask is None else x * mask, *more, others)
"""


def test_a_function_is_the_forward_of_a_module(folder):
    task = tasks.load(folder("cut.py", HEAD + FUNCTION) + ":cut", inputs="x=randn(4, 16)")
    assert task.name == "cut"
    output, space = run(task)
    assert output[0].shape == (4, 16)
    x = torch.ones(3)
    for module in (space["Model"](), candidate(FUNCTION, "cut")()):
        assert not module.state_dict()
        assert torch.equal(module(x)[0], 2 * x)
        assert torch.equal(module(x, 5 * x, 7, scale=1.0, other=1)[0], 5 * x)
        assert module(x, None, 7, other=1)[1:] == (7, {"other": 1})
        with pytest.raises(TypeError, match="positional"):
            module(x=x)


def candidate(text, called):
    space: dict[str, Any] = {}
    exec(module_of(text, called, "ModelNew", Path("fast.py")), space)
    return space["ModelNew"]


def test_an_argument_may_be_called_as_its_function_is_or_self():
    text = HEAD + "gate_ = 3\n\ndef gate(self, gate, *, self_=1):\n    return self * gate * self_\n"
    assert float(candidate(text, "gate")()(torch.tensor(2.0), 5, self_=7)) == 70
    assert candidate(text, "gate").forward.__globals__["gate_"] == 3
    assert candidate("def ModelNew(x):\n    return 2 * x\n", "ModelNew")()(3) == 6


def test_a_candidate_may_be_a_function_or_a_class_of_another_name():
    text = HEAD + NET
    assert candidate(text, "Net")(16)(torch.ones(4, 16)).shape == (4, 8)
    assert list(candidate(text, "Net")(16).state_dict()) == ["linear.weight", "linear.bias"]
    whole = text.replace("Net", "ModelNew")
    assert module_of(whole, "ModelNew", "ModelNew", Path("fast.py")) == whole
    with pytest.raises(TaskError, match="no class or function nt at its top level; it has Net, make_inputs"):
        module_of(text, "nt", "ModelNew", Path("fast.py"))


# Sizes

SIZED = 'SIZES = {"cpu": {"N": 32}, "cuda": {"N": 4096, "K": 7}}\nN = 2048  # rows\nK, M = 1 * 5, 3\n' + HEAD


def test_sizes_follow_the_device_and_change_nothing_else(folder):
    path = folder("a.py", SIZED + TASK.replace("N = 16\n", ""))
    cpu, cuda = tasks.load(path), tasks.load(path, device="cuda:0")
    text = cpu.source
    assert text == cuda.source.replace("N = 4096  #", "N = 32  #").replace("K, M = 7, 3", "K, M = 1 * 5, 3")
    assert "N = 32  # rows\n" in text
    assert cpu.id != cuda.id


def test_set_goes_over_sizes(folder):
    task = tasks.load(folder("a.py", SIZED + TASK.replace("N = 16\n", "")), sizes={"N": "8"})
    assert run(task)[0].shape == (8,)


@pytest.mark.parametrize("text", ["1e999", " 1e999  # more than there is"])
def test_what_is_set_may_be_a_number_without_end(folder, text):
    source = (HEAD + TASK).replace("N = 16\n", "N = 16\nLARGEST = 1.0\n").replace("N)", "N).clamp(max=LARGEST)")
    assert run(tasks.load(folder("a.py", source), sizes={"LARGEST": text}))[0].shape == (16,)
    declared = f"SIZES = {{'cpu': {{'LARGEST': {text.partition('#')[0]}}}}}\n{source}"
    assert run(tasks.load(folder("b.py", declared)))[0].shape == (16,)


# KernelBench


@pytest.fixture
def checkout(folder, tmp_path):
    for level, number, name in ((1, 1, "Relu"), (1, 2, "Relu_again"), (1, 10, "Ten"), (2, 3, "Other")):
        folder(
            f"KernelBench/level{level}/{number}_{name}.py", HEAD + TASK + "\n\ndef get_init_inputs():\n    return []\n"
        )
    return str(tmp_path)


def test_a_problem_of_a_checkout(checkout):
    task = tasks.load("kernelbench:1/10", kernelbench=checkout)
    assert (task.id, task.name, task.level, task.import_path) == ("kernelbench/1/10", "10_Ten", 1, None)
    run(task)


def test_a_resized_problem_has_a_name_of_its_own(checkout):
    task = tasks.load("kernelbench:1/1", kernelbench=checkout, sizes={"N": "4"})
    assert task.id == "kernelbench/1/1@N=4"
    assert "N = 4\n" in task.source


def test_the_hub_dataset_is_read_by_the_same_code_from_a_local_folder(tmp_path, monkeypatch):
    datasets = pytest.importorskip("datasets", reason="the extra cuda-l1[hub] is not installed")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    source = HEAD + TASK + "\n\ndef get_init_inputs():\n    return []\n"
    for level in (1, 2):
        rows = [{"code": source, "level": level, "name": f"{n}_Relu", "problem_id": n} for n in (1, 2)]
        file = tmp_path / "kb" / "data" / f"level_{level}-00000-of-00001.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        datasets.Dataset.from_list(rows).to_parquet(file)
    task = tasks.load("kernelbench:2/2", kernelbench=str(tmp_path / "kb"))
    assert (task.id, task.name, task.level, task.source) == ("kernelbench/2/2", "2_Relu", 2, source)
    assert len(tasks.load_set("kernelbench:1", kernelbench=str(tmp_path / "kb"))) == 2


# Sets


@pytest.mark.parametrize(
    ("spec", "numbers"),
    [
        ("kernelbench:1", ["1/1", "1/2", "1/10"]),
        ("kernelbench:1/1-2", ["1/1", "1/2"]),
        ("kernelbench:1/2,10,kernelbench:2/3", ["1/2", "1/10", "2/3"]),
    ],
)
def test_a_set_of_problems(checkout, spec, numbers):
    found = tasks.load_set(spec, kernelbench=checkout)
    assert [task.id for task in found] == [f"kernelbench/{number}" for number in numbers]


def test_a_set_of_files_and_a_folder(folder, tmp_path):
    folder("two/b.py", HEAD + TASK)
    folder("two/a.py", HEAD + TASK)
    folder("two/_helper.py", "")
    folder("c.py", HEAD + TASK)
    assert [task.name for task in tasks.load_set("two/,c.py")] == ["a", "b", "c"]


# Mistakes that `load` sees


@pytest.mark.parametrize(
    ("text", "target", "options", "says"),
    [
        (TASK, "rleu.py", {}, "no file rleu.py; did you mean relu.py"),
        (TASK, "relu.txt", {}, "expected file.py, file.py:Class, file.py:function, or kernelbench:LEVEL/ID"),
        (TASK + "\ndef broken(:\n    pass\n", "relu.py", {}, "relu.py, line 16: SyntaxError"),
        (TASK, "relu.py:Modle", {}, "no class Modle; it has Model, get_inputs; did you mean relu.py:Model"),
        (NET, "relu.py", {}, "no class Model; it has Net, make_inputs; to take one of them: relu.py:Net --inputs"),
        ("class Own:\n    n = 1\n" + NET, "relu.py", {}, "to take one of them: relu.py:Net --inputs"),
        (NET.replace("class Net(", "class ModelNew("), "relu.py", {}, "name the task's file first"),
        (NET, "relu.py:make_inputs", {}, "defines no get_inputs().*forward takes ()"),
        (NET + "\nnet = Net()\n", "relu.py:net", {}, "net is a value; expected a class"),
        (NET + "\nasync def wait(x): pass\n", "relu.py:wait", {}, "no class or function wait at its top level"),
        (TASK + "\ndef f(x): return x\n", "relu.py:f", {}, "Model must be free for f, and it is a class"),
        (NET, "relu.py:Net", {}, "defines no get_inputs().*forward takes (x, mask=None)"),
        (NET, "relu.py:Net", {"inputs": "makeinputs"}, "no function makeinputs in relu.py; found make_inputs"),
        (NET, "relu.py:Net", {"inputs": "x=randn(4"}, "does not read"),
        (NET, "relu.py:Net", {"inputs": "randn(4)) + (3"}, "does not read: its brackets do not match"),
        (NET, "relu.py:Net", {"inputs": "randn(4))(3"}, "does not read: its brackets do not match"),
        (NET, "relu.py:Net", {"inputs": "randn(4)) # x"}, "does not read: its brackets do not match"),
        (NET, "relu.py:Net", {"inputs": "'\udcff'"}, "does not read: 'utf-8' codec can't encode"),
        (NET, "relu.py:Net", {"inputs": "z=randn(4)"}, "names z; forward takes (x, mask=None)"),
        (NET, "relu.py:Net", {"inputs": "mask=randn(4)"}, "gives no x; forward takes (x, mask=None)"),
        (NET, "relu.py:Net", {"inputs": "1, 2, 3"}, "gives 3 arguments; forward takes (x, mask=None)"),
        (NET, "relu.py:Net", {"inputs": "1", "init": "2, features=3"}, "gives features twice"),
        (TASK.replace("N = 16", ""), "relu.py", {"sizes": {"M": "3"}}, "has: none. Write M = 64 into the file"),
        (TASK, "relu.py", {"sizes": {"M": "3"}}, "M is no module-level constant.*The source has: N"),
        (TASK, "relu.py", {"sizes": {"N": "lots"}}, "'lots' is no Python literal"),
        (TASK, "relu.py", {"sizes": {"N": "{[]: 3}"}}, "'{[]: 3}' is no Python literal"),
        ("SIZES = {'cpu': {'NN': 3}}\n" + TASK, "relu.py", {}, "SIZES names NN.*Did you mean N?"),
        ("SIZES = {'gpu': {'N': 3}}\n" + TASK, "relu.py", {}, "SIZES has gpu; its keys are cpu and cuda"),
        ("SIZES = {[]: 3}\n" + TASK, "relu.py", {}, "SIZES must be a literal dict of dicts"),
        ("SIZES = [3]\n" + TASK, "relu.py", {}, "SIZES must be a literal dict of dicts"),
        (
            TASK,
            "kernelbench:1/11",
            {"kernelbench": "."},
            "level 1 has no problem 11: its 3 problems are numbered 1 to 10",
        ),
        (TASK, "kernelbench:7/1", {"kernelbench": "."}, "no level 7: its levels are 1 to 4"),
        (TASK, "kernelbench:3/1", {"kernelbench": "."}, "level3 holds no problems"),
        (TASK, "kernelbench:12", {"kernelbench": "."}, "expected kernelbench:LEVEL/ID"),
        (TASK, "kernelbench:1/1", {"kernelbench": "nowhere"}, "no KernelBench at nowhere"),
        (TASK, "kernelbench:1/1", {"kernelbench": "~nobody-here/x"}, "no KernelBench at ~nobody-here/x"),
        (TASK, "kernelbench:1/1", {"kernelbench": ".", "inputs": "x=randn(3)"}, "has inputs of its own"),
    ],
)
def test_a_mistake_and_its_message(folder, checkout, text, target, options, says):
    folder("relu.py", HEAD + text)
    with pytest.raises(TaskError) as caught:
        tasks.load(target, **options)
    position = 0
    for part in says.split(".*"):
        assert part in str(caught.value)[position:], str(caught.value)
        position = str(caught.value).index(part, position)


def test_a_file_that_another_encoding_would_make_another(folder):
    folder("a.py", "# coding: utf-7\n" + HEAD + TASK)
    with pytest.raises(TaskError, match=r"a\.py is not Python: the file names an encoding other than UTF-8"):
        tasks.load("a.py")


@pytest.mark.parametrize("head", ["# coding: utf8\n", "\ufeff"])
def test_a_file_that_says_that_it_is_utf8_is_taken(folder, head):
    folder("a.py", head + HEAD + TASK)
    run(tasks.load("a.py"))


def test_a_file_that_is_nested_too_deep_to_be_read(folder):
    folder("a.py", HEAD + TASK + f"N = {'-' * 200_000}1\n")
    with pytest.raises(TaskError, match=r"a\.py is not Python: nested too deep to be read"):
        tasks.load("a.py")


def test_a_file_that_is_not_text(folder, tmp_path):
    (tmp_path / "a.py").write_bytes(b"\x7fELF\xff\xfe")
    with pytest.raises(TaskError, match=r"a\.py is not Python: byte 4 is not UTF-8"):
        tasks.load("a.py")


def test_a_byte_order_mark_is_no_part_of_a_task(folder):
    marked, plain = folder("marked.py", f"\ufeff{HEAD}{TASK}"), folder("task.py", HEAD + TASK)
    assert tasks.load(marked).source == tasks.load(plain).source


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (os.mkfifo, "odd.py is no regular file"),
        (lambda path: path.symlink_to(path), "odd.py is a link that leads to no file"),
        (lambda path: path.symlink_to("nowhere.py"), "odd.py is a link that leads to no file"),
        (lambda path: path.symlink_to("/proc/self/mem"), "odd.py does not read: Input/output error"),
        (lambda path: path.write_text("(" * 99999), "odd.py is not Python|odd.py, line 1"),
    ],
)
def test_what_is_no_file_of_text_is_told_as_what_it_is(tmp_path, make, says):
    make(tmp_path / "odd.py")
    with pytest.raises(TaskError, match=says):
        tasks.load(str(tmp_path / "odd.py"))


def test_two_files_that_define_the_same_name(folder):
    folder("shapes.py", "def make_inputs():\n    return []\n")
    with pytest.raises(TaskError, match="both define make_inputs"):
        tasks.load(folder("net.py", HEAD + NET) + ":Net", inputs="shapes.py:make_inputs")


def test_neither_checkout_nor_datasets(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)  # how Python marks a package as not to be found
    with pytest.raises(TaskError, match=r"git clone https://github\.com/.*--kernelbench FOLDER.*cuda-l1\[hub\]"):
        tasks.load("kernelbench:1/12")


def test_a_folder_that_is_neither_checkout_nor_dataset(tmp_path):
    pytest.importorskip("datasets", reason="the extra cuda-l1[hub] is not installed")
    with pytest.raises(TaskError, match="cannot be read"):
        tasks.load("kernelbench:1/12", kernelbench=str(tmp_path))


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("kernelbnch:1", "unknown task set 'kernelbnch:1'"),
        ("kernelbench:1/5-2", "'5-2' is no problem number"),
        ("kernelbench:one", "names no set"),
        ("empty", "holds no .py file"),
        ("mixed", "has no class Model.*Every file of the folder is a task, but for those that begin with _"),
        (" , ", "the task set is empty"),
    ],
)
def test_a_set_that_is_none(checkout, tmp_path, spec, says):
    (tmp_path / "empty").mkdir()
    (tmp_path / "mixed").mkdir()
    (tmp_path / "mixed" / "helpers.py").write_text("X = 1\n")
    with pytest.raises(TaskError, match=says):
        tasks.load_set(spec, kernelbench=checkout)


def test_a_file_that_is_mistyped_is_named_with_its_folder(tmp_path: Path) -> None:
    (tmp_path / "relu.py").write_text(TASK)
    assert nearest_file(tmp_path / "rleu.py") == f"; did you mean {tmp_path / 'relu.py'}?"
    for none in (tmp_path / "tanh.py", tmp_path / "nowhere" / "relu.py", Path()):
        assert nearest_file(none) == ""
