"""Replies as models write them, and the one reason why a bad one is bad."""

import ast
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import SOURCE, make_task

from cuda_l1 import syntax
from cuda_l1.parsing import ParseError, language_of, parse

TASK = make_task()
CODE = "import torch\n\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return x.clamp(min=0)\n"
LINEAR = make_task(
    source=SOURCE.replace(
        "    def forward", "    def __init__(self, n, m, bias=True):\n        super().__init__()\n\n    def forward"
    )
)


def fenced(code: str, language: str = "python") -> str:
    return f"```{language}\n{code}\n```\n"


def reply(code: str = CODE) -> str:
    return (
        f"## Performance Analysis\nIt is slow.\n\n## Algorithm Design\nClamp.\n\n## Code Implementation\n{fenced(code)}"
    )


def reason(text: str, task: object = TASK) -> str:
    with pytest.raises(ParseError) as caught:
        parse(text, task)  # type: ignore[arg-type]
    return str(caught.value)


def test_what_ends_a_line_of_text_and_none_of_python_stays_in_a_string() -> None:
    code = CODE.replace("return x", "'\x0b\x0c\x1c\x85\u2028'\n        return x")
    assert parse(reply(code), TASK).code == code


def test_a_reply_in_the_form_asked_for() -> None:
    assert parse(reply(), TASK) == (CODE, "torch", "It is slow.", "Clamp.")


@pytest.mark.parametrize(
    "text",
    [
        fenced(CODE),
        fenced(CODE, "py"),
        fenced(CODE, ""),
        fenced(CODE, "Python"),
        f"~~~python\n{CODE}~~~",
        f"````python\n{CODE}````",
        f"```python\r\n{CODE}```".replace("\n", "\r\n").replace("\r\r", "\r"),
        f"# 1. Performance Analysis\nx\n### **Code Implementation:**\n{fenced(CODE)}\nDone.",
        f"{fenced('class ModelNew: old = 1')}then better:\n{fenced(CODE)}",
        f"{fenced(CODE)}Run it:\n{fenced('pip install torch', 'bash')}",
        f"{fenced(CODE)}Test it:\n{fenced('print(ModelNew())')}",
        f"## Code Implementation\n{fenced(CODE)}\n## Performance Analysis\n{fenced('class ModelNew: quoted = 1')}",
        f"<think>maybe {fenced('class ModelNew: thought = 1')}</think>\n{fenced(CODE)}",
        f"thought without its opening tag</think>\n{fenced(CODE)}",
        f"```ModelNew``` is fast:\n{fenced(CODE)}",
        f"{fenced(CODE)}\n```text\nnever closed, and not the code",
        f"3. The code:\n{textwrap.indent(fenced(CODE), '   ')}\nDone.",
        f"10. The code:\n{textwrap.indent(fenced(CODE), '    ')}\nDone.",
        f"1. The code:\n   ```python\n{CODE}   ```",
    ],
    ids=range(19),
)
def test_replies_as_models_write_them(text: str) -> None:
    assert parse(text, TASK).code == CODE


def test_a_shorter_fence_inside_the_code_does_not_end_it() -> None:
    code = CODE + 'DOC = """\n```\nhow\n```\n"""\n'
    assert parse(f"````python\n{code}````", TASK).code == code


def test_a_fence_that_is_text_of_the_code_does_not_end_it() -> None:
    code = CODE + 'class Other:\n    """\n    ```\n    how\n    ```\n    """\n'
    assert parse(fenced(code), TASK).code == code


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "the reply is empty"),
        ("<think>a</think>\n", "the reply is empty"),
        ("<think>so let me see", "reasoning never ended"),
        ("Use torch.compile.", "no code block"),
        (fenced("__global__ void k() {}", "cuda"), "no Python code block, only cuda"),
        (f"```python\n{CODE}", "never closed"),
        (fenced("class Model: pass"), "no class ModelNew in the code, found Model"),
        (fenced("x = 1"), "found no class"),
        (fenced("class ModelNew:\n    def f(self:\n        pass"), "SyntaxError in line 2 of the code"),
        (fenced('"""\nclass ModelNew: pass\n"""\n'), "no class ModelNew at the top level"),
        (fenced("class ModelNew: x = '\x00'"), "SyntaxError"),
    ],
    ids=range(11),
)
def test_the_reason_is_precise(text: str, expected: str) -> None:
    assert expected in reason(text)


def test_code_that_another_encoding_would_make_other_code_is_refused() -> None:
    assert "names an encoding other than UTF-8" in reason(reply("# coding: utf-7\n" + CODE))


def test_a_syntax_error_shows_its_line() -> None:
    assert "def f(self:" in reason(fenced("class ModelNew:\n    def f(self:\n        pass"))


def test_a_quotation_does_not_stand_in_for_an_answer_that_was_cut_off() -> None:
    text = f"## Performance Analysis\nThe best was\n{fenced(CODE)}\n## Code Implementation\n```python\nclass ModelNew:"
    assert "never closed" in reason(text)


@pytest.mark.parametrize("signature", ["self", "self, n", "self, n, m, k, l", "self, n, *, a, b, c"])
def test_arguments_that_cannot_be_constructed_are_refused(signature: str) -> None:
    message = reason(fenced(f"class ModelNew:\n    def __init__({signature}): pass\n"), LINEAR)
    assert "the reference's Model takes (n, m, bias)" in message


@pytest.mark.parametrize(
    "signature",
    ["self, n, m", "self, n, m, bias=False", "self, *args", "self, a, b, c", "self, n, m, *, bias=True, k=1"],
)
def test_arguments_that_may_fit_are_left_to_the_judge(signature: str) -> None:
    parse(fenced(f"class ModelNew:\n    def __init__({signature}): pass\n"), LINEAR)


def test_an_inherited_constructor_is_left_to_the_judge() -> None:
    parse(fenced("class ModelNew(Base): pass\n"), LINEAR)


@pytest.mark.parametrize(
    ("head", "language"),
    [
        ("import torch", "torch"),
        ("# import triton, __global__, load_inline", "torch"),
        ("import triton\nimport triton.language as tl", "triton"),
        ("from triton import jit", "triton"),
        ("m = load_inline(name='m', cpp_sources='int f();', functions=['f'])", "cpp"),
        ("m = cpp_extension.load_inline(name='m', cpp_sources='int f();', cuda_sources='')", "cpp"),
        ("m = cpp_extension.load_inline(name='m', cpp_sources='int f();', cuda_sources=SRC)", "cuda"),
        ("m = load_inline('m', CPP, CUDA)", "cuda"),
        ("SRC = '''extern \"C\" __global__ void k() {}'''", "cuda"),
        ("k = torch.cuda._compile_kernel(SRC, 'k')", "cuda"),
    ],
)
def test_the_language_is_seen_in_the_code(head: str, language: str) -> None:
    assert parse(fenced(f"{head}\nclass ModelNew: pass\n"), TASK).language == language


def test_an_odd_escape_is_no_error() -> None:
    code = CODE + 'PATTERN = "\\d"\n'
    assert parse(fenced(code), TASK).code == code


def test_code_nested_too_deep_to_read_is_refused() -> None:
    assert "SyntaxError" in reason(fenced(f"class ModelNew: x = {'(' * 10_000}"))
    assert "nested too deep to be read" in reason(fenced(f"class ModelNew: x = {'-' * 200_000}1"))


def test_what_is_longer_than_what_the_judge_reads_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of four million characters the syntax tree alone took 33 s and 3.3 GiB."""
    read = []
    monkeypatch.setattr(syntax, "read", lambda code: read.append(len(code)) or ast.parse(code))
    long = "import triton\n" + CODE + "x = [1, 2]\n" * 30_000
    assert "has 330,118 characters, and at most 262,144 are read: write less" in reason(reply(long))
    assert language_of(long) == "torch"
    assert read == [0]


@pytest.mark.parametrize(
    "deep", ["x" + ".relu()" * 300, "x" + ".a" * 4_000, "-" * 200_000 + "1", "load_inline" + "()" * 300]
)
def test_deep_code_has_a_language(deep: str) -> None:
    """Whatever the judge will say of it: an error here would end the whole run."""
    assert language_of(f"y = {deep}\n") in ("torch", "cpp")


@given(st.text() | st.text(alphabet="`~\n#<think>/ class ModelNew:()\"'"))
def test_whatever_is_said_ends_in_code_or_a_reason(text: str) -> None:
    code, said = "", ""
    try:
        code = parse(text, TASK).code
    except ParseError as error:
        said = str(error)
    assert said or "ModelNew" in code


@pytest.mark.parametrize(
    "line", ["#" + " " * 300_000 + "x", "`" * 300_000 + " a`" + "b" * 300_000, " " * 300_000 + "~x"]
)
def test_a_line_of_nothing_much_is_read_at_once(line: str) -> None:
    """As models write them that have lost their way; each mark was looked for from each of its characters on: hours."""
    assert parse(f"{line}\n{fenced(CODE)}", TASK).code == CODE
