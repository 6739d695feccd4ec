"""Testing a policy: tasks are drawn, all are answered in batches into a file, and eval judges what the file holds."""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from records import make_task
from toy_policy import make_policy, make_tasks

from cuda_l1 import attempt, llm
from cuda_l1.cli import main
from cuda_l1.errors import ConfigError, ModelError, UsageError
from cuda_l1.models import Weights
from cuda_l1.train import sample
from cuda_l1.train.config import ContrastiveConfig, SelfsupConfig, load

SETTINGS = attempt.Settings(
    exemplars=0, strategy="none", temperature=1.0, width=1.0, language="any", device="cpu", device_name="CPU"
)
ROWS = (
    "common",
    "base",
    "sft",
    "selfsup",
    "none",
    "random",
    "bucket",
    "island",
    "contrast",
    "without_corpus",
    "copies",
    "all",
)
SLOW = """import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        unused = x
        for _ in range(20):
            unused = torch.special.i0e(unused)
        return torch.tanh(x) + torch.tanh(x)


def get_inputs():
    return [torch.randn(15, 256)]


def get_init_inputs():
    return []
"""
FAST = SLOW.replace("class Model(", "class ModelNew(").replace("range(20)", "range(8)")


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        main([*arguments, "--json"])
    return int(end.value.code or 0), json.loads(capsys.readouterr().out)


def test_a_batch_of_unequal_questions_is_answered_as_each_alone(tmp_path: Path) -> None:
    weights = Weights(make_policy(tmp_path / "policy"))
    asked = [
        [{"role": "user", "content": words}] for words in ("relu", "so it goes Perhaps torch relu import", "it goes")
    ]
    how: dict[str, Any] = {"temperature": 0.0, "max_tokens": 6, "timeout_s": None, "stop": threading.Event()}
    together = weights.generate(asked, **how)
    alone = [weights.generate([each], **how)[0] for each in asked]
    assert together == alone
    assert len({each.prompt_tokens for each in together}) == 3


def test_answers_go_on_where_they_stopped(tmp_path: Path) -> None:
    policy, tasks, out = make_policy(tmp_path / "policy"), make_tasks(tmp_path / "tasks.jsonl"), tmp_path / "out.jsonl"

    def answer(seed: int) -> dict[str, Any]:
        return sample.run(
            str(policy), tasks, out, samples=3, temperature=1.0, max_tokens=6, batch=4, settings=SETTINGS, seed=seed,
            say=print,
        )  # fmt: skip

    counts = answer(0)
    assert (counts["answers"], counts["tasks"]) == (9, 3)
    whole = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(whole[:5]) + whole[5][:10])  # killed while it wrote the sixth
    assert answer(1)["answers"] == 9
    again = out.read_bytes().splitlines(keepends=True)
    assert again[:5] == whole[:5]
    assert again[5:] != whole[5:]
    assert answer(2)["answers"] == 9
    assert out.read_bytes().splitlines(keepends=True) == again, "nothing was missing, so nothing was asked"


def test_answers_of_two_policies_are_not_mixed(tmp_path: Path) -> None:
    tasks, out = make_tasks(tmp_path / "tasks.jsonl", 1), tmp_path / "out.jsonl"

    def answer(seed: int, **changed: Any) -> dict[str, Any]:
        policy = make_policy(tmp_path / f"policy{seed}", seed=seed)
        how: dict[str, Any] = {"samples": 1, "temperature": 1.0, "max_tokens": 4} | changed
        return sample.run(str(policy), tasks, out, **how, batch=4, settings=SETTINGS, seed=0, say=print)

    assert answer(0)["answers"] == 1
    assert answer(0, samples=2)["answers"] == 2, "more of the same are welcome"
    for seed, changed, words in ((1, {}, "weights"), (0, {"temperature": 0.5}, "temperature 1.0, now it is 0.5")):
        with pytest.raises(UsageError, match=words):
            answer(seed, samples=2, **changed)


def test_a_question_that_is_too_long_has_an_empty_answer(tmp_path: Path) -> None:
    policy, tasks, out = (
        make_policy(tmp_path / "policy"),
        make_tasks(tmp_path / "tasks.jsonl", 2),
        tmp_path / "out.jsonl",
    )
    long = tasks[0].model_copy(update={"source": tasks[0].source + "# so it goes\n" * 4000})
    how: dict[str, Any] = {"samples": 2, "temperature": 1.0, "max_tokens": 4, "batch": 4}
    sample.run(str(policy), [long, tasks[1]], out, **how, settings=SETTINGS, seed=0, say=print)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    empty = [row for row in rows if row["task_id"] == long.id]
    assert len(rows) == 4
    assert [(row["reply"], row["finish_reason"], row["prompt_tokens"] > 4096) for row in empty] == [
        ("", "length", True)
    ] * 2


def test_what_is_asked_is_what_training_asks(tmp_path: Path) -> None:
    task = make_task()
    [(name, messages)] = sample.left_to_ask([task], 1, sample.Counter(), SETTINGS)
    wanted = attempt.question(task, (), round=7, rng=random.Random(1), settings=SETTINGS).messages
    assert (name, messages) == (task.id, wanted)


def test_replies_of_a_file_are_those_of_the_task(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    rows = [
        {"task_id": "a", "reply": "one", "prompt_tokens": 7, "completion_tokens": 2, "finish_reason": "stop"},
        {"task_id": "b", "reply": "other"},
        {"task_id": "a", "reply": "tw", "finish_reason": "length"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    client = llm.connect(f"replies:{path}", task_id="a")
    first, second = asyncio.run(client.complete([], 5))
    assert (first.text, first.usage.prompt_tokens, first.usage.completion_tokens) == ("one", 7, 2)
    assert (second.finish_reason, bool(second.trouble)) == ("length", True)
    with pytest.raises(ModelError, match="no further reply"):
        asyncio.run(client.complete([], 1))
    with pytest.raises(ModelError, match="train sample"):
        llm.connect("replies:nowhere.jsonl", task_id="a")
    path.write_text('{"task_id": "a", "reply": "cut')
    with pytest.raises(ModelError, match="does not end"):
        llm.connect(f"replies:{path}", task_id="a")
    with pytest.raises(UsageError, match="a model is needed"):
        llm.connect(f"replies:{path}")
    for text, words in (
        ('{"reply": "whose?"}', "expected task_id and reply"), ("{}", r"every line, found \[\]"),
        ('{"task_id": "a", "reply": "one", "prompt_tokens": "many"}', "task a: prompt_tokens: Input should be a valid"),
    ):  # fmt: skip
        path.write_text(f"{text}\n")
        with pytest.raises(ModelError, match=words):
            llm.connect(f"replies:{path}", task_id="a")


@pytest.mark.slow
def test_a_file_of_replies_becomes_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tasks").mkdir()
    Path("tasks/slow.py").write_text(SLOW)
    from cuda_l1.tasks import load

    fenced = [f"```python\n{code}\n```" for code in (FAST.replace("tanh(x) +", "tanh(x) -"), FAST)]
    Path("replies.jsonl").write_text(
        "".join(json.dumps({"task_id": load("tasks/slow.py").id, "reply": text}) + "\n" for text in fenced)
    )
    code, table = command(
        capsys, "eval", "--tasks", "tasks", "--model", "replies:replies.jsonl", "--samples", "2", "--rounds", "1",
        "--repairs", "0", "--transforms", "none", "--baselines", "eager", "--effort", "glance", "--device", "cpu",
    )  # fmt: skip
    assert code == 0
    [row] = table["rows"]
    assert (row["outcome"], row["asked"], row["statuses"]) == ("win", 2, {"PASSED": 1, "WRONG_OUTPUT": 1})


def test_tasks_are_drawn_into_a_folder_that_eval_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from cuda_l1.tasks import load_set
    from cuda_l1.train import families

    out = tmp_path / "held"
    code, said = command(capsys, "train", "tasks", "--count", "12", "--device", "cpu", "--out", str(out))
    assert code == 0
    drawn = load_set(str(out))
    assert len(drawn) == said["tasks"] == 12 - said["left_out"]
    assert {task.name.rpartition("_")[0] for task in drawn} <= set(families.split()[1])


def test_where_no_task_drawn_is_sound_there_is_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, seed = tmp_path / "out", "10"  # of that family: a chain that gives one output for all inputs
    asked = ("--families", "pointwise_chain", "--count", "1", "--seed", seed, "--device", "cpu", "--out", str(out))
    code, said = command(capsys, "train", "tasks", *asked)
    assert (code, said["error"]["type"], out.exists()) == (3, "CannotJudgeError", False)
    assert "none of the 1 tasks drawn is sound on cpu (other inputs give the same output)" in said["error"]["message"]


def test_a_file_is_no_folder_for_tasks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "file"
    out.write_text("kept")
    for place, words in ((out, "is a file: name a folder"), (out / "under", "cannot be made")):
        with pytest.raises(SystemExit) as end:
            main(["train", "tasks", "--count", "1", "--device", "cpu", "--out", str(place)])
        assert end.value.code == 2
        assert words in capsys.readouterr().err
    assert out.read_text() == "kept"


@pytest.mark.parametrize("name", ["tasks", "sample"])
def test_a_device_that_is_not_there_is_said_before_anything_is_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    out, more = tmp_path / "out", () if name == "tasks" else ("--model", "none", "--tasks", str(tmp_path))
    code, said = command(capsys, "train", name, *more, "--device", "cuda:99", "--out", str(out))
    assert (code, said["error"]["type"], out.exists()) == (3, "CannotJudgeError", False)
    assert "--device cuda:99" in said["error"]["message"]


def test_settings_of_the_command_line_go_before_the_files(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text('model = "m"\nout = "o"\nsteps = 5\n[tasks]\ncount = 7\n')
    config = load(
        ContrastiveConfig,
        path,
        ["steps=9", "out=else/where", "tasks.seed=3", "strategy=island", 'judge.baselines=["eager"]'],
    )
    assert (config.model, config.out, config.steps, config.strategy) == ("m", "else/where", 9, "island")
    assert (config.tasks.count, config.tasks.seed, config.judge.baselines) == (7, 3, ("eager",))
    for text, words in (("steps", "KEY=VALUE"), ("steps.more=1", "no table"), ("stepps=1", "unknown key stepps")):
        with pytest.raises(ConfigError, match=words):
            load(ContrastiveConfig, path, [text])


@pytest.mark.parametrize("complete", [True, False, None])
def test_the_rows_gather_their_exemplars_until_all_tasks_were_gone_through(
    tmp_path: Path, complete: bool | None
) -> None:
    if complete is not None:
        (tmp_path / "exemplars").mkdir()
        (tmp_path / "exemplars" / "manifest.json").write_text(json.dumps({"complete": complete, "tasks": 3}, indent=1))
    script = "source runs/rows/common.sh; cuda-l1() { echo asked; }; exemplars"
    done = subprocess.run(
        ["bash", "-c", script], cwd=Path(__file__).parent.parent, capture_output=True, text=True, check=True,
        env=os.environ | {"OUT": str(tmp_path), "KERNELBENCH": "none", "JUDGE": "cpu"},
    )  # fmt: skip
    assert done.stdout == ("" if complete else "asked\n")


def test_rows_are_scripts_that_judge_equally_many_answers() -> None:
    root = Path(__file__).parent.parent
    assert sorted(path.stem for path in (root / "runs/rows").glob("*.sh")) == sorted(ROWS)
    for name in ROWS:
        subprocess.run(["bash", "-n", str(root / f"runs/rows/{name}.sh")], check=True)
    a_step = set()
    for kind, name in ((SelfsupConfig, "selfsup"), (ContrastiveConfig, "contrastive")):
        config: Any = load(kind, root / f"runs/{name}.toml")
        a_step.add(config.groups * config.group_size)
    assert a_step == {48}


def _rows(script: str, out: Path, **environment: str) -> str:
    """What a script asks of cuda-l1, a line a call: a stage leaves a model, and a test its table."""
    folder = out / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cuda-l1").write_text(_ASKED)
    (folder / "python").write_text(f"#!/bin/sh\necho {out}\n")  # where the builtin model lies
    for path in folder.iterdir():
        path.chmod(0o755)
    (out / "asked").unlink(missing_ok=True)
    subprocess.run(
        ["bash", "-c", script], cwd=Path(__file__).parent.parent, capture_output=True, text=True, check=True,
        env=os.environ | {"OUT": str(out), "KERNELBENCH": "none", "JUDGE": "cpu", "GPUS": "0", **environment,
                          "PATH": f"{folder}:{os.environ['PATH']}"},
    )  # fmt: skip
    return (out / "asked").read_text() if (out / "asked").exists() else ""


_ASKED = """#!/bin/bash
echo "$*" >>"$OUT/asked"
for each; do
    place=${each#out=}
    [ "$place" = "$each" ] || { mkdir -p "$place/model"; touch "$place/model/config.json" "$place/archive.sqlite"; }
    [ "$before" != --out ] || last=$each
    [ "$before" != --out ] || case $each in *jsonl) mkdir -p "$(dirname "$each")"; touch "$each" ;; esac
    before=$each
done
[ "$1" != eval ] || { mkdir -p "$last/latest"; touch "$last/latest/summary.json"; }
"""


def test_a_row_that_was_cut_short_goes_on_and_others_take_it_as_it_is(tmp_path: Path) -> None:
    for name in ("sft", "long"):
        (tmp_path / name / "model").mkdir(parents=True)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/model").symlink_to(tmp_path / "sft/model")
    common = "source runs/rows/common.sh; "
    assert _rows(f"{common}selfsup long 9", tmp_path) == ""
    assert "steps=9" in _rows(f"{common}GO_ON=1; selfsup long 9", tmp_path)
    assert _rows(f"{common}GO_ON=1; selfsup linked 9", tmp_path) == ""


def test_a_row_that_went_on_is_asked_anew(tmp_path: Path) -> None:
    model, replies = tmp_path / "row/model", tmp_path / "test/row/greedy/replies.jsonl"
    script = f'source runs/rows/common.sh; asked row/greedy "{model}" tasks 1 0'
    for path in (model / "config.json", replies):
        path.parent.mkdir(parents=True)
        path.write_text("old")
    os.utime(model / "config.json", (1, 1))
    _rows(script, tmp_path)
    assert replies.read_text() == "old"
    os.utime(replies, (0, 0))
    _rows(script, tmp_path)
    assert replies.read_text() == ""


def test_rows_from_the_builtin_model_do_not_count_its_stage_twice(tmp_path: Path) -> None:
    steps = {"SELFSUP_STEPS": "3", "CONTRASTIVE_STEPS": "5", "ROWS": "selfsup copies none-2"}
    asked = _rows("runs/rows/all.sh", tmp_path, STAGES="builtin", **steps).splitlines()
    trained = {
        kind: [line for line in asked if line.startswith(f"train {kind}")] for kind in ("selfsup", "contrastive", "sft")
    }
    assert [line.count("steps=5") for kind in ("selfsup", "contrastive") for line in trained[kind]] == [1, 1]
    assert "strategy=none --set seed=2" in trained["contrastive"][0]
    assert "--config runs/sft-copies.toml" in trained["sft"][0]
    assert len(trained["sft"]) == 1
    asked = _rows("runs/rows/all.sh", tmp_path / "all", **steps | {"ROWS": "selfsup"}).splitlines()
    assert [
        f"steps={n}" in line
        for n, line in zip((3, 8), (a for a in asked if a.startswith("train selfsup")), strict=True)
    ] == [True] * 2


@pytest.mark.parametrize("text", ["notes without a line's end", '{"task_id": "t", "reply": "r"}\n'])
@pytest.mark.parametrize("beside", [None, "{"])
def test_a_file_that_is_none_of_ours_is_not_written_to(tmp_path: Path, text: str, beside: str | None) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text(text)
    if beside is not None:
        (tmp_path / "out.asked.json").write_text(beside)
    tasks, policy = make_tasks(tmp_path / "tasks.jsonl", 1), make_policy(tmp_path / "policy")
    how: dict[str, Any] = {"samples": 1, "temperature": 1.0, "max_tokens": 4, "batch": 1, "seed": 0, "say": print}
    with pytest.raises(UsageError, match=r"out\.asked\.json, which says how its answers were asked for, does not read"):
        sample.run(str(policy), tasks, out, settings=SETTINGS, **how)
    assert out.read_text() == text
    with pytest.raises(UsageError, match="is a folder: name a file"):
        sample.run(str(policy), tasks, tmp_path, settings=SETTINGS, **how)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (".", "name a new folder"), ("..", "name a new folder"), ("link", "is a link"), ("loop", "is a link"),
        ("full", "is not empty"), ("pipe", "is a file: name a folder"),
    ],
)  # fmt: skip
def test_tasks_are_drawn_into_a_folder_of_their_own_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, words: str
) -> None:
    (tmp_path / "full" / "kept").mkdir(parents=True)
    (tmp_path / "here").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "link").symlink_to("here")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path / "here" if name.startswith(".") else tmp_path)
    code, said = command(capsys, "train", "tasks", "--count", "1", "--device", "cpu", "--out", name)
    assert (code, said["error"]["type"]) == (2, "UsageError"), said
    assert words in said["error"]["message"]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["full", "here", "link", "loop", "pipe"]


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_a_temperature_is_a_number(tmp_path: Path, capsys: pytest.CaptureFixture[str], value: str) -> None:
    given = ("--model", "none", "--tasks", str(tmp_path), "--out", str(tmp_path / "out"), "--temperature", value)
    code, said = command(capsys, "train", "sample", *given)
    assert (code, said["error"]["message"].partition(":")[0]) == (2, f"--temperature {value}")


def test_a_folder_is_no_file_for_a_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("kept")
    for place, words in ((tmp_path, "is a folder: name a file"), (tmp_path / "file" / "under", "cannot be made")):
        code, said = command(capsys, "train", "corpus", "--packages", "torch", "--out", str(place))
        assert code == 2
        assert words in said["error"]["message"]
