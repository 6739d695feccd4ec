"""What passed becomes rows to train on, and nothing is asked or judged twice for it."""

import json

import pytest
from records import make_evaluation, make_task, make_win
from scripted import Scripted

from cuda_l1 import journal, parsing
from cuda_l1.archive import Archive
from cuda_l1.errors import CannotJudgeError, ConfigError, ModelError, TaskError, UsageError
from cuda_l1.judge import JudgeConfig
from cuda_l1.machine import environment
from cuda_l1.train import data, families
from cuda_l1.train.data_config import DataConfig, ModelSource
from cuda_l1.types import Finding, Status, Verdict, to_json

TASK = make_task()
UNUSED = next(each for each in families.generate(0, 20, ["redundant_algebra"]) if "unused" in each.source)
REPLY = "## Performance Analysis\nSlow.\n\n## Algorithm Design\nFaster.\n\n## Code Implementation\n```python\n{}\n```"
CODE = "import torch\n\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return x.clamp_min({})"


class ScriptedJudge:
    """Passes what holds one of the words given, FAST unless it holds one of `slow`, and remembers what it was asked."""

    def __init__(self, *passing, slow=(), degenerate=False, error=None):
        self.passing, self.slow, self.degenerate, self.error, self.asked = passing, slow, degenerate, error, []

    def __call__(self, jobs):
        for index, (_, candidates) in enumerate(jobs):
            self.asked += [candidate.id for candidate in candidates]
            yield index, self.error or [self._evaluation(candidate) for candidate in candidates]

    def _evaluation(self, candidate):
        if not any(word in candidate.code for word in self.passing):
            return make_evaluation(candidate, Status.WRONG_OUTPUT)
        if self.degenerate:
            return make_evaluation(candidate, degenerate=True)
        return make_win(candidate, 1.5, eager=0.94 if any(word in candidate.code for word in self.slow) else 1.5)


def replies(*numbers):
    return [REPLY.format(CODE.format(number)) for number in numbers]


@pytest.fixture
def build(tmp_path):
    """Builds rows of tasks with a client of the replies given; the builder and what it returned."""

    def carry_out(tasks, *, said=(), judge=None, techniques=None, **settings):
        config = DataConfig(out=str(tmp_path), **settings)
        client = Scripted(said, "scripted")
        generators = [data.Generator("scripted", "MIT", client)]
        if techniques is not None:
            generators = [data.Generator(data.TRANSFORMS, data.OWN_LICENCE, techniques=techniques)]
        with journal.held(tmp_path / data.ROWS) as file, Archive(tmp_path / "archive.sqlite") as archive:
            judge = judge or ScriptedJudge("ModelNew")
            builder = data.Builder(config, generators, archive, JudgeConfig(), judge, file, device_name="a CPU")
            return builder.build(tasks), builder.rows.rows, client

    return carry_out


def test_a_generator_leaves_a_task_after_two_successes(build):
    judge = ScriptedJudge("(1)", "(4)")
    manifest, rows, client = build([TASK], said=replies(0, 1, 2, 3, 4, 5), judge=judge)
    # two wanted, one passed; then one at a time
    assert [len(judge.asked), len(client.asked), len(rows)] == [5, 4, 2]
    assert manifest["rows_by"]["author"] == {"scripted": 2}
    assert "clamp_min(4)" in rows[1]["completion"][0]["content"]


def test_tries_are_limited(build):
    manifest, rows, _ = build([TASK], said=replies(*range(5)), judge=ScriptedJudge(), tries=5)
    assert manifest["judged"] == 5
    assert not rows


def test_a_row_is_a_conversation_with_where_it_comes_from(build):
    _, rows, client = build([TASK], said=replies(1, 2))
    row = rows[0]
    assert row["prompt"] == list(client.asked[0])
    assert [message["role"] for message in row["completion"]] == ["assistant"]
    assert parsing.parse(row["completion"][0]["content"], TASK).analysis == "Slow."
    assert (row["task"], row["origin"], row["licence"], row["sections"]) == (TASK.id, "llm", "MIT", "model")
    assert row["evaluation"]
    assert [set(one) for one in rows] == [set(row)] * 2


def test_what_lacks_sections_is_given_true_ones(build):
    _, rows, _ = build([TASK], said=[f"Here:\n```python\n{CODE.format(n)}\n```" for n in (1, 2)])
    parsed = parsing.parse(rows[0]["completion"][0]["content"], TASK)
    assert "relu" in parsed.analysis
    assert "1.5 times as fast as compile" in parsed.design
    assert rows[0]["sections"] == "builder"


def test_a_row_reads_as_the_code_that_was_judged(build):
    """A block that a section leaves open would swallow all that stands behind it."""
    asked, _, other = REPLY.format(CODE.format(1)).partition("## Performance Analysis\nSlow.")
    said = f"{asked}{other}\n## Performance Analysis\nSlow.\n```python\n{CODE.format(2)}\n"
    _, rows, _ = build([TASK], said=[said, said.replace("(1)", "(3)")])
    codes = [parsing.parse(row["completion"][0]["content"], TASK).code.strip() for row in rows]
    assert codes == [CODE.format(1), CODE.format(3)]
    assert [row["sections"] for row in rows] == ["builder"] * 2


def test_twins_count_once(build):
    _, rows, _ = build([TASK], said=replies(1, 1, 1, 2), judge=ScriptedJudge("(1)", "(2)"))
    assert len(rows) == 2


def test_started_again_nothing_is_asked_or_judged_twice(build, tmp_path):
    first, before, _ = build([TASK], said=replies(1, 2))
    path = tmp_path / "data.jsonl"
    kept = path.read_text()
    path.write_text(kept.splitlines(keepends=True)[0] + '{"cut off')
    judge = ScriptedJudge("ModelNew")
    again, rows, client = build([TASK], said=[], judge=judge)
    assert not judge.asked
    assert not client.asked
    assert (rows, path.read_text()) == (before, kept)
    assert (first["judged"], again["judged"], again["taken_from_archive"]) == (2, 0, 2)


def test_rows_of_another_judge_do_not_stand_beside_those_of_this_one(build, monkeypatch):
    """What it would reject would stay among what is trained on."""
    build([TASK], said=replies(1, 2))
    monkeypatch.setattr(environment, "JUDGE_VERSION", "later")
    with pytest.raises(ConfigError, match=r"data\.jsonl: its row 1 was judged under other settings"):
        build([TASK], judge=ScriptedJudge())


def test_replies_that_were_paid_for_are_judged_after_a_kill(build):
    class KilledError(BaseException):
        pass

    def killed(jobs):
        raise KilledError

    with pytest.raises(KilledError):
        build([TASK], said=replies(1, 2), judge=killed)
    _, rows, client = build([TASK], said=[])
    assert len(rows) == 2
    assert not client.asked


def test_rows_are_there_as_soon_as_their_task_is_judged(build, tmp_path):
    class KilledError(BaseException):
        pass

    path, seen = tmp_path / "data.jsonl", []

    def killed_in_the_second(jobs):
        yield next(iter(ScriptedJudge("ModelNew")(jobs)))
        seen.extend(path.read_text().splitlines())
        raise KilledError

    tasks = [TASK, make_task("local/other", TASK.source.replace("8", "9"))]
    with pytest.raises(KilledError):
        build(tasks, said=replies(1, 2, 3, 4), judge=killed_in_the_second)
    assert [json.loads(line)["task"] for line in seen] == [TASK.id] * 2
    judge = ScriptedJudge("ModelNew")
    manifest, rows, client = build(tasks, said=[], judge=judge)
    assert path.read_text().splitlines()[:2] == seen
    assert [row["task"] for row in rows] == [TASK.id] * 2 + ["local/other"] * 2
    assert (len(judge.asked), len(client.asked), manifest["taken_from_archive"]) == (2, 0, 2)


def test_what_is_slower_than_asked_for_gives_no_row_and_is_no_success(build):
    for said in (replies(1, 2, 3, 4), []):  # started again, the same is counted
        judge = ScriptedJudge("ModelNew", slow=("(1)", "(3)"))
        manifest, rows, _ = build([TASK], said=said, judge=judge, min_speedup=0.95)
        assert manifest["rows_left_out"] == {"below 0.95x eager": 2}
        codes = [parsing.parse(row["completion"][0]["content"], TASK).code.strip() for row in rows]
        assert codes == [CODE.format(2), CODE.format(4)]


def test_what_is_no_win_by_its_nature_is_not_faster_than_asked_for(build):
    judge = ScriptedJudge("ModelNew")
    note = Finding(check="weights_by_seed", detail="it lacks `scale`")
    judge._evaluation = lambda candidate: make_win(candidate, 60.0, verdict=Verdict.AMBIGUOUS, notes=(note,))
    manifest, rows, _ = build([TASK], said=replies(1, 2), judge=judge, min_speedup=1.2)
    assert (rows, manifest["rows_left_out"]) == ([], {"below 1.2x eager": 2})


def test_speed_is_no_filter_unless_it_is_asked_for(build):
    manifest, rows, _ = build([TASK], said=replies(1, 3), judge=ScriptedJudge("ModelNew", slow=("(1)",)))
    assert (len(rows), manifest["rows_left_out"]) == (2, {})


def test_a_degenerate_task_gives_no_rows(build):
    manifest, rows, _ = build([TASK], said=replies(1, 2), judge=ScriptedJudge("ModelNew", degenerate=True))
    assert not rows
    assert manifest["left_out"] == {"degenerate": 1}


def test_a_task_that_cannot_be_judged_does_not_stop_the_others(build):
    manifest, _, _ = build([TASK], said=replies(1, 2), judge=ScriptedJudge(error=TaskError("it does not run")))
    assert manifest["left_out"] == {"cannot be judged": 1}


def test_where_the_judge_can_say_nothing_of_a_whole_batch_no_more_is_asked(build):
    tasks = [TASK, make_task("local/other", TASK.source.replace("8", "9"))]
    with pytest.raises(CannotJudgeError, match="no sandbox"):
        build(tasks, said=replies(1, 2, 3, 4), judge=ScriptedJudge(error=CannotJudgeError("no sandbox")), batch=1)
    _, rows, client = build(tasks, said=replies(3, 4))
    assert len(client.asked) == 1, "the first start asked about the first task alone"
    assert len(rows) == 4


def test_a_judge_that_fails_at_one_task_of_a_batch_does_not_stop_the_others(build):
    other = make_task("local/other", TASK.source.replace("8", "9"))
    judge = ScriptedJudge("ModelNew")

    def dies_of_the_other(jobs):
        for index, (task, candidates) in enumerate(jobs):
            if task.id == other.id:
                yield index, CannotJudgeError("a judging process died")
            else:
                yield index, next(judge([(task, candidates)]))[1]

    for said in (replies(1, 2, 3, 4), []):  # started again, only the one that fails is left to judge
        manifest, rows, _ = build([TASK, other], said=said, judge=dies_of_the_other)
        assert (manifest["left_out"], len(rows)) == ({"cannot be judged": 1}, 2)


def test_a_manifest_says_whether_all_tasks_were_gone_through(build, tmp_path):
    def interrupted(jobs):
        raise KeyboardInterrupt

    path = tmp_path / "manifest.json"
    with pytest.raises(KeyboardInterrupt):
        build([TASK], said=replies(1, 2), judge=interrupted)
    assert json.loads(path.read_text())["complete"] is False
    build([TASK], said=[])
    assert json.loads(path.read_text())["complete"] is True


def test_a_model_that_answers_nothing_any_more_ends_it_with_all_kept(build, tmp_path):
    with pytest.raises(ModelError, match="started again"):
        build([TASK], said=replies(1), judge=ScriptedJudge())
    assert json.loads((tmp_path / "manifest.json").read_text())["rows"] == 0


def test_tries_that_were_spent_without_code_are_over_after_a_restart(build):
    build([TASK], said=["no code"] * 4, tries=4)
    for tries in (4, 2):
        manifest, _, client = build([TASK], said=replies(1, 2), tries=tries)
        assert (manifest["rows"], len(client.asked)) == (0, 0)


def test_a_question_that_a_model_refuses_costs_its_task_alone_also_after_a_kill(build):
    class KilledError(BaseException):
        pass

    def killed(jobs):
        raise KilledError

    tasks = [TASK, make_task("local/other", TASK.source.replace("8", "9"))]
    with pytest.raises(KilledError):
        build(tasks, said=replies(1, 2), judge=killed)  # none is left for the second task
    manifest, rows, client = build(tasks, said=[])
    assert len(client.asked) == 1
    assert (manifest["left_out"], len(rows)) == ({"scripted did not answer": 1}, 2)


def test_a_model_that_dies_between_batches_ends_it(build):
    tasks = [TASK, make_task("local/other", TASK.source.replace("8", "9"))]
    with pytest.raises(ModelError, match="scripted answers nothing any more"):
        build(tasks, said=replies(1, 2), batch=1)


def test_a_transform_says_what_it_does_and_what_came_of_it(build):
    _, rows, _ = build([UNUSED], techniques=("dead_operations",))
    parsed = parsing.parse(rows[0]["completion"][0]["content"], UNUSED)
    assert "dead_operations" in parsed.design
    assert "1.5 times as fast" in parsed.design
    assert (rows[0]["origin"], rows[0]["author"]) == ("transform", "dead_operations")
    assert rows[0]["family"] == "redundant_algebra"


@pytest.mark.parametrize("plain", [True, False])
def test_a_row_holds_the_transforms_code_that_was_judged_plain_unless_asked_otherwise(build, tmp_path, plain):
    judge = ScriptedJudge("ModelNew")
    _, rows, _ = build([UNUSED], techniques=("dead_operations",), judge=judge, **({} if plain else {"plain": False}))
    code = parsing.parse(rows[0]["completion"][0]["content"], UNUSED).code
    assert ("_as_written" in code) == (not plain)
    with Archive(tmp_path / "archive.sqlite") as archive:
        assert [archive.candidate(name).code for name in judge.asked] == [code]


def test_settings_that_cannot_be_are_refused(tmp_path):
    with pytest.raises(ValueError, match="licence"):
        ModelSource(model="x")
    with pytest.raises(ValueError, match="cores are a CPU's"):
        DataConfig(out=str(tmp_path), device="cuda:0", cores=2)
    for settings, text in (
        ({"transforms": "none"}, "no generator"),
        ({"transforms": "sdpo"}, "unknown technique 'sdpo'"),
        ({"file": str(tmp_path / "none.jsonl")}, "do not read"),
    ):
        with pytest.raises(ConfigError, match=text):
            data.run(DataConfig(out=str(tmp_path), count=1, **settings))


@pytest.mark.slow
def test_data_is_built_by_the_real_judge(tmp_path):
    named = {"families": ("redundant_algebra",), "seed": 5, "transforms": "inplace_epilogues"}
    config = DataConfig(out=str(tmp_path), count=1, successes=1, tries=1, **named)
    manifest = data.run(config)
    rows = [json.loads(line) for line in (tmp_path / "data.jsonl").read_text().splitlines()]
    assert (manifest["rows"], manifest["judged"], len(rows)) == (1, 1, 1)
    assert rows[0]["verdict"] in set(Verdict)
    assert "_as_written" not in rows[0]["completion"][0]["content"]


# What is never trained on.


def test_a_kernelbench_problem_is_refused_by_its_id_alone(build):
    with pytest.raises(UsageError, match="never trained on"):
        build([make_task(id="kernelbench/1/19")])


def test_a_held_out_family_is_no_training_data(tmp_path):
    with pytest.raises(ValueError, match="ordering is held out"):
        DataConfig(out="x", families=("ordering",))
    path = tmp_path / "tasks.jsonl"
    path.write_text(to_json(families.generate(0, 1, ["ordering"])[0]) + "\n")
    with pytest.raises(ConfigError, match="is of a family that is held out"):
        data.run(DataConfig(out=str(tmp_path / "out"), file=str(path)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{\n", "line 1 does not read"), ("[]\n", "expected an object, found a list"),
        ("{}\n", "in every row, found nothing; move"),
        ('{"id": "x"}\n', "expected author, family, id, licence, task, verdict in every row, found id; move"),
    ],
)  # fmt: skip
def test_rows_that_are_none_are_told_and_kept(build, tmp_path, text, words):
    (tmp_path / "data.jsonl").write_text(text)
    with pytest.raises(UsageError, match=words):
        build([TASK], said=replies(0))
    assert (tmp_path / "data.jsonl").read_text() == text


def test_a_folder_is_one_makers_at_a_time(tmp_path):
    out = tmp_path / "out"
    with journal.held(out / "data.jsonl"), pytest.raises(UsageError, match="in use by another train data"):
        data.run(DataConfig(out=str(out), count=1, transforms="none"))
    (tmp_path / "file").write_text("kept")
    with pytest.raises(UsageError, match="cannot be made"):
        data.run(DataConfig(out=str(tmp_path / "file"), count=1, transforms="none"))
