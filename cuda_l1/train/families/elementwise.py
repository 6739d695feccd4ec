"""Families over matrices, bound by memory traffic: chains, redundant algebra, reductions, norms, softmax, losses."""

from __future__ import annotations

from cuda_l1.train.families.pointwise import MIXES, chain, mixed, written
from cuda_l1.train.families.sketch import Size, Sketch

BRIGHT = " * (0.5 + torch.rand(1))"
"""Gives every draw a size of its own: a mean over much noise would be the same for all."""


def _second(s: Sketch, rows: Size, columns: Size) -> str:
    """A tensor that broadcasts against (rows, columns)."""
    how = s.draw.below(4)
    if how == 0:
        return s.input(rows, columns)
    if how == 1:
        return s.input(rows, 1)
    if how == 2:
        return s.weight(columns, name="bias")
    return s.weight(1, name="gain")


def pointwise_chain(s: Sketch) -> str:
    """Three to nine pointwise operations, some with a second tensor."""
    rows, columns = s.matrix()
    x = s.input(rows, columns)
    sign = chain(s, x, s.draw.between(2, 4))
    for _ in range(s.draw.between(0, 2)):
        s.say(f"{x} = {mixed(s, x, _second(s, rows, columns))}")
        sign = chain(s, x, s.draw.between(1, 3))
    if s.draw.chance(0.2):
        chain(s, x, 1, sign)
    return s.source(x)


def _wastes(s: Sketch, x: str, rows: Size) -> list[list[str]]:
    """Lines that change `x` in a roundabout way, or not at all."""
    draw = s.draw
    c = draw.number(0.3, 3.0)
    twin = written(draw, draw.pick(("torch.tanh({x})", "F.gelu({x})", "torch.sigmoid({x} * {c})", "F.softplus({x})",
                                    "torch.sin({x})", "{x} / (1 + torch.abs({x}))")), x=x)  # fmt: skip
    joined = draw.pick(("a + b", "a * b", "a - {c} * b", "torch.maximum(a, b)")).format(c=draw.number(0.2, 0.8))
    dead = draw.pick((f"torch.softmax({x}, dim=-1)", f"{x}.sum(dim=-1)", f"torch.exp({x}) * {c}",
                      f"{x} @ {x}.t()[:, :8]"))  # fmt: skip
    zero_or_one = draw.pick((f"{x} + torch.zeros_like({x})", f"{x} * torch.ones_like({x})", f"{x} + 0.0", f"{x} * 1.0",
                             f"{x} ** 1", f"torch.where(torch.ones_like({x}) > 0, {x}, -{x})"))  # fmt: skip
    written_out = f"{x} * self.scale.unsqueeze(1).expand_as({x}).clone()"
    scale = f"torch.diag(self.scale) @ {x}" if draw.chance(0.5) else written_out
    return [
        [f"{x} = -(-{x})"],
        [f"{x} = {x} * {c} / {c}"],
        [f"{x} = ({x} + {c}) - {c}"],
        [f"{x} = {x}.t().contiguous().t()"],
        [f"{x} = torch.log(torch.exp(torch.clamp({x}, max={draw.number(5, 9)})))"],
        [f"a = {twin}", f"b = {twin}", f"{x} = {joined}"],
        [f"unused = {dead}"],
        [f"{x} = {zero_or_one}"],
        [f"{x} = torch.relu(torch.relu({x})) - torch.relu(-{x})"],
        [f"{x} = torch.clamp(torch.clamp({x}, -{draw.number(2, 4)}, {draw.number(2, 4)}), -{c}, {c})"],
        [f"{x} = torch.sqrt({x} * {x} + 1e-12) * torch.sign({x})"],
        [f"{x} = torch.stack([{x}, {x}, {x}]).mean(dim=0)"],
        [f"{x} = {c} * {x} + (1 - {c}) * {x}"],
        [f"{x} = torch.exp({written(draw, '{s} * {x}', x=x)}) * torch.exp({written(draw, '-{s} * {x}', x=x)})"],
        *([["self.scale", f"{x} = {scale}"]] if rows <= 2048 else []),
    ]


def redundant_algebra(s: Sketch) -> str:
    """Operations that cancel, repeat, or that nothing reads, between ones that are needed."""
    elements = min(s.draw.elements(), 1 << 16) if s.draw.scale == "cpu" else s.draw.elements()
    rows, columns = s.matrix(elements)
    x = s.input(rows, columns)
    chain(s, x, s.draw.between(0, 2))
    for lines in s.draw.several(_wastes(s, x, rows), s.draw.between(2, 4)):
        for line in lines:
            if line == "self.scale":
                s.weight(rows, name="scale")
            else:
                s.say(line)
        if s.draw.chance(0.5):
            chain(s, x, 1)
    if s.draw.chance(0.3):
        s.say(f"{x} = {x}.{s.draw.pick(('sum', 'mean', 'amax'))}(dim={s.draw.pick((0, 1))})")
    return s.source(x)


REDUCTIONS = ("{x}.sum(dim={d}{k})", "{x}.mean(dim={d}{k})", "{x}.amax(dim={d}{k})", "{x}.amin(dim={d}{k})",
              "torch.logsumexp({x}, dim={d}{k})", "{x}.var(dim={d}{k})", "{x}.std(dim={d}{k})",
              "torch.linalg.vector_norm({x}, dim={d}{k})", "{x}.abs().sum(dim={d}{k})",
              "({x} * {x}).mean(dim={d}{k})", "({x} ** 2).sum(dim={d}{k}).sqrt()",
              "torch.log(torch.exp({x}).sum(dim={d}{k}))", "torch.softmax({x}, dim={d}).amax(dim={d}{k})",
              "({x} - {x}.mean(dim={d}, keepdim=True)).abs().mean(dim={d}{k})",
              "{x}.amax(dim={d}{k}) - {x}.amin(dim={d}{k})")  # fmt: skip


def reduction(s: Sketch) -> str:
    """Sums, means, extremes and norms over one or two axes, with formulas before, between and after."""
    draw = s.draw
    rows, columns = s.matrix()
    if draw.chance(0.5):
        groups = s.size("GROUPS", draw.pick([g for g in (2, 4, 8, 16, 32) if g * 4 <= rows]) if rows >= 8 else 2)
        x = s.input(groups, s.size("ROWS_EACH", max(2, rows // groups)), columns, times=BRIGHT)
        dims = draw.several((0, 1, 2), draw.between(1, 2))
    else:
        x = s.input(rows, columns, times=BRIGHT)
        dims = [draw.pick((0, 1))]
    chain(s, x, draw.between(0, 3))
    for number, dim in enumerate(sorted(dims, reverse=True)):
        keep = ", keepdim=True" if number == 0 and draw.chance(0.25) else ""
        value = draw.pick(REDUCTIONS).format(x=x, d=dim, k=keep)
        if keep:
            s.say(f"r = {value}")
            uses = ("{x} - r", "{x} * torch.sigmoid(r)", "{x} + r", "{x} / (1 + torch.abs(r))")
            s.say(f"{x} = {draw.pick(uses).format(x=x)}")
        else:
            s.say(f"{x} = {value}")
        chain(s, x, draw.between(0, 2))
    return s.source(x)


def _norm(s: Sketch, x: str, columns: Size) -> None:
    """A norm over the last axis: a module, a function, or written out."""
    draw, eps = s.draw, s.draw.pick(("1e-5", "1e-6", "1e-3"))
    how = draw.below(7)
    if how == 0:
        s.say(f"{x} = {s.keep('norm', f'nn.LayerNorm({columns.name}, eps={eps})')}({x})")
    elif how == 1:
        s.say(f"{x} = F.layer_norm({x}, ({x}.shape[-1],), eps={eps})")
    elif how == 2:
        s.say(f"mean = {x}.mean(dim=-1, keepdim=True)")
        s.say(f"var = (({x} - mean) ** 2).mean(dim=-1, keepdim=True)")
        s.say(f"{x} = ({x} - mean) / torch.sqrt(var + {eps})")
    elif how == 3:
        s.say(f"{x} = {x} * torch.rsqrt({x}.pow(2).mean(dim=-1, keepdim=True) + {eps})")
    elif how == 4:
        s.say(f"{x} = {x} / ({x}.norm(dim=-1, keepdim=True) + {eps})")
    elif how == 5:
        s.say(f"{x} = F.normalize({x}, p={draw.pick((1, 2))}, dim=-1)")
    else:
        s.say(f"{x} = {s.keep('norm', f'nn.RMSNorm({columns.name}, eps={eps})')}({x})")
    if how >= 2 and draw.chance(0.6):
        shift = f" + {s.weight(columns, name='beta')}" if draw.chance(0.5) else ""
        s.say(f"{x} = {x} * {s.weight(columns, name='gamma')}{shift}")


def normalisation(s: Sketch) -> str:
    """Norms of rows, groups or channels, with residuals and activations around them."""
    draw = s.draw
    if draw.chance(0.3):
        batch, channels, side = s.image()
        x = s.input(batch, channels, side, side)
        groups = draw.pick([g for g in (2, 4, 8) if channels % g == 0])
        module = draw.pick((f"nn.GroupNorm({groups}, {channels.name})", f"nn.BatchNorm2d({channels.name})",
                            f"nn.InstanceNorm2d({channels.name}, affine=True)"))  # fmt: skip
        skip = draw.chance(0.5)
        if skip:
            s.say(f"skip = {x}")
        chain(s, x, draw.between(0, 2))
        s.say(f"{x} = {s.keep('norm', module)}({x})")
        chain(s, x, draw.between(1, 3))
        if skip:
            s.say(f"{x} = {mixed(s, x, 'skip')}")
        return s.source(x)
    rows, columns = s.matrix()
    x = s.input(rows, columns)
    if draw.chance(0.5):
        s.say(f"{x} = {mixed(s, x, _second(s, rows, columns))}")
    chain(s, x, draw.between(0, 2))
    _norm(s, x, columns)
    chain(s, x, draw.between(0, 2))
    if draw.chance(0.3):
        s.say(f"{x} = {mixed(s, x, s.input(rows, columns))}")
        _norm(s, x, columns)
    return s.source(x)


def softmax(s: Sketch) -> str:
    """Softmax over rows or columns: by the library or written out, with temperature, masks and gates."""
    draw = s.draw
    rows, columns = s.matrix()
    x = s.input(rows, columns)
    chain(s, x, draw.between(0, 2))
    dim = draw.pick((0, 1, 1))
    temperature = f" / {draw.number(0.5, 4)}" if draw.chance(0.5) else ""
    if draw.chance(0.3):
        mask = s.input(rows, columns)
        s.say(f"{x} = {x}.masked_fill({mask} < -{draw.number(0.2, 1.2)}, {draw.pick(('-1e4', '-50.0', '-20.0'))})")
    how = draw.below(5)
    if how == 0:
        s.say(f"p = torch.softmax({x}{temperature}, dim={dim})")
    elif how == 1:
        s.say(f"p = F.log_softmax({x}{temperature}, dim={dim}){draw.pick(('', '.exp()'))}")
    elif how == 2:
        s.say(f"{x} = {x}{temperature or ' * 1.5'}")
        s.say(f"e = torch.exp({x} - {x}.amax(dim={dim}, keepdim=True))")
        total = f"e.sum(dim={dim}, keepdim=True)"
        s.say(f"p = e / {draw.pick((total, f'(1e-6 + {total})'))}")
    elif how == 3:
        s.say(f"{x} = {x}{temperature or ' * 0.7'}")
        s.say(f"p = torch.exp({x} - torch.logsumexp({x}, dim={dim}, keepdim=True))")
    else:
        s.say(f"p = {draw.pick(('torch.relu', 'torch.sigmoid', 'F.softplus'))}({x}{temperature})")
        s.say(f"p = p / (p.sum(dim={dim}, keepdim=True) + 1e-3)")
    chain(s, "p", draw.between(0, 1))
    if draw.chance(0.6):
        other = _second(s, rows, columns) if draw.chance(0.5) else x
        s.say(f"p = {draw.pick(MIXES[:3]).format(x='p', y=other)}")
    if draw.chance(0.3):
        s.say(f"p = p.sum(dim={draw.pick((0, 1))})")
    return s.source("p")


LOSSES = ("({a} - {b}) ** 2", "torch.abs({a} - {b})", "F.smooth_l1_loss({a}, {b}, reduction='none')",
          "F.huber_loss({a}, {b}, reduction='none', delta={c})", "torch.log(torch.cosh({a} - {b}))",
          "F.softplus(-{a} * torch.sign({b}))", "torch.relu({c} - {a} * torch.sign({b}))",
          "F.binary_cross_entropy_with_logits({a}, torch.sigmoid({b}), reduction='none')",
          "-torch.softmax({b}, dim=-1) * F.log_softmax({a}, dim=-1)",
          "F.kl_div(F.log_softmax({a}, dim=-1), torch.softmax({b}, dim=-1), reduction='none')",
          "torch.exp({s} * {a}) - {b} * {a}", "0.5 * (({a} - {b}) ** 2 / ({c} + {b} ** 2) + torch.log({c} + {b} ** 2))",
          "torch.sqrt(({a} - {b}) ** 2 + {c})", "torch.sigmoid({a}) ** 2 * F.softplus({a} - {b})")  # fmt: skip


def loss(s: Sketch) -> str:
    """A loss of predictions and targets: one or two terms, weights, and a mean or sum of rows or of all."""
    draw = s.draw
    rows, columns = s.matrix()
    a, b = s.input(rows, columns, times=BRIGHT), s.input(rows, columns)
    chain(s, a, draw.between(0, 2))
    terms = [written(draw, text, x="", a=a, b=b) for text in draw.several(LOSSES, draw.between(1, 2))]
    s.say(f"loss = {terms[0]}")
    for term in terms[1:]:
        s.say(f"loss = loss + {draw.number(0.1, 1)} * ({term})")
    if draw.chance(0.4):
        s.say(f"loss = loss * {s.weight(columns, name='weight')}.abs()")
    if draw.chance(0.3):
        s.say(f"loss = torch.where({a} > {draw.number(0, 0.5)}, loss, {draw.number(0.1, 0.9)} * loss)")
    end = draw.pick(
        ("loss.mean(dim=-1)", "loss.sum(dim=-1)", "loss.mean()", "loss.sum(dim=-1).mean()", "loss.mean(dim=0)")
    )
    return s.source(end)
