"""What operations a task has, by its text: whether it ranks, searches, recurs, takes exponentials, has limits. Pure.

NOT covered: what `forward` asks of its inputs (asks.py), and what is verified because of all that (sets.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from cuda_l1 import syntax
from cuda_l1.inputs import asks, held, limits
from cuda_l1.inputs.redrawn import LARGE, LARGEST, NEGATIVE
from cuda_l1.inputs.squares import ALIGNED, ORTHOGONAL, STICKY
from cuda_l1.wire.arena import Leaf


def _calls(*names: str) -> re.Pattern[str]:
    """What finds these names where they are called, or are parts of a library: not what a task calls `inv` itself."""
    some = "|".join(names)
    return re.compile(rf"(?<!\bself)\.({some})\b|\b({some})\(")


_LAST = re.compile(r"\[\s*(:|\.\.\.)\s*,\s*-1\b")
_FACTORISES = r"cholesky\w*|eigh|eigvalsh|inv|inverse|solve\w*|\w*logdet|MultivariateNormal"
"""What asks for a matrix that is positive definite, or may."""
_INVERTS = _calls(_FACTORISES, "pinv")
_ON_DIAGONALS = re.compile(
    r"\b(?:diag|diag_embed|diagflat)\((\w+)[,)]|\b(?!torch\.)(\w+)\.(?:diag|diag_embed)\(|\.diagonal\([^()]*\)\.add_\((\w+)\)"
)
_SEARCHES = r"searchsorted|bucketize|digitize|histc|histogram\w*|interp"
"""What asks for edges in order."""
_SEARCHED, _IN_ORDER = _calls(_SEARCHES), _calls(_SEARCHES, _FACTORISES)
_FINDS_PLACES = re.compile(r"\b(searchsorted|bucketize)\b")
_FOLDS = r"\b(?:reduce|accumulate)\("
"""Loops without a word for it: `functools.reduce(self.step, frames, state)`."""
_RECURS = re.compile(rf"\b(for|while|RNN|LSTM|GRU|\w+Cell|\w*scan\w*|cum\w+|lfilter)\b|{_FOLDS}")
_POWERS = re.compile(r"\*\*|\bpow\(|\bexp2?\(|\blogspace\(")
_FOLLOWS = re.compile(r"\b(\w+)\s*=\s*[\w.]+(\[[^\]=]*\b\1\b|\.(gather|take|index_select)\([^=]*\b\1\b)")
"""`at = next[at]`"""
_SHIFTS = re.compile(
    r"(\b[A-Za-z_]\w*|[)\]]) (>>|<<)=? [\w(]|\b\d+ << [A-Za-z_(]|\bbitwise_\w+_shift\b|\b__[lr]shift__\b"
    r"|[\w)\]] &=? \d|\b(\w+) & (-\3\b|\(\3 - 1\))"
)
"""Not a number of so many bits, as `1 << 40`."""
_LOOPS = re.compile(rf"\b(for|while)\b|{_FOLDS}")
_RANKS = re.compile(
    r"\b(topk|sort|msort|argsort|argmax|argmin|kthvalue|unique|searchsorted|bucketize)\b"
    r"|^\s*\w+\s*,\s*\w+\s*=.*\b(max|min)\(|\b(max|min)\(.*\)\s*(\[1\]|\.indices\b)", re.MULTILINE
)  # fmt: skip
_SELECTS = re.compile(r"\b(nan)?(median|quantile)\b|\.mode\(|\bcum(max|min)\b")
"""There is no choice among equal values, but which is taken hangs on where large ones lie."""
_SORT, _IS_STABLE = re.compile(r"\b(?:m|arg)?sort\b(\()?"), re.compile(r"\bstable\s*=\s*True")
_CUTS_OFF = re.compile(r"\b(clamp\w*|clip\w*|[Hh]ard[Tt]anh|[Rr]e[Ll][Uu]6|minimum|maximum)\b")
_STOPS = re.compile(
    r"relu|elu\b|silu|swish|mish|softplus|shrink|threshold|hard|max|min|clamp|clip|abs|where", re.IGNORECASE
)
"""As an activation does, a limit, or the largest of some (`softmax` too, which is no matter)."""
_VANISHES = re.compile(r"mish|silu|swish|gelu|softplus|sigmoid|lstm|gru\b|grucell|erfc|\bexp2?\(", re.IGNORECASE)
_LOSES_DIGITS = re.compile(
    r"exp(?!and)|log(?!it)|soft|sigmoid|tanh|(?<!r)elu|silu|swish|mish|erf|sin(?!gle)|cos(?!t)|(?<!s)tan|entropy|kl_"
    r"|register_buffer"
    r"|\bnn\.(?!Module\b|functional\b)\w",
    re.IGNORECASE,
)
"""Functions that are no powers near zero, and parts with weights: beside one, or a bias, next to nothing is lost."""
_CAUSAL = re.compile(r"\btri[lu]\w*\(|causal")
"""There a mask that hides where a row begins hides all that its first places may look at."""
_EXPONENTIAL = re.compile(r"\bexp(2|m1)?\(|(\*\*\s*\(?|\bpow\([^()]*)-?\bself\.")
_AS_IT_IS = r"(?:\.(?:float|double|to|type_as|unsqueeze|view|reshape|contiguous)\([^()]*\)|\[[^\[\]]*\])*"
"""What of a weight has the same numbers."""
_EXPONENTIAL_OF = re.compile(
    rf"\bexp(?:2|m1)?\(\s*-?\s*self\.([\w.]+?){_AS_IT_IS}\s*\)"
    rf"|\bself\.([\w.]+?){_AS_IT_IS}\.exp(?:2|m1)?\(\)"
)
_ASKED = re.compile(
    r"\b(?:if|elif|and|or|not|while) +\(?self\.([\w.]+?)(?:\.item\(\))?(?: *:| and\b| or\b| else\b|\))"
    r"|\bself\.([\w.]+?)(?:\[0\]|\.item\(\))? *(?:[=!]=|[<>]=?) *[01](?:\.\d*)?(?![\w.])"
    r"|\bself\.([\w.]+?)\.bool\(\)|\bbool\(self\.([\w.]+)\)|\bwhere\(\s*self\.([\w.]+) *,"
)
_MULTIPLIES = re.compile(r"\S\s*@|\b(\w*mm|matmul|linear|einsum)\(")
_OWN = re.compile(r"\bself\.((?:\w+\.)*?\w+)(?=\.m?[Tt]\b|[^.\w]|$)")
_IN_LOGARITHMS = re.compile(r"log_softmax|LogSoftmax|logsumexp")
_ATTENDS = re.compile(r"\binf\b|\bfinfo\b|scaled_dot_product|attn|[Aa]ttention")
"""There what is hidden altogether has no one meaning."""
_ASKS_ROWS = r"\.(any|all)\(\s*(dim=|axis=|keepdim|-?\d)"
_BEARS_NAN = re.compile(r"\bnan_to_num|\bisnan\(")
_BEARS_NONE = re.compile(rf"{_BEARS_NAN.pattern}|{_ASKS_ROWS}")
"""What says all the same what becomes of a row of which a mask shows nothing."""
_ASKS_MASKS = re.compile(
    r"(?:[\w\]]|is(?:pos|neg)?inf\([^()\n]*\)|(?:mask|pad|valid|keep|visible)\w*(?:\.\w+\([^()\n]*\))+"
    rf"|(?:mask|pad|valid|keep|visible|inf\b|[!=]= ?0\b)(?:[^()\n]|\([^()\n]*\))*\)+){_ASKS_ROWS}"
)
"""Which rows of a mask show something, or nothing; no rows of numbers (`(x > 3).any(1)`)."""
_INFINITE = re.compile(r"\binf\b")
_ASKS_HOW_MANY = re.compile(r"\bif\b[^\n]*([<>]|[!=]= ?0\b|\bnumel\(\)|\blen\()")
_SATURATES = re.compile(r"[Ss]oftmax|[Ss]igmoid|[Tt]anh|\bexp(2|m1)?\b|\berfc?\b")


def inverts(source: str) -> bool:
    """Whether something is factorised or inverted."""
    return _INVERTS.search(source) is not None


def inverted_diagonals(source: str, *, are_square: bool) -> set[str]:
    """Names of what is laid along a diagonal (`torch.diag_embed(noise)`), where something is factorised or inverted. Of
    what is square `torch.diag` takes its own."""
    found = _ON_DIAGONALS.finditer(source) if inverts(source) else ()
    those = [each for each in found if not (are_square and re.search(r"\bdiag\(", each.group()))]
    return {name for each in those for name in each.groups() if name}


def searches(source: str) -> bool:
    """Whether something is looked up between edges in order."""
    return _SEARCHED.search(asks.of_module(source)) is not None


def finds_places(source: str) -> bool:
    """Whether that gives places."""
    return _FINDS_PLACES.search(asks.of_module(source)) is not None


def pads_on_the_left(source: str) -> bool:
    """Whether what a row ends with is a word, and padding lies before it."""
    return _LAST.search(source) is not None


def attends(source: str) -> bool:
    """Whether what a mask hides may be left out of a softmax, or of the largest of some: of nothing there is none."""
    module = asks.of_module(source)
    return _ATTENDS.search(module) is not None or asks.stands_for_infinity(module)


def may_hide_all(source: str) -> bool:
    """Whether it says what comes of what a mask hides altogether. Where it attends, by asking a mask, or what is NaN,
    which nothing is where a number stands for infinity."""
    module = asks.of_module(source)
    if not attends(source):
        return cuts_off(source) or _BEARS_NONE.search(module) is not None
    is_finite = "finfo" in module or asks.stands_for_infinity(module)
    may_be_nan = _INFINITE.search(module) is not None or not is_finite
    return _ASKS_MASKS.search(module) is not None or (may_be_nan and _BEARS_NAN.search(module) is not None)


def bears_empty(source: str) -> bool:
    """Whether it may say what comes of a group without any: it has limits, or asks how many there are."""
    return limits.has_limits(source) or _ASKS_HOW_MANY.search(asks.of_module(source)) is not None


def is_causal(source: str) -> bool:
    """Whether it has triangles, as what looks at nothing later has."""
    return _CAUSAL.search(asks.of_module(source)) is not None


def asks_for_numbers(source: str, name: str) -> bool:
    """Whether an input is asked where it is no number: `isnan(x)`, `nan_to_num(x)`, `isfinite(x[1])`, `x != x`."""
    of = rf"(?<![\w.]){re.escape(name)}\b(?:\[[^\[\]]*\])*"
    asking = r"(?:isnan|isfinite|nan_to_num|nan(?:sum|mean|median|quantile))_?\("
    return (
        re.search(rf"{asking}\s*{of}\s*[,)]|{of}\.{asking}|({of}) != \1(?![\w.(\[])", asks.of_module(source))
        is not None
    )


def cuts_off(source: str) -> bool:
    """Whether numbers beyond a limit become that limit."""
    return _CUTS_OFF.search(asks.of_module(source)) is not None or limits.keeps_above(source)


def stops_at_zero(source: str) -> bool:
    """Whether what is below zero, or above, may be lost, or not be chosen among many."""
    return _STOPS.search(asks.of_module(source)) is not None


def keeps_size(source: str) -> bool:
    """Whether inputs that are next to nothing keep their digits: products, sums, norms and quotients alone, and no
    weights."""
    return _LOSES_DIGITS.search(asks.of_module(source)) is None


def ranks(source: str, outputs: Sequence[Leaf]) -> bool:
    """Whether a task may give the places of values: among equal ones a free choice, so that a softmax which saturates
    is no error."""
    return orders(source) or not all(leaf.is_continuous for leaf in outputs)


def orders(source: str) -> bool:
    """Whether it sorts, or asks which is the largest."""
    return _RANKS.search(asks.of_module(source)) is not None


def selects(source: str) -> bool:
    """Whether one of several values is taken by its rank, and no place given: a median, the largest so far."""
    return _SELECTS.search(asks.of_module(source)) is not None


def orders_equal_ones(source: str) -> bool:
    """Whether all that ranks are stable sorts: then among equal values there is no choice."""
    source = asks.of_module(source)
    calls = sum(map(bool, _SORT.findall(source)))
    return 0 < calls == len(_IS_STABLE.findall(source)) and not _RANKS.search(_SORT.sub("", source))


def saturates(source: str) -> bool:
    """Whether numbers that are not equal may become so: shares beside one far out are all zero."""
    return _SATURATES.search(asks.of_module(source)) is not None


def recurs(source: str) -> bool:
    """Whether a task may have a recurrence."""
    return _RECURS.search(source) is not None


def follows(source: str) -> bool:
    """Whether it goes on from one place to the next that a table names, so many times; not until something holds, which
    may never."""
    module = asks.of_module(source)
    return _FOLLOWS.search(module) is not None and "while" not in module


def shifts_bits(source: str) -> bool:
    """Whether bits of integers mean something by themselves."""
    return _SHIFTS.search(source) is not None


def fades(source: str) -> bool:
    """Whether what is far away may say less: it may have a recurrence, or takes powers and counts places
    (`0.9 ** (places[:, None] - places)`)."""
    module = asks.of_module(source)
    return recurs(source) or (limits.PLACES.search(module) is not None and _POWERS.search(module) is not None)


def loops(source: str) -> bool:
    """Whether a task does something again and again."""
    return _LOOPS.search(asks.of_module(source)) is not None


def links(source: str) -> bool:
    """Whether a task may go from one to the next of what is near: it has a loop, and compares."""
    source = asks.of_module(source)
    return _LOOPS.search(source) is not None and limits.COMPARES.search(source) is not None


def reaches(source: str, how: str) -> bool:
    """Whether weights may be as large: not where a number stands for infinity (`-1e9` for what a mask hides), which
    they would pass, nor where a task's logarithms are of what underflows without them; the largest not where it takes
    exponentials, which of these are infinite, and times zero what one formula leaves out. Sticky ones where it adds in
    logarithms step by step, aligned and orthogonal ones where it may have a recurrence. Negative ones not where what is
    far below zero becomes next to nothing, of which a formula that is right keeps no digits."""
    source = asks.of_module(source)
    if how == NEGATIVE:
        return _VANISHES.search(source) is None
    if how in (ALIGNED, ORTHOGONAL):
        return recurs(source)
    if how == STICKY:
        return recurs(source) and _IN_LOGARITHMS.search(source) is not None
    if how == LARGEST and _EXPONENTIAL.search(source):
        return False
    return how not in (LARGE, LARGEST) or not (asks.stands_for_infinity(source) or _IN_LOGARITHMS.search(source))


def multiplied(source: str) -> set[str]:
    """Names of weights that are factors of products of matrices (`x @ self.whiten.T`)."""
    lines = asks.of_module(source).splitlines()
    names = (name for line in lines if _MULTIPLIES.search(line) for name in _OWN.findall(line))
    return {name.rpartition(".")[2] for name in names}


def said_of_weights(source: str, init: Sequence[Any]) -> dict[str, Any]:
    """What a text says of weights by name: which are factors of products, which are flags, and what those that count
    are asked for."""
    counts = held.asked_of_own(syntax.read(asks.of_module(source)), asks.own_numbers(source, init))
    return {"products": sorted(multiplied(source)), "flags": sorted(flags(source)), "counts": counts}


def flags(source: str) -> set[str]:
    """Names of weights that are asked whether they are set (`if self.is_on`, `self.is_on > 0`)."""
    found = (name for each in _ASKED.findall(asks.of_module(source)) for name in each if name)
    return {name.rpartition(".")[2] for name in found}


def may_lie_far_out(source: str) -> bool:
    """Whether a row of weights may, alone: as `reaches`, but that the logarithm of a sum of exponentials needs none of
    what underflows, unless it is one of many behind one another."""
    source = asks.of_module(source)
    logarithms = set(_IN_LOGARITHMS.findall(source))
    return not asks.stands_for_infinity(source) and (
        not logarithms or (logarithms == {"logsumexp"} and not recurs(source))
    )


def are_logarithms(source: str) -> set[str]:
    """Names of weights that are taken for logarithms (`self.log_rate.exp()`): of a row of these 64 times as large the
    exponential is infinite, and a difference of two such is no number."""
    return {(before or after).rpartition(".")[2] for before, after in _EXPONENTIAL_OF.findall(source)}


def keeps_order(source: str) -> bool:
    """Whether weights that are sorted, or symmetric, must stay so: what is sorted is searched, or half of a matrix says
    what the other is."""
    return _IN_ORDER.search(asks.of_module(source)) is not None
