"""A rewritten Program as one importable source: the task's own, with `Model` as `ModelNew` and another forward.

`__init__` and everything else stays, so names in the state_dict do too. The forward as it was written stays as
`_as_written`, for inputs of other shapes and other modes than those the rewrite is for; a plain program does without,
and without what only that forward used. Equal programs give equal text.
"""

from __future__ import annotations

import ast

import torch

from cuda_l1.transforms.body import Body, Statement, statements
from cuda_l1.transforms.program import DeclineError, Prepared, Program
from cuda_l1.transforms.unused import swept

_PREPARED = '''
def _prepared(self, name, make, *sources):
    """`make(*sources)` of weights, made anew when one of them is another tensor or was changed in place."""
    if torch.is_grad_enabled() and any(source.requires_grad for source in sources):
        return make(*sources)
    kept = self.__dict__.setdefault("_kept", {})
    key = [(source.data_ptr(), source._version, source.dtype, source.device) for source in sources]
    if name not in kept or kept[name][0] != key:
        # The aliases keep the old memory from being given to other weights, which would have the same key.
        kept[name] = key, make(*[source.detach() for source in sources]), [source.detach() for source in sources]
    return kept[name][1]
'''

_GRAPH = '''
def forward(self, *args):
    if torch.is_grad_enabled() or any(isinstance(a, torch.Tensor) and not a.is_cuda for a in args):
        return self._rewritten(*args)
    weights = [WEIGHTS]  # those from which constants were prepared: the graph holds the constants
    key = (
        self.training,
        *[(a.shape, a.stride(), a.dtype, a.device) if isinstance(a, torch.Tensor) else a for a in args],
        *[(weight.data_ptr(), weight._version) for weight in weights],
    )
    graphs = self.__dict__.setdefault("_graphs", {})
    if key not in graphs:
        graphs.clear()  # weights have changed, or the shapes have: one graph at a time keeps the memory bounded
        graphs[key] = self._capture(args)
    graph, inputs, outputs = graphs[key]
    for own, given in zip(inputs, args):
        if isinstance(own, torch.Tensor):
            own.copy_(given)
    graph.replay()
    return _fresh(outputs)


def _capture(self, args):
    """A CUDA graph of forward, its input buffers and its outputs."""
    inputs = [torch.empty_strided(a.shape, a.stride(), dtype=a.dtype, device=a.device).copy_(a)
              if isinstance(a, torch.Tensor) else a for a in args]
    buffers = [buffer.clone() for buffer in self.buffers()]
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):  # libraries choose algorithms and allocate workspaces, which a capture does not allow
            self._rewritten(*inputs)
    torch.cuda.current_stream().wait_stream(stream)
    if self.training:  # the warm-up moved running statistics
        for buffer, before in zip(self.buffers(), buffers):
            buffer.copy_(before)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        outputs = self._rewritten(*inputs)
    return graph, inputs, outputs


def _apply(self, *args, **kwargs):
    """`to()`, `half()` and the like replace the weights: the graphs of the old ones go."""
    self.__dict__.pop("_graphs", None)
    return super()._apply(*args, **kwargs)
'''

_FRESH = '''
def _fresh(value):
    """A copy of what a CUDA graph returned: its next replay overwrites the original."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, dict):
        return {key: _fresh(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_fresh(item) for item in value)
    return value
'''


def emit(program: Program, technique: str, detail: str) -> str:
    """The whole source of a candidate."""
    tree = ast.parse(program.task.source)
    original, forward = model_of(tree)
    uses = [_uses_model(node) for node in tree.body if node is not original]
    if any(uses):
        raise DeclineError("other code in the source refers to Model")
    names = {arg.arg: arg.arg for arg in forward.args.args[1:]}
    methods = _methods(program, ast.unparse(forward.args), list(names), statements(forward))
    new = [node for text in methods for node in ast.parse(text).body]
    forward.name = "_as_written"
    _set_docstring(original, f"{technique}: {detail}")
    original.name = "ModelNew"
    original.body[original.body.index(forward) + 1 :] = [*new, *original.body[original.body.index(forward) + 1 :]]
    for node in ast.walk(original):
        if isinstance(node, ast.Name) and node.id == "Model":
            node.id = "ModelNew"
    makers = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name in ("get_inputs", "get_init_inputs")]
    kept = [n for n in tree.body if n not in makers]
    helpers = "\n".join([*program.helpers, *([_FRESH] if program.wrapper == "graph" else [])])
    kept[kept.index(original) : kept.index(original)] = ast.parse(helpers).body
    kept = _with_imports(kept)
    if program.plain:
        original.body.remove(forward)
        kept = swept(kept, original, taken=[forward, *makers], added=("torch", "F"))
    return _spaced(kept)


def model_of(tree: ast.Module) -> tuple[ast.ClassDef, ast.FunctionDef]:
    """`Model` and its forward. DeclineError where the source does not have them."""
    model = next((n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Model"), None)
    own = [n for n in model.body if isinstance(n, ast.FunctionDef) and n.name == "forward"] if model else []
    if model is None or not own:
        raise DeclineError("the source has no class Model with a forward of its own")
    return model, own[0]


_COMPILED = "@torch.compile(dynamic=False)\n"


def _methods(program: Program, signature: str, names: list[str], written: dict[int, Statement]) -> list[str]:
    """Forward and what it needs, each as the text of a function."""
    body = Body(program, {name: name for name in names}, written)
    lines, guard = body.lines(), _guard(program, names)
    if program.wrapper == "compile":  # what is prepared from weights is looked up outside, where no graph can break
        kept = [body.text[n] for n in program.graph.nodes if isinstance(n.target, Prepared)]
        arguments = ", ".join(["self", *names, *kept])
        call = f"return self._rewritten({', '.join([*names, *kept])})"
        if guard or body.prepared:
            methods = [
                _function(f"forward({signature})", [*guard, *body.prepared, call]),
                _COMPILED + _function(f"_rewritten({arguments})", lines),
            ]
        else:
            methods = [_COMPILED + _function(f"forward({signature})", lines)]
    elif program.wrapper == "graph":
        sources = [s.target for n in program.graph.nodes if isinstance(n.target, Prepared) for s in n.all_input_nodes]
        weights = ", ".join(body.path(str(path)) for path in dict.fromkeys(sources))
        methods = [
            _function(f"_rewritten({signature})", [*guard, *body.prepared, *lines]),
            _GRAPH.replace("WEIGHTS", weights),
        ]
    else:
        methods = [_function(f"forward({signature})", [*guard, *body.prepared, *lines])]
    return [*methods, *([_PREPARED] if body.prepared else [])]


def _function(header: str, lines: list[str]) -> str:
    return f"def {header}:\n" + "".join(f"    {line}\n" for line in lines)


def _uses_model(node: ast.stmt) -> bool:
    return any(isinstance(item, ast.Name) and item.id == "Model" for item in ast.walk(node))


def _with_imports(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements with `import torch` and `import torch.nn.functional as F` after docstring and __future__."""
    start = 0
    while start < len(body) and (
        (start == 0 and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant))
        or (isinstance(body[start], ast.ImportFrom) and getattr(body[start], "module", "") == "__future__")
    ):
        start += 1
    texts = {ast.unparse(node) for node in body}
    wanted = [text for text in ("import torch", "import torch.nn.functional as F") if text not in texts]
    return [*body[:start], *[ast.parse(text).body[0] for text in wanted], *body[start:]]


def _spaced(body: list[ast.stmt]) -> str:
    """The statements as text, with blank lines around classes and functions."""
    blocks = (ast.ClassDef, ast.FunctionDef)
    text = ""
    for before, node in zip([None, *body[:-1]], body, strict=True):
        gap = "" if before is None else "\n\n\n" if isinstance(node, blocks) or isinstance(before, blocks) else "\n"
        text += gap + ast.unparse(node)
    return text + "\n"


def _set_docstring(node: ast.ClassDef, text: str) -> None:
    has = ast.get_docstring(node) is not None
    node.body[: 1 if has else 0] = [ast.Expr(ast.Constant(text))]


def _guard(program: Program, names: list[str]) -> list[str]:
    """The lines that hand other shapes and modes to the code as it was written; none in a plain program."""
    if program.plain:
        return []
    other = "self.training" if program.task.mode == "eval" else "not self.training"
    # KernelBench's evaluator leaves modules in train mode
    conditions = [other] if program.has_modes or not program.inputs else []
    for name, value in program.inputs.items():
        if isinstance(value, torch.Tensor):
            conditions.append(f"{name}.shape != {tuple(value.shape)!r}")
        else:
            conditions.append(f"{name} != {value!r}")
    conditions += program.guards
    return [f"if {' or '.join(conditions)}:", f"    return self._as_written({', '.join(names)})"]
