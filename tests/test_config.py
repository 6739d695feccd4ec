"""Layers of settings, and the errors of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_l1.config import Budget, OptimizeConfig, VerifyConfig, load
from cuda_l1.errors import ConfigError


def write(folder: Path, text: str) -> Path:
    (folder / "cuda-l1.toml").write_text(text)
    return folder


def test_flags_over_environment_over_file_over_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, 'version = 1\neffort = "strict"\nmode = "train"\nprecision = "bf16"\n[optimize]\nsamples = 7\n')
    monkeypatch.setenv("CUDA_L1_MODE", "eval")
    monkeypatch.setenv("CUDA_L1_PRECISION", "fp16")
    config = load(OptimizeConfig, {"precision": "fp32", "rounds": None}, tmp_path)
    assert (config.effort, config.mode, config.precision) == ("strict", "eval", "fp32")
    assert (config.samples, config.rounds) == (7, 8)


def test_a_table_is_for_its_command_alone(tmp_path: Path) -> None:
    write(tmp_path, '[verify]\neffort = "quick"\n')
    assert load(VerifyConfig, {}, tmp_path).effort == "quick"
    assert load(OptimizeConfig, {}, tmp_path).effort == "normal"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("efort = 'quick'", "unknown key efort; did you mean effort?"),
        ("[optimize]\nsample = 1", "unknown key [optimize] sample; did you mean samples"),
        ("[optimise]\nsamples = 1", "unknown key optimise"),
        ("version = 9", "version 9; this cuda-l1 reads version 1"),
        ("effort = ", "does not read as TOML"),
        ("effort = 'fast'", "setting effort (cuda-l1.toml)"),
        ("optimize = 3", "must be a table"),
        ("sandbox = 'none'", "give --sandbox none, or set CUDA_L1_SANDBOX=none"),
        ("[optimize]\nsandbox = 'none'", "which no file of a folder may say: take it out there"),
    ],
)
def test_bad_file(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ConfigError) as error:
        load(OptimizeConfig, {}, write(tmp_path, text))
    assert words in str(error.value)


def test_who_judges_may_take_the_sandbox_away_and_no_file_beside_the_candidate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "sandbox = 'auto'")
    assert load(OptimizeConfig, {"sandbox": "none"}, tmp_path).sandbox == "none"
    monkeypatch.setenv("CUDA_L1_SANDBOX", "none")
    assert load(OptimizeConfig, {}, tmp_path).sandbox == "none"


def test_a_file_that_does_not_read_and_one_with_a_byte_order_mark(tmp_path: Path) -> None:
    write(tmp_path, "\ufeffeffort = 'quick'")
    assert load(OptimizeConfig, {}, tmp_path).effort == "quick"
    (tmp_path / "cuda-l1.toml").unlink()
    (tmp_path / "cuda-l1.toml").symlink_to("/proc/self/mem")
    with pytest.raises(ConfigError, match=r"cuda-l1\.toml does not read as TOML: .*Input/output error"):
        load(OptimizeConfig, {}, tmp_path)


def test_bad_environment_names_its_layer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_L1_ROUNDS", "many")
    with pytest.raises(ConfigError, match=r"setting rounds \(environment\)"):
        load(OptimizeConfig, {}, tmp_path)


def test_an_unknown_setting_of_the_environment_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CUDA_L1_API_KEY", "CUDA_L1_DEBUG", "CUDA_L1_TEST_POSTGRES", "CUDA_L1_CLAIM"):
        monkeypatch.setenv(name, "3")  # the last is a setting of another command
    assert load(OptimizeConfig, {}, tmp_path).effort == "normal"
    monkeypatch.setenv("CUDA_L1_EFORT", "quick")
    with pytest.raises(ConfigError, match=r"unknown setting CUDA_L1_EFORT; did you mean CUDA_L1_EFFORT"):
        load(OptimizeConfig, {}, tmp_path)


def test_a_rule_about_several_settings_says_no_more_than_that(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        load(VerifyConfig, {"cores": 2}, tmp_path)
    assert str(error.value) == (
        "settings (command line): cores are a CPU's: expected device cpu beside them, found none"
    )


def test_budget_reads_all_units() -> None:
    assert Budget.parse("2usd, 200ktok,1.5min,30attempts") == Budget(2, 200_000, 90, 30)
    assert Budget.parse("") == Budget()


def test_bad_budget_says_the_units(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="budget '3 apples': expected a number and one of usd"):
        load(OptimizeConfig, {"budget": "3 apples"}, tmp_path)


def test_a_price_is_two_numbers(tmp_path: Path) -> None:
    assert load(OptimizeConfig, {"price": "0.75, 4.5"}, tmp_path).price_each == (0.75, 4.5)
    assert load(OptimizeConfig, {}, tmp_path).price_each is None
    with pytest.raises(ConfigError, match=r"price.*expected IN,OUT"):
        load(OptimizeConfig, {"price": "3"}, tmp_path)
