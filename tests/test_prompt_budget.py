"""A prompt keeps its token budget, and says what it left out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompting import FACTS, TASK, built, failed, user, winner

from cuda_l1 import prompts
from cuda_l1.errors import ConfigError
from cuda_l1.types import Exemplar, Kernel, Status

LEAST = prompts.tokens_of(built().messages)
TEXTS = st.text(st.sampled_from("ab`\né"), max_size=3000)
EXEMPLARS = st.builds(
    lambda code, value, count: winner(
        code, value, kernels=tuple(Kernel(name=f"k{n}", count=1, us=1.0) for n in range(count))
    ),
    TEXTS,
    st.floats(0.1, 100),
    st.integers(0, 12),
)
FAILURES = st.builds(
    lambda detail, code: failed(Status.CRASHED, "forward", detail, code=code), st.text(max_size=2000), TEXTS
)


@settings(max_examples=40)
@given(
    st.lists(EXEMPLARS, max_size=4),
    st.lists(FAILURES, max_size=3),
    st.lists(st.text(max_size=60), max_size=4),
    st.booleans(),
    st.integers(0, 6000),
)
def test_the_budget_is_kept_and_what_is_left_out_is_said(
    exemplars: list[Exemplar], failures: list[Exemplar], untried: list[str], with_facts: bool, room: int
) -> None:
    options = {"failures": failures, "untried": untried, "facts": FACTS if with_facts else None}
    budget = LEAST + room
    try:
        messages, left_out = built(exemplars, token_budget=budget, **options)
    except ConfigError:  # the line that says what is left out takes room as well
        assert room < 200
        return
    text = messages[1]["content"]
    assert prompts.tokens_of(messages) <= budget
    assert TASK.source.strip() in text
    assert "# Generation protocol" in text
    assert "# Restrictions" in text
    assert all(words in text for words in left_out)
    assert ("Left out of this message" in text) == bool(left_out)
    whole = built(exemplars, **options)
    assert whole.left_out == ()
    assert (messages == whole.messages) or left_out


def test_without_room_for_reference_and_protocol_it_says_how_much_is_needed() -> None:
    with pytest.raises(ConfigError, match=f"alone take about {LEAST} tokens, and {LEAST - 1} are allowed"):
        built(token_budget=LEAST - 1)
    assert built(token_budget=LEAST).messages == built().messages


def test_the_fastest_implementation_stays_and_a_giant_one_does_not_push_out_the_others() -> None:
    slow, fast = winner("class ModelNew: slow = 1" + " " * 2, 0.5), winner("class ModelNew: fast = 1", 2.0)
    giant = winner("# giant\n" * 3000, 3.0)
    room = prompts.tokens_of(built([fast]).messages) + 40
    text = user([slow, fast], token_budget=room)
    assert "fast = 1" in text
    assert "slow = 1" not in text
    assert "Left out of this message for lack of room: 1 of 2 earlier implementations." in text
    messages, left_out = built([giant, slow, fast], token_budget=LEAST + 1000)
    assert "fast = 1" in messages[1]["content"]
    assert "slow = 1" in messages[1]["content"]
    assert left_out == ("1 of 3 earlier implementations",)


def test_code_of_failed_attempts_goes_before_their_errors() -> None:
    one = failed(Status.CRASHED, "forward", "ValueError: no", code="# long\n" * 2000)
    messages, left_out = built([winner()], failures=[one], token_budget=LEAST + 1000)
    assert left_out == ("the code of 1 of 1 failed attempts",)
    assert "ValueError: no" in messages[1]["content"]
    assert "# long" not in messages[1]["content"]


# The user's own words.
