"""Families over images and over memory layout: convolutions, pooling, copies that need not be, split and merge."""

from __future__ import annotations

from cuda_l1.train.families.pointwise import activation, chain, mixed, written
from cuda_l1.train.families.sketch import Size, Sketch


def convolution(s: Sketch) -> str:
    """A small convolution (plain, depthwise, pointwise, transposed, over time), then norm, activation, pool."""
    draw = s.draw
    products = draw.products()
    kernel = draw.pick((1, 3, 3, 5))
    channels = draw.pick((4, 8, 16, 32))
    outer = draw.pick((8, 16, 32))
    time = draw.chance(0.25)
    depthwise = draw.chance(0.25)
    each = kernel ** (1 if time else 2) * channels * (1 if depthwise else outer)
    positions = max(1024, min(products // each, 4 * draw.elements() // max(channels, outer)))
    side = draw.pick((128, 200, 256, 512)) if time else draw.pick((16, 24, 28, 32))
    side *= draw.pick((1, 2, 4)) if draw.scale == "cuda" else 1
    dims = 1 if time else 2
    batch = s.size("BATCH", max(1, min(positions // side**dims, 128)))
    c, length = s.size("CHANNELS", channels), s.size("LENGTH" if time else "SIDE", side)
    x = s.input(batch, c, *[length] * dims)
    kind = f"Conv{dims}d"
    extra = f", padding={draw.pick((0, kernel // 2))}" + draw.pick(("", ", bias=False"))
    if depthwise:
        outer, extra = channels, f"{extra}, groups={c.name}"
    elif draw.chance(0.2):
        kind = f"ConvTranspose{dims}d"
    elif draw.chance(0.3):
        extra += ", stride=2"
    wide = s.size("OUT", outer)
    s.say(f"t = {s.keep('conv', f'nn.{kind}({c.name}, {wide.name}, {kernel}{extra})')}({x})")
    for _ in range(draw.between(1, 4)):
        how = draw.below(6)
        if how == 0:
            s.say(f"t = {s.keep('norm', f'nn.BatchNorm{dims}d({wide.name})')}(t)")
        elif how == 1:
            s.say(f"t = t {draw.pick(('+', '*'))} {s.weight(wide, *[1] * dims, name='bias')}")
        elif how == 2:
            s.say(f"t = t * {draw.number(0.3, 2)} + {draw.number(0, 1)}")
        else:
            s.say(f"t = {activation(s, 't')}")
    if draw.chance(0.4):
        pools = (
            f"F.avg_pool{dims}d(t, 2)",
            f"F.max_pool{dims}d(t, 2)",
            "t.mean(dim=-1)",
            "t.amax(dim=1)",
            "t.sum(dim=1)",
        )
        s.say(f"t = {draw.pick(pools)}")
    return s.source("t")


def pooling(s: Sketch) -> str:
    """Pools one after the other, formulas between, often a mean of all that is left."""
    draw = s.draw
    elements = draw.elements()
    channels, side = s.size("CHANNELS", draw.pick((4, 8, 16, 32))), s.size("SIDE", draw.pick((32, 48, 64, 96)))
    batch = s.size("BATCH", max(1, min(elements // (channels * side * side), 256)))
    x = s.input(batch, channels, side, side, times=" + torch.randn(BATCH, CHANNELS, 1, 1)")
    left = int(side)
    chain(s, x, draw.between(0, 1))
    for _ in range(draw.between(2, 3)):
        if left < 8:
            break
        k = draw.pick((2, 2, 3 if left % 3 == 0 else 4))
        how = draw.below(6)
        kind = draw.pick(("Avg", "Max"))
        if how < 2:
            s.say(f"{x} = {s.keep('pool', f'nn.{kind}Pool2d({k})')}({x})")
        elif how == 2:
            s.say(f"{x} = F.{kind.lower()}_pool2d({x}, kernel_size={k})")
        elif how == 3:
            tiles = f"{x}.reshape(*{x}.shape[:2], {left // k}, {k}, {left // k}, {k})"
            s.say(f"{x} = {tiles}.{draw.pick(('mean', 'amax', 'sum'))}(dim=(3, 5))")
        elif how == 4:
            s.say(f"{x} = -F.max_pool2d(-{x}, {k})")
        else:
            s.say(f"{x} = F.lp_pool2d(F.relu({x}) + 0.1, 2, {k})")
        left //= k
        chain(s, x, draw.between(0, 1))
    end = draw.below(4)
    if end == 0:
        s.say(f"{x} = {x}.mean(dim=(2, 3))")
    elif end == 1:
        s.say(f"{x} = F.adaptive_avg_pool2d({x}, 1).flatten(1)")
    elif end == 2:
        s.say(f"{x} = {x}.amax(dim=(2, 3))")
    chain(s, x, draw.between(0, 2))
    return s.source(x)


def _copies(s: Sketch, x: str, columns: Size) -> list[list[str]]:
    draw = s.draw
    half = max(1, columns // 2)
    step = draw.pick((2, 4, 8))
    function = draw.pick(("tanh", "sigmoid", "relu", "abs"))
    first, second = (
        written(draw, draw.pick(options), x="part")
        for options in (("torch.tanh({x})", "{x} * {c}", "torch.relu({x})", "F.gelu({x})", "{x} + {s}"),
                        ("torch.sigmoid({x})", "{x} / {c}", "F.silu({x})", "{x} - {s}"))
    )  # fmt: skip
    return [
        [f"{x} = {x}.clone()"],
        [f"{x} = {x}.t().contiguous()", f"{x} = torch.{function}({x}).t().contiguous()"],
        [f"{x} = {x} + {s.weight(columns, name='bias')}.repeat({x}.shape[0], 1)"],
        [f"{x} = {x} * {s.weight(columns, name='scale')}.unsqueeze(0).expand({x}.shape[0], -1).contiguous()"],
        [f"{x} = torch.cat([{x}[:, :{half}], {x}[:, {half}:]], dim=1)"],
        [f"{x} = torch.cat([{x}, {x}.neg()], dim=1)[:, :{columns}]"],
        [f"{x} = torch.stack([{x}, {x} * {draw.number(0.2, 2)}]).sum(dim=0)"],
        [f"out = torch.empty_like({x})", f"out.copy_({x})", f"{x} = out"],
        [f"out = torch.zeros_like({x})", f"out[:, :{half}] = {x}[:, :{half}] * {draw.number(0.5, 2)}",
         f"out[:, {half}:] = {x}[:, {half}:]", f"{x} = out"],
        [f"parts = [{first} for part in {x}.split({half}, dim=1)]", f"{x} = torch.cat(parts, dim=1)"],
        ["parts = []", f"for part in {x}.chunk({step}, dim=0):", f"    part = {first}", f"    parts.append({second})",
         f"{x} = torch.cat(parts, dim=0)"],
        [f"{x} = {x}.double().mul({draw.number(0.5, 2)}).float()"],
        [f"{x} = {x}.reshape(-1).clone().view({x}.shape)"],
        [f"{x} = {x}.flip(0).flip(0)"],
        [f"columns = [{x}[:, i::{step}] * {draw.number(0.3, 2)} for i in range({step})]",
         f"{x} = torch.cat(columns, dim=1)"],
    ]  # fmt: skip


def memory_traffic(s: Sketch) -> str:
    """Copies, round trips through another layout, broadcasts written out, loops over slices."""
    draw = s.draw
    rows, columns = s.matrix()
    rows = s.size("BATCH", (rows + 7) // 8 * 8)
    x = s.input(rows, columns)
    if draw.chance(0.5):
        chain(s, x, 1)
    for lines in draw.several(_copies(s, x, columns), draw.between(2, 4)):
        for line in lines:
            s.say(line)
        chain(s, x, draw.between(0, 2))
    if draw.chance(0.2):
        s.say(f"{x} = {x}.{draw.pick(('sum', 'amax'))}(dim={draw.pick((0, 1))})")
    return s.source(x)


def split_and_merge(s: Sketch) -> str:
    """The features fall into parts; each has work of its own; then they are joined, gated or added."""
    draw = s.draw
    parts = draw.pick((2, 3, 4))
    rows, each = s.matrix(max(1 << 12, draw.elements() // parts), ("ROWS", "FEATURES"))
    x = s.input(rows, s.size("ALL", parts * each))
    linear = draw.chance(0.3) and each <= 256
    names = ["a", "b", "c", "d"][:parts]
    split = draw.pick((f"{x}.chunk({parts}, dim=-1)", f"torch.split({x}, {each}, dim=-1)",
                       f"{x}.view(-1, {parts}, {each}).unbind(dim=1)"))  # fmt: skip
    s.say(f"{', '.join(names)} = {split}")
    for name in names:
        if linear and draw.chance(0.6):
            s.say(f"{name} = {s.keep('linear', f'nn.Linear({each.name}, {each.name})')}({name})")
        chain(s, name, draw.between(1, 2))
    how = draw.below(4)
    if how == 0:
        order = ", ".join(draw.several(names, parts))
        s.say(f"t = torch.cat([{order}], dim=-1)")
    elif how == 1:
        s.say(f"t = torch.stack([{', '.join(names)}], dim=1).{draw.pick(('mean', 'sum', 'amax'))}(dim=1)")
    else:
        s.say(f"t = {names[0]}")
        for name in names[1:]:
            s.say(f"t = {mixed(s, 't', name)}")
    chain(s, "t", draw.between(0, 2))
    return s.source("t")
