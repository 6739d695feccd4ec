"""Families whose time is matrix products: order of products, epilogues, stacks of layers, attention, recurrences."""

from __future__ import annotations

from cuda_l1.train.families.pointwise import activation, chain, mixed, written
from cuda_l1.train.families.sketch import COLUMNS, Size, Sketch


def _weight(s: Sketch, inner: Size, outer: Size, name: str = "weight") -> str:
    return s.weight(inner, outer, name=name, scale=float(inner) ** -0.5)


def matmul_order(s: Sketch) -> str:
    """Products that are cheaper in another order, or that need not be formed."""
    draw = s.draw
    rows, inner, columns = s.product()
    x = s.input(rows, inner)
    weight = (
        _weight(s, inner, columns) if draw.chance(0.6) else f"{s.input(inner, columns)} * {float(inner) ** -0.5:.3g}"
    )
    chain(s, x, draw.between(0, 1))
    how = draw.below(8)
    if how == 0:
        s.say(f"t = ({x} @ ({weight})).{draw.pick(('sum', 'mean'))}(dim={draw.pick((0, 1))})")
    elif how == 1:
        vector = s.weight(columns, name="vector")
        s.say(f"t = ({x} @ ({weight})) @ {vector}")
    elif how == 2:
        last = s.size("LAST", draw.pick((4, 8, 16, 32)))
        s.say(f"t = ({x} @ ({weight})) @ {_weight(s, columns, last, 'narrow')}")
    elif how == 3:
        vector = s.weight(inner, name="scale")
        product = draw.pick((f"{x} @ torch.diag({vector}) @ ({weight})", f"({x} * {vector}) @ ({weight})"))
        s.say(f"t = {product}")
    elif how == 4:
        other = _weight(s, inner, columns, "other")
        sign = draw.pick(("+", "-"))
        s.say(f"t = {x} @ ({weight}) {sign} {draw.number(0.3, 1.5)} * ({x} @ {other})")
    elif how == 5:
        s.say(f"t = (({weight}).t() @ {x}.t()).t()")
    elif how == 6:
        s.say(f"t = torch.cat([{x}, {x}], dim=0) @ ({weight})")
        s.say(f"t = t[: {x}.shape[0]] {draw.pick(('+', '*'))} t[{x}.shape[0] :]")
    else:
        half = s.let(f"{x}.shape[1] // 2", "half")
        w = s.let(weight, "w")
        s.say(f"t = {x}[:, :{half}] @ {w}[:{half}] + {x}[:, {half}:] @ {w}[{half}:]")
    chain(s, "t", draw.between(0, 2))
    return s.source("t")


def matmul_epilogue(s: Sketch) -> str:
    """One product, then what a good kernel would do before it writes the result."""
    draw = s.draw
    rows, inner, columns = s.product()
    x = s.input(rows, inner)
    if draw.chance(0.6):
        bias = draw.pick(("", ", bias=False"))
        s.say(f"t = {s.keep('linear', f'nn.Linear({inner.name}, {columns.name}{bias})')}({x})")
    else:
        product = draw.pick(("torch.matmul({x}, {w})", "{x} @ {w}", "torch.mm({x}, {w})"))
        s.say(f"t = {product.format(x=x, w=_weight(s, inner, columns))}")
    for number in range(draw.between(2, 4)):
        how = draw.below(6)
        if how == 0:
            s.say(f"t = t + {s.weight(columns, name='bias')}")
        elif how == 1:
            s.say(f"t = t * {s.weight(columns, name='scale')}")
        elif how == 2:
            s.say(f"t = {mixed(s, 't', s.input(rows, columns) if number < 2 else f'{x}[:, :1]')}")
        elif how == 3:
            s.say(f"t = t / {draw.number(0.5, 4)}")
        else:
            s.say(f"t = {activation(s, 't')}")
    if draw.chance(0.3):
        ends = ("t.amax(dim=1)", "t.sum(dim=1, keepdim=True)", "t.mean(dim=1)", "torch.logsumexp(t, dim=1)",
                "torch.softmax(t, dim=1)", "t - t.mean(dim=1, keepdim=True)")  # fmt: skip
        s.say(f"t = {draw.pick(ends)}")
        chain(s, "t", draw.between(0, 1))
    return s.source("t")


def stacked_layers(s: Sketch) -> str:
    """Two to four linear layers with activations, gates, norms and residuals between."""
    draw = s.draw
    layers = draw.between(2, 4)
    budget = draw.products() // layers
    width = draw.pick([c for c in COLUMNS if c >= 64 and c * c * 8 <= budget])
    rows, features = s.size("ROWS", max(8, min(budget // (width * width), 4096))), s.size("FEATURES", width)
    x = s.input(rows, features)
    for _ in range(layers):
        linear = s.keep("linear", f"nn.Linear({features.name}, {features.name}{draw.pick(('', ', bias=False'))})")
        how = draw.below(4)
        if how == 0:
            gate = s.keep("gate", f"nn.Linear({features.name}, {features.name})")
            s.say(f"{x} = {draw.pick(('torch.sigmoid', 'F.silu', 'F.gelu'))}({gate}({x})) * {linear}({x})")
        elif how == 1:
            s.say(f"t = {linear}({x})")
            s.say(f"{x} = {x} + {activation(s, 't')}")
        else:
            s.say(f"{x} = {linear}({x})")
            s.say(f"{x} = {activation(s, x)}")
        if draw.chance(0.3):
            s.say(f"{x} = {s.keep('norm', f'nn.LayerNorm({features.name})')}({x})")
    return s.source(x)


def attention(s: Sketch) -> str:
    """Attention written out: heads, scores, masks, softmax, values; with or without projections."""
    draw, cuda = s.draw, s.draw.scale == "cuda"
    heads = s.size("HEADS", draw.pick((1, 2, 4, 8)))
    width = s.size("WIDTH", draw.pick((16, 32, 64)))
    length = s.size("LENGTH", draw.pick((256, 384, 512, 1024) if cuda else (32, 48, 64, 96, 128, 192)))
    batch = s.size("BATCH", max(1, min(draw.products() // (heads * width * length * length * 2), 64 if cuda else 8)))
    if draw.chance(0.5):
        x = s.input(batch, length, heads * width)
        features = s.size("FEATURES", heads * width)
        for name in "qkv":
            linear = s.keep(
                f"to_{name}", f"nn.Linear({features.name}, {features.name}{draw.pick(('', ', bias=False'))})"
            )
            s.say(f"{name} = {linear}({x}).view({x}.shape[0], {x}.shape[1], {heads}, {width}).transpose(1, 2)")
        q, k, v = "q", "k", "v"
    else:
        q, k, v = (s.input(batch, heads, length, width) for _ in range(3))
    temperature = draw.pick((f"({q}.shape[-1] ** 0.5)", draw.number(2, 8)))
    if draw.chance(0.25):  # linear attention: the softmax is gone, so the order of products is free
        feature = draw.pick(("F.elu({x}) + 1", "torch.relu({x}) + 0.1", "torch.sigmoid({x})", "F.softplus({x})"))
        s.say(f"a = {feature.format(x=q)}")
        s.say(f"b = {feature.format(x=k)}")
        s.say(f"scores = a @ b.transpose(-2, -1) / {temperature}")
        s.say(f"out = scores @ {v}" + (" / scores.sum(dim=-1, keepdim=True)" if draw.chance(0.6) else f" / {length}"))
    else:
        early = draw.chance(0.5)
        if early:
            s.say(f"{q} = {q} / {temperature}")
        product = draw.pick(("{q} @ {k}.transpose(-2, -1)", "torch.matmul({q}, {k}.transpose(2, 3))")).format(q=q, k=k)
        s.say(f"scores = {product}" + ("" if early else f" / {temperature}"))
        _masked(s, heads, length, x=q)
        how = draw.below(3)
        if how == 0:
            s.say("weights = torch.softmax(scores, dim=-1)")
        elif how == 1:
            s.say("weights = torch.exp(scores - scores.amax(dim=-1, keepdim=True))")
            s.say("weights = weights / weights.sum(dim=-1, keepdim=True)")
        else:
            s.say("weights = F.softmax(scores, dim=-1)")
        s.say(f"out = weights @ {v}")
    end = draw.below(3)
    if end == 0:
        s.say(f"out = out.transpose(1, 2).reshape(out.shape[0], {length}, {heads * width})")
    elif end == 1:
        chain(s, "out", draw.between(1, 2))
    return s.source("out")


def _masked(s: Sketch, heads: Size, length: Size, x: str) -> None:
    how = s.draw.below(5)
    if how == 0:
        s.say(f"mask = torch.ones({length}, {length}, device={x}.device).tril() == 0")
        s.say("scores = scores.masked_fill(mask, float('-inf'))")
    elif how == 1:
        s.say(f"scores = scores + {s.weight(heads, length, length, name='position')}")
    elif how == 2:
        s.say(f"scores = {s.draw.number(5, 30)} * torch.tanh(scores / {s.draw.number(5, 30)})")
    elif how == 3:
        s.say(f"far = torch.arange({length}, device={x}.device)")
        s.say(f"scores = scores - {s.draw.number(0.01, 0.3)} * (far[:, None] - far[None, :]).abs()")


def recurrence(s: Sketch) -> str:
    """A cell over time steps: plain, gated, LSTM-like, or a decaying mean; the last state or all of them."""
    draw, cuda = s.draw, s.draw.scale == "cuda"
    steps = s.size("STEPS", draw.between(6, 24) if cuda else draw.between(4, 16))
    batch = s.size("BATCH", draw.pick((32, 64, 128, 256) if cuda else (4, 8, 16, 32)))
    features = s.size("FEATURES", draw.pick((128, 256, 512) if cuda else (32, 48, 64, 96, 128)))
    hidden = s.size("HIDDEN", draw.pick((128, 256, 512) if cuda else (32, 48, 64, 96, 128)))
    x = s.input(batch, steps, features)
    kind = draw.below(5)
    if kind == 4:
        return _decay(s, x, features)
    gates = (1, 2, 3, 4)[kind]
    bias = draw.pick(("", ", bias=False"))
    into = s.keep("into", f"nn.Linear({features.name}, {gates * hidden}{bias})")
    back = s.keep("back", f"nn.Linear({hidden.name}, {gates * hidden}{bias})")
    squash = draw.pick(("torch.tanh", "torch.tanh", "torch.sigmoid", "F.softsign", "F.hardtanh"))
    s.say(f"h = torch.zeros({x}.shape[0], {hidden}, device={x}.device, dtype={x}.dtype)")
    every = draw.chance(0.5)
    if kind == 3:
        s.say("c = h")
    if every:
        s.say("states = []")
    s.say(f"for i in range({x}.shape[1]):")
    look = draw.pick((f"{x}[:, i]", f"{x}[:, i, :]", f"{x}.select(1, i)"))
    for line in _cell(s, gates, f"{into}({look})", back, squash):
        s.say(f"    {line}")
    if every:
        s.say("    states.append(h)")
        s.say("h = torch.stack(states, dim=1)")
    chain(s, "h", draw.between(0, 1))
    if draw.chance(0.3):
        s.say(f"h = {s.keep('head', f'nn.Linear({hidden.name}, {draw.pick((8, 16, 32))})')}(h)")
    return s.source("h")


def _cell(s: Sketch, gates: int, given: str, back: str, squash: str) -> list[str]:
    if gates == 1:
        mix = s.draw.number(0.3, 0.9)
        return [f"h = {squash}({given} + {back}(h))"] + (
            [f"h = {mix} * h + (1 - {mix}) * torch.sigmoid(h)"] if s.draw.chance(0.4) else []
        )
    if gates == 2:
        return [
            f"a, b = ({given} + {back}(h)).chunk(2, dim=-1)",
            "f = torch.sigmoid(a)",
            f"h = f * h + (1 - f) * {squash}(b)",
        ]
    if gates == 3:
        return [f"p, q = {given}.chunk(3, dim=-1), {back}(h).chunk(3, dim=-1)", "r = torch.sigmoid(p[0] + q[0])",
                "f = torch.sigmoid(p[1] + q[1])", f"h = f * h + (1 - f) * {squash}(p[2] + r * q[2])"]  # fmt: skip
    return [f"e, f, g, o = ({given} + {back}(h)).chunk(4, dim=-1)",
            f"c = torch.sigmoid(f) * c + torch.sigmoid(e) * {squash}(g)",
            "h = torch.sigmoid(o) * torch.tanh(c)"]  # fmt: skip


def _decay(s: Sketch, x: str, features: Size) -> str:
    draw = s.draw
    rate = draw.pick((draw.number(0.5, 0.97), f"torch.sigmoid({s.weight(features, name='rate')})"))
    s.say(f"a = {rate}")
    s.say(f"h = {x}[:, 0]")
    s.say("states = [h]")
    s.say(f"for i in range(1, {x}.shape[1]):")
    steps_of = ("a * h + (1 - a) * {x}[:, i]", "a * h + torch.tanh({x}[:, i])", "torch.maximum(a * h, {x}[:, i])",
                "a * torch.tanh(h) + {c} * {x}[:, i]")  # fmt: skip
    s.say(f"    h = {written(draw, draw.pick(steps_of), x=x)}")
    for _ in range(draw.between(0, 2)):
        after = draw.pick(("F.leaky_relu({x}, {s})", "torch.tanh({x})", "{x} * {s} + {x}", "F.softsign({x})"))
        s.say(f"    h = {written(draw, after, x='h')}")
    s.say("    states.append(h)")
    s.say(f"t = {draw.pick(('torch.stack(states, dim=1)', 'torch.cat(states, dim=-1)', 'sum(states)', 'h'))}")
    chain(s, "t", draw.between(0, 2))
    return s.source("t")
