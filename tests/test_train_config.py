"""Configs of the three stages: what is wrong is named before anything is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="needs the extra `train`")

import torch
import transformers
from click.testing import CliRunner

from cuda_l1 import cli
from cuda_l1.errors import ConfigError
from cuda_l1.train import reinforce
from cuda_l1.train.config import ContrastiveConfig, SelfsupConfig, SftConfig, load
from cuda_l1.train.data_config import DataConfig

pytestmark = [
    # TRL, transformers and torch of these versions warn about one another.
    pytest.mark.filterwarnings("ignore"),
]
ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("kind", "change", "said"),
    [
        (ContrastiveConfig, {"group_sizes": 8}, "unknown key group_sizes; did you mean group_size"),
        (ContrastiveConfig, {"judge": {"wokers": 3}}, "unknown key judge.wokers; did you mean workers"),
        (ContrastiveConfig, {"strategy": "buckets"}, "strategy: .*'buckets'"),
        (ContrastiveConfig, {"group_size": 1}, "group_size: .*found 1"),
        (ContrastiveConfig, {"judge": {"devices": ["gpu0"]}}, "expected cpu, cuda or cuda:N"),
        (SelfsupConfig, {"beta": 0.1}, "unknown key beta"),
    ],
)
def test_a_config_with_a_fault_says_which(rolled: Any, kind: Any, change: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load(kind, rolled(**change))


def test_an_unknown_key_within_a_list_is_named_with_the_near_one(tmp_path: Path) -> None:
    path = tmp_path / "data.toml"
    path.write_text('out = "o"\n[[models]]\nmodel = "m"\nlicnse = "MIT"\n')
    with pytest.raises(ConfigError, match=r"unknown key models\.0\.licnse; did you mean licence"):
        load(DataConfig, path)


def test_a_judge_on_cuda_shares_the_device_of_a_training_on_cuda_0(rolled: Any) -> None:
    for devices, shares in ((["cuda"], True), (["cuda:0"], True), (["cpu"], False), (["cuda:1"], False), ([], True)):
        config = load(ContrastiveConfig, rolled(judge={"devices": devices}))
        assert reinforce.shares_device(config, torch.device("cuda:0")) == shares


def test_a_config_of_another_stage_is_refused(rolled: Any) -> None:
    with pytest.raises(ConfigError, match="unknown key steps"):
        load(SftConfig, rolled(data="x.jsonl"))


def test_a_missing_setting_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text('model = "m"\nout = "o"\n')
    with pytest.raises(ConfigError, match="steps is missing"):
        load(SelfsupConfig, tmp_path / "x.toml")


@pytest.mark.parametrize(
    ("trl", "said"),
    [
        ({"top_q": 0.9}, "TRL knows no such setting; did you mean top_"),
        ({"seed": 3}, "is set by the stage itself"),
        ({"loss_type": "grpo2", "use_vllm": 3}, "loss_type is set by the stage itself"),
    ],
)
def test_what_goes_to_trl_is_checked(rolled: Any, trl: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        reinforce.grpo_arguments(load(ContrastiveConfig, rolled(trl=trl)))


def test_a_tracker_that_is_not_installed_is_said(rolled: Any) -> None:
    if transformers.integrations.is_trackio_available():
        pytest.skip("trackio is installed here")
    with pytest.raises(ConfigError, match="report_to names trackio, which is not installed: pip install trackio"):
        reinforce.grpo_arguments(load(ContrastiveConfig, rolled(report_to=["trackio"])))


def test_rows_that_do_not_divide_are_refused_before_anything_is_loaded(rolled: Any) -> None:
    config = load(ContrastiveConfig, rolled(micro_batch=3))
    with pytest.raises(ConfigError, match="8 rows a step do not divide by 1 processes x micro_batch 3"):
        reinforce.grpo_arguments(config)


def test_a_bad_config_ends_the_command_with_exit_code_2(rolled: Any) -> None:
    path = rolled(group_sizes=8)
    done = CliRunner().invoke(cli.cli, ["train", "contrastive", "--config", str(path)])
    assert isinstance(done.exception, ConfigError)
    assert done.exception.exit_code == 2


@pytest.mark.parametrize("path", sorted((ROOT / "runs").glob("*.toml")), ids=lambda path: path.name)
def test_the_configs_in_runs_read(path: Path) -> None:
    kinds = {"data": DataConfig, "corpus": SftConfig, "sft": SftConfig, "selfsup": SelfsupConfig,
             "contrastive": ContrastiveConfig}  # fmt: skip
    config: Any = load(kinds[path.stem.partition("-")[0]], path)
    assert config.out == f"runs/{path.stem}"


def test_a_mark_of_utf_8_is_no_part_of_a_config(tmp_path: Path) -> None:
    path = tmp_path / "sft.toml"
    path.write_text('model = "m"\nout = "o"\ndata = "d"\n', encoding="utf-8-sig")
    assert load(SftConfig, path).data == "d"


def test_a_config_that_no_json_can_hold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.toml"
    path.write_text('out = "o"\n')
    with pytest.raises(ConfigError, match="min_speedup: Input should be a finite number; found inf"):
        load(DataConfig, path, ["min_speedup=inf"])
