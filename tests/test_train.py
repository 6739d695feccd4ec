"""The three stages on a policy of a few thousand weights: real steps, real checkpoints, a judge with known speeds."""

from __future__ import annotations

import itertools
import json
import math
import multiprocessing
import signal
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="needs the extra `train`")

import torch
import toy_run
import trl
from click.testing import CliRunner
from safetensors.torch import load_file
from toy_policy import OTHER, RIGHT, block, make_tasks

from cuda_l1 import cli, decode, journal, reward
from cuda_l1.archive import Archive
from cuda_l1.errors import ConfigError, CudaL1Error, UsageError
from cuda_l1.train import checkpoint, metrics
from cuda_l1.train.config import ContrastiveConfig, load
from cuda_l1.types import Status

pytestmark = [
    # TRL, transformers and torch of these versions warn about one another.
    pytest.mark.filterwarnings("ignore"),
]
APART = multiprocessing.get_context("spawn" if torch.cuda.is_available() else "fork")
"""How another process begins: none that has used a GPU may be forked."""
CLOCK = {"time", "tokens_per_s", "judged_per_s", "step_time", "judged", "judging_s"}
"""Figures that depend on the clock, or on what a killed run had judged already."""


def killed(stage: str, path: Path, step: int) -> None:
    """A run in its own process, which ends itself with kill -9 after that step. A fork of this one, which has imported
    what it needs: that takes longer than the run."""
    process = APART.Process(target=toy_run.run_until_killed, args=(stage, path, step))
    process.start()
    process.join(300)
    assert process.exitcode == -signal.SIGKILL


def curve(folder: Path) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in row.items() if key not in CLOCK} for row in journal.lines(folder / metrics.FILE)
    ]


def same_weights(one: Path, other: Path) -> bool:
    a, b = (load_file(folder / "model" / "model.safetensors") for folder in (one, other))
    return all(torch.equal(a[name], b[name]) for name in a.keys() | b.keys())


# Resuming.


@pytest.mark.slow
def test_contrastive_killed_between_steps_ends_as_if_it_had_not_been(rolled: Any, tmp_path: Path) -> None:
    settings = {"beta": 0.05, "strategy": "bucket"}
    [whole] = toy_run.run("contrastive", rolled("whole", **settings))
    killed("contrastive", rolled("cut", **settings), step=3)
    cut = tmp_path / "cut"
    assert [path.name for path in sorted(cut.glob("checkpoint-*"))] == ["checkpoint-2"]
    lost = len(_attempts(cut))
    assert lost == 24, "the third step's answers are in the archive, and will be there twice"
    with pytest.raises(UsageError, match="--resume"):
        toy_run.run("contrastive", tmp_path / "cut.toml")
    [resumed] = toy_run.run("contrastive", tmp_path / "cut.toml", resume=True)
    assert curve(cut) == curve(tmp_path / "whole")
    assert [row["step"] for row in curve(cut)] == [1, 2, 3, 4, 5]
    assert same_weights(cut, tmp_path / "whole")
    assert resumed.rollouts.known == whole.rollouts.known
    assert len(_attempts(cut)) == 40 + 8
    assert len({row["loss"] for row in curve(cut)}) > 1, "a policy that does not move would resume exactly too"
    assert any(row["kl"] > 0 for row in curve(cut))
    asked = _attempts(tmp_path / "whole")
    assert any("clamp_min" in each.prompt and each.exemplar_ids for each in asked[8:]), "exemplars are written back"
    assert not any(each.exemplar_ids for each in asked[:8])
    card = (cut / "README.md").read_text()
    for words in ("stage `contrastive`", "| reward |", "3, digest", "torch: 2", '"beta": 0.05'):
        assert words in card


@pytest.mark.slow
def test_a_run_that_stops_after_its_time_leaves_a_model_and_goes_on(rolled: Any, tmp_path: Path) -> None:
    toy_run.run("contrastive", rolled("whole"))
    for seconds, steps in ((0.001, [1]), (0.001, [1, 2]), (3600.0, [1, 2, 3, 4, 5])):
        toy_run.run("contrastive", rolled("parts", stop_after_s=seconds), resume=True)
        assert [row["step"] for row in curve(tmp_path / "parts")] == steps
        assert (tmp_path / "parts" / "model" / "model.safetensors").is_file()
    assert curve(tmp_path / "parts") == curve(tmp_path / "whole")
    assert same_weights(tmp_path / "parts", tmp_path / "whole")


def _attempts(folder: Path) -> list[Any]:
    with Archive(folder / "archive.sqlite") as archive:
        return archive.attempts("toy-contrastive")


@pytest.fixture
def taught(written: Any, tmp_path: Path) -> Any:
    """The same for stage 1, on eight rows."""
    rows = [
        {"prompt": [{"role": "user", "content": f"{'so ' * n}it goes"}],
         "completion": [{"role": "assistant", "content": f"Perhaps {block(code)}"}]}
        for n in range(4) for code in (RIGHT, OTHER)
    ]  # fmt: skip
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = {
        "data": str(tmp_path / "data.jsonl"), "epochs": 3, "batch": 4, "micro_batch": 2, "lora_rank": 0,
        "learning_rate": 0.02, "save_every": 1,
    }  # fmt: skip
    return lambda name="out", **changed: written(name, **{**settings, **changed})


def test_sft_killed_between_steps_ends_as_if_it_had_not_been(taught: Any, tmp_path: Path) -> None:
    toy_run.run("sft", taught("whole"))
    killed("sft", taught("cut"), step=4)
    toy_run.run("sft", tmp_path / "cut.toml", resume=True)
    found = curve(tmp_path / "cut")
    assert found == curve(tmp_path / "whole")
    assert [row["step"] for row in found] == [1, 2, 3, 4, 5, 6]
    assert found[-1]["loss"] < 0.8 * found[0]["loss"]
    assert same_weights(tmp_path / "cut", tmp_path / "whole")


def test_sft_does_not_go_on_within_other_data(taught: Any, tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    before = data.read_text()
    toy_run.run("sft", taught(stop_after_s=0.001))
    data.write_text(before + before.splitlines(keepends=True)[0])
    with pytest.raises(ConfigError, match=r"data\.jsonl is not what .*out was begun with"):
        toy_run.run("sft", taught(), resume=True)
    data.write_text(before)
    toy_run.run("sft", taught(), resume=True)
    assert [row["step"] for row in curve(tmp_path / "out")] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("stage", "fault", "said"),
    [
        ("sft", {"model": "no/such/model"}, "no/such/model"),
        ("contrastive", {"model": "no/such/model"}, "no/such/model"),
        ("contrastive", {"max_tokens": 4096}, "leaves no room for a question"),
    ],
)
def test_a_start_that_failed_is_corrected_in_the_same_folder(
    rolled: Any, taught: Any, tmp_path: Path, stage: str, fault: dict[str, Any], said: str
) -> None:
    config = taught if stage == "sft" else rolled
    with pytest.raises(CudaL1Error, match=said):
        toy_run.run(stage, config(stop_after_s=0.001, **fault))
    make_tasks(tmp_path / "tasks.jsonl", count=2)  # corrected as well
    trainers = toy_run.run(stage, config(stop_after_s=0.001))
    assert [row["step"] for row in curve(tmp_path / "out")] == [1]
    assert all(len(trainer.rollouts.tasks) == 2 for trainer in trainers)


def test_a_checkpoint_cut_off_is_not_resumed_from(tmp_path: Path) -> None:
    for step, whole in ((5, True), (10, True), (15, False)):
        folder = tmp_path / f"checkpoint-{step}"
        folder.mkdir()
        if whole:
            checkpoint.write(folder / checkpoint.MARK, {"known": [str(step)]})
    found, state = checkpoint.begin(tmp_path, True, dict)
    assert (found, state) == (tmp_path / "checkpoint-10", {"known": ["10"]})
    assert not (tmp_path / "checkpoint-15").exists()


def test_a_start_that_was_cut_off_begins_with_what_it_knew(tmp_path: Path) -> None:
    checkpoint.begin(tmp_path, False, lambda: {"known": ["a"]})
    assert checkpoint.begin(tmp_path, True, lambda: {"known": ["a", "b"]}) == (None, {"known": ["a"]})


def test_resuming_with_another_config_is_refused(rolled: Any, tmp_path: Path) -> None:
    from cuda_l1.train.config import unchanged

    unchanged(tmp_path, load(ContrastiveConfig, rolled()))
    unchanged(tmp_path, load(ContrastiveConfig, rolled(steps=9)))
    judge = {"devices": ["cuda:0"], "workers": 3, "session": 2}  # another machine
    unchanged(tmp_path, load(ContrastiveConfig, rolled(steps=9, judge=judge)))
    with pytest.raises(ConfigError, match=r"begun with group_size = 4, the config now says 2"):
        unchanged(tmp_path, load(ContrastiveConfig, rolled(group_size=2)))
    with pytest.raises(ConfigError, match=r"begun with judge.effort = 'glance', the config now says 'quick'"):
        unchanged(tmp_path, load(ContrastiveConfig, rolled(steps=9, judge={**judge, "effort": "quick"})))


# The numbers of one step.


def test_one_step_of_grpo_is_the_step_worked_out_by_hand(rolled: Any, policy: Path, tmp_path: Path) -> None:
    """On-policy, all weights, plain SGD with rate 1: the weights move by the gradient of the mean over answers of
    advantage times the mean log-probability of the answer's tokens; at the first step the KL term has no gradient."""
    from transformers import AutoModelForCausalLM

    sgd = {"optim": "sgd", "max_grad_norm": 0.0}
    path = rolled(steps=1, lora_rank=0, learning_rate=1.0, beta=0.05, trl=sgd, micro_batch=2)
    [trainer] = toy_run.run("contrastive", path)
    before: Any = AutoModelForCausalLM.from_pretrained(policy, dtype=torch.float32)
    total = torch.tensor(0.0)
    for batch in trainer._buffered_inputs:
        ids = torch.cat([batch["prompt_ids"], batch["completion_ids"]], dim=1)
        seen = torch.cat([batch["prompt_mask"], batch["completion_mask"]], dim=1)
        length = batch["completion_ids"].size(1)
        logits = before(input_ids=ids, attention_mask=seen).logits[:, -length - 1 : -1]
        likely = torch.log_softmax(logits, -1).gather(-1, batch["completion_ids"].unsqueeze(-1)).squeeze(-1)
        mask = batch["completion_mask"]
        total = total + (batch["advantages"] * (likely * mask).sum(-1) / mask.sum(-1)).sum()
    (total / 8).backward()
    after = load_file(tmp_path / "out" / "model" / "model.safetensors")
    moved = 0.0
    for name, weight in before.named_parameters():
        if name in after:
            torch.testing.assert_close(after[name], weight.detach() + weight.grad, rtol=1e-4, atol=1e-6)
            moved += (after[name] - weight.detach()).abs().sum().item()
    assert moved > 0.01


def test_a_step_without_a_finite_gradient_leaves_the_weights_alone(
    rolled: Any, policy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the second step, when AdamW has the first one's momentum."""
    toy_run.run("contrastive", rolled("one", steps=1, lora_rank=0))
    true, groups = reward.advantages, itertools.count()
    monkeypatch.setattr(
        reward,
        "advantages",
        lambda group, measure: true(group, measure) if next(groups) < 2 else [math.nan] * len(group),
    )
    toy_run.run("contrastive", rolled("two", steps=2, lora_rank=0))
    before, after = (load_file(tmp_path / name / "model" / "model.safetensors") for name in ("one", "two"))
    assert all(torch.equal(before[name], after[name]) for name in after)
    begun = load_file(policy / "model.safetensors")
    assert any(not torch.equal(begun[name], after[name]) for name in after)
    said = capsys.readouterr().out
    assert said.count("the gradient is not finite") == 1
    assert "step 2: the gradient is not finite, the weights stay as they are" in said
    assert not torch.backends.cuda.cudnn_sdp_enabled(), "one that is known to give such gradients on Hopper"


def test_selfsup_learns_from_what_passed_and_from_nothing_else(rolled: Any, tmp_path: Path) -> None:
    [trainer] = toy_run.run("selfsup", rolled(steps=2, learning_rate=0.02, groups=4, generate_together=4))
    batch = [answer.status for answer in trainer.rollouts.judged]
    advantages = sorted(value for each in trainer._buffered_inputs for value in each["advantages"].tolist())
    passed = batch.count(Status.PASSED)
    assert 0 < passed < len(batch)
    assert advantages == pytest.approx([0.0] * (len(batch) - passed) + [len(batch) / passed] * passed)
    with Archive(tmp_path / "out" / "archive.sqlite") as archive:
        asked = archive.attempts("toy-selfsup")
        assert all(each.exemplar_ids == () for each in asked)
        written = {archive.candidate(each.candidate_id).origin for each in asked if each.candidate_id}  # type: ignore[union-attr]
    assert written == {"policy"}
    assert len(curve(tmp_path / "out")) == 2


@pytest.mark.parametrize("lora_rank", [0, 4])
def test_our_own_generation_takes_the_place_of_trls_unless_trl_is_told_more(
    rolled: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lora_rank: int
) -> None:
    monkeypatch.setattr(decode, "possible", decode.steady)  # on a CPU too
    monkeypatch.delattr(trl.GRPOTrainer, "_generate_single_turn")
    settings = {"steps": 2, "groups": 4, "generate_together": 4, "lora_rank": lora_rank}
    checkpointed = {"gradient_checkpointing": True}
    [trainer] = toy_run.run("selfsup", rolled(**settings, trl=checkpointed))
    assert {Status.PASSED} < {answer.status for answer in trainer.rollouts.judged}
    assert len(curve(tmp_path / "out")) == 2
    assert trainer.accelerator.unwrap_model(trainer.model).is_gradient_checkpointing
    with pytest.raises(AttributeError, match="_generate_single_turn"):
        toy_run.run("selfsup", rolled("told", **settings, trl={"top_k": 5}))


@pytest.mark.slow
def test_reward_alone_turns_a_poor_policy_into_one_that_writes_the_fastest_code(rolled: Any, tmp_path: Path) -> None:
    settings = {"steps": 9, "groups": 4, "group_size": 8, "micro_batch": 32, "lora_rank": 0, "save_every": 100}
    [trainer] = toy_run.run("contrastive", rolled(**settings, strategy="none", beta=0.0))
    success = [row["success"] for row in curve(tmp_path / "out")]
    assert success[0] < 0.3
    assert success[-1] > 0.6
    with Archive(tmp_path / "out" / "archive.sqlite") as archive:
        codes = [archive.candidate(each.candidate_id).code for each in trainer.rollouts.judged if each.candidate_id]  # type: ignore[union-attr]
    assert codes.count(OTHER) > 0.8 * len(codes)


def test_the_command_trains_on_the_real_judge(rolled: Any, tmp_path: Path) -> None:
    judging = {"baselines": ["eager"], "workers": 1}
    rows = {"groups": 1, "group_size": 6, "micro_batch": 3, "generate_together": 3, "max_tokens": 6}
    path = rolled(steps=1, judge=judging, **rows)
    done = CliRunner().invoke(cli.cli, ["train", "contrastive", "--config", str(path), "--json"])
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout.strip().splitlines()[-1])
    assert (tmp_path / "out" / "model" / "model.safetensors").samefile(Path(result["out"]) / "model.safetensors")
    card = (tmp_path / "out" / "README.md").read_text()
    assert card == (Path(result["out"]) / "README.md").read_text()
    with Archive(tmp_path / "out" / "archive.sqlite") as archive:
        asked = archive.attempts("contrastive-out")
        judged = {each.candidate_id: each.status for each in archive.evaluations("contrastive-out")}
        written = [each.candidate_id for each in asked]
        assert {archive.candidate(name).origin for name in judged} == {"policy"}  # type: ignore[union-attr]
    assert len(asked) == 6
    assert set(judged) == set(filter(None, written))
    passed = [name for name in written if judged.get(name) is Status.PASSED]  # type: ignore[call-overload]
    assert result["results"]["success"] == pytest.approx(len(passed) / 6)
    assert result["results"]["left_out"] == 0


# Two processes.


def test_two_processes_ask_one_question_a_group_and_compare_all_its_answers(rolled: Any, tmp_path: Path) -> None:
    """A group of 4 spans two processes of 2 answers each."""
    path = rolled(steps=2, groups=2, micro_batch=2, tasks={"file": str(tmp_path / "tasks.jsonl")}, strategy="random")
    make_tasks(tmp_path / "tasks.jsonl", count=1)
    port = _free_port()
    started = [APART.Process(target=toy_run.run_as_rank, args=("contrastive", path, r, 2, port)) for r in (0, 1)]
    for process in started:
        process.start()
    for process in started:
        process.join(300)
    assert [process.exitcode for process in started] == [0, 0]
    ranks = [json.loads((tmp_path / f"rank-{rank}.json").read_text()) for rank in (0, 1)]
    asked = [*ranks[0]["asked"], *ranks[1]["asked"]]
    assert [len(rank["asked"]) for rank in ranks] == [4, 4]
    assert all(question == asked[0] for question in asked[:4])
    assert all(question == asked[4] for question in asked[4:])
    assert asked[0][1], "in the second step there are exemplars, so equal questions are no accident"
    assert ranks[0]["known"] == ranks[1]["known"], "each process learns of the other's candidates"

    names = [*ranks[0]["answers"], *ranks[1]["answers"]]
    with Archive(tmp_path / "out" / "archive.sqlite") as archive:
        evaluations = {each.candidate.id: each.evaluation for each in archive.ranked("local/relu-0")}
    worth = [reward.score(evaluations[name], "certain") if name else reward.NOTHING for name in names]
    expected = [*reward.advantages(worth[:4], "certain"), *reward.advantages(worth[4:], "certain")]
    found = [*ranks[0]["advantages"], *ranks[1]["advantages"]]
    assert any(found), "a group of equal rewards would compare equal in any order"
    assert sorted(found) == pytest.approx(sorted(expected), abs=1e-6)
    for rank, mine in ((0, expected[:4]), (1, expected[4:])):
        assert sorted(ranks[rank]["advantages"]) == pytest.approx(sorted(mine), abs=1e-6)


def _free_port() -> str:
    import socket

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])
