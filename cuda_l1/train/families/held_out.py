"""Families that are never trained on. Each is built around operations that no family to train on calls."""

from __future__ import annotations

from cuda_l1.train.families.pointwise import activation, chain, mixed, written
from cuda_l1.train.families.sketch import Sketch


def pairwise_distance(s: Sketch) -> str:
    """All distances between two sets of points: `cdist`, its written forms beside it, kernels and cosines."""
    draw = s.draw
    elements = draw.elements()
    width = s.size("WIDTH", draw.pick((4, 8, 16, 32, 64)))
    a = s.size("POINTS", draw.pick([n for n in (32, 64, 96, 128, 256, 512, 1024, 2048) if n * n <= 2 * elements]))
    b = s.size("OTHERS", max(8, min(elements // a, 4096)))
    x, y = s.input(a, width), s.input(b, width)
    if draw.chance(0.5):
        chain(s, x, 1)
    how = draw.below(5)
    if how == 0:
        s.say(f"t = torch.cdist({x}, {y}, p={draw.pick(('2.0', '1.0'))})")
    elif how == 1:
        s.say(f"t = F.pairwise_distance({x}.unsqueeze(1), {y}.unsqueeze(0))")
    elif how == 2:
        s.say(f"t = F.cosine_similarity({x}[:, None, :], {y}[None, :, :], dim=-1)")
    elif how == 3:
        s.say(f"t = torch.cdist({x}, {y}) ** 2")
    else:
        s.say(f"t = torch.linalg.vector_norm({x}[:, None] - {y}[None], ord={draw.pick((1, 2, 3))}, dim=-1)")
        s.say(f"t = t + {draw.number(0.1, 1)} * torch.cdist({x}, {y})")
    if draw.chance(0.4):
        s.say(f"t = torch.exp(-t * {draw.number(0.1, 0.9)} / {width})")
    chain(s, "t", draw.between(0, 2))
    if draw.chance(0.4):
        s.say(f"t = t.{draw.pick(('amin', 'sum', 'mean', 'amax'))}(dim={draw.pick((0, 1))})")
    return s.source("t")


def prefix_scan(s: Sketch) -> str:
    """Running sums, products and extremes along an axis, in both directions."""
    draw = s.draw
    rows, columns = s.matrix()
    x = s.input(rows, columns)
    chain(s, x, draw.between(0, 2))
    dim = draw.pick((0, 1))
    for _ in range(draw.between(1, 2)):
        scan = written(
            draw,
            draw.pick((
                "torch.cumsum({x}, dim={dim})", "torch.cumprod(1 + 0.01 * torch.tanh({x}), dim={dim})",
                "torch.cummax({x}, dim={dim}).values", "torch.cummin({x}, dim={dim}).values",
                "torch.logcumsumexp({x}, dim={dim})", "torch.cumsum({x}.flip({dim}), dim={dim}).flip({dim})",
                "torch.cumsum({x}, dim={dim}) - {x}", "{x} - {s} * torch.cumsum({x} * {x}, dim={dim})",
            )),
            x=x, dim=str(dim),
        )  # fmt: skip
        s.say(f"{x} = {scan}")
        if draw.chance(0.6):
            count = f"torch.arange(1, {x}.shape[{dim}] + 1, device={x}.device).unsqueeze({1 - dim})"
            s.say(f"{x} = {x} / {count}")
        chain(s, x, draw.between(0, 2))
    if draw.chance(0.3):
        s.say(f"{x} = torch.diff({x}, dim={dim})")
    return s.source(x)


def table_lookup(s: Sketch) -> str:
    """Rows taken from and added to tables by index: embeddings, gathers, scatters, one-hot products."""
    draw = s.draw
    width = s.size("WIDTH", draw.pick((16, 32, 64, 128)))
    entries = s.size("ENTRIES", draw.pick((64, 100, 256, 512, 1000)))
    bag = s.size("BAG", draw.pick((4, 8, 16)))
    rows = s.size("ROWS", max(8, draw.elements() // (width * bag)))
    index = s.indices(entries, rows, bag)
    table = s.keep("table", f"nn.Embedding({entries.name}, {width.name})")
    how = draw.below(5)
    if how == 0:
        s.say(f"t = {table}({index})")
        s.say(f"t = {activation(s, 't')}")
        s.say(f"t = t.{draw.pick(('sum', 'mean', 'amax'))}(dim=1)")
    elif how == 1:
        s.say(f"t = F.embedding_bag({index}, {table}.weight, mode='{draw.pick(('sum', 'mean', 'max'))}')")
    elif how == 2:
        s.say(f"t = F.one_hot({index}, {entries}).to({table}.weight.dtype).sum(dim=1) @ {table}.weight")
    elif how == 3:
        x = s.input(rows, entries)
        of = draw.pick((x, f"torch.softmax({x}, dim=1)", f"torch.log_softmax({x}, dim=1)"))
        s.say(f"t = torch.gather({of}, 1, {index})")
        s.say(f"t = t[:, :, None] * {table}({index})")
        s.say(f"t = t.{draw.pick(('sum', 'mean'))}(dim=1)")
    else:
        x = s.input(rows, width)
        s.say(f"t = torch.zeros({entries}, {width}, device={x}.device, dtype={x}.dtype)")
        s.say(f"t = t.index_add(0, {index}[:, 0], {draw.pick((x, f'{x} * {x}', f'torch.relu({x})'))})")
        s.say(f"t = t.index_select(0, {index}[:, 1]) + {table}({index}[:, 2])")
    chain(s, "t", draw.between(1, 3))
    if draw.chance(0.3):
        s.say(f"t = t * {s.weight(width, name='scale')}")
    return s.source("t")


def sliding_window(s: Sketch) -> str:
    """Windows that overlap: unfolded, rolled or padded and shifted; moving means, filters, local extremes."""
    draw = s.draw
    rows, columns = s.matrix(max(1 << 12, draw.elements() // 2))
    window = s.size("WINDOW", draw.pick((3, 4, 5, 7, 8)))
    x = s.input(rows, columns)
    chain(s, x, draw.between(0, 1))
    reduce = draw.pick(("mean(dim=-1)", "amax(dim=-1)", "sum(dim=-1)", "std(dim=-1)", "amin(dim=-1)"))
    how = draw.below(5)
    if how == 0:
        s.say(f"t = {x}.unfold(-1, {window}, {draw.pick((1, 1, 2))}).{reduce}")
    elif how == 1:
        s.say(f"t = ({x}.unfold(-1, {window}, 1) * {s.weight(window, name='taps')}).sum(dim=-1)")
    elif how == 2:
        s.say(f"t = {x}")
        s.say(f"for i in range(1, {window}):")
        steps = ("t + {s} * torch.roll({x}, i, dims={d})", "torch.maximum(t, torch.roll({x}, i, dims={d}))",
                 "t - torch.roll({x}, -i, dims={d}) / (i + 1)")  # fmt: skip
        s.say(f"    t = {written(draw, draw.pick(steps), x=x, d=str(draw.pick((0, 1))))}")
    elif how == 3:
        s.say(f"p = F.pad({x}, ({window - 1}, 0){draw.pick(('', ', value=1.0'))})")
        shifted = f"p[:, i : i + {x}.shape[1]]"
        term = draw.pick((f"{shifted} * {draw.number(0.1, 0.9)}", f"torch.tanh({shifted})", f"{shifted} / (i + 1)"))
        s.say(f"t = sum({term} for i in range({window}))")
    else:
        side = s.size("SIDE", draw.pick((16, 24, 32)))
        channels = s.size("CHANNELS", draw.pick((2, 4, 8)))
        batch = s.size("BATCH", max(1, min(draw.elements() // (side * side * channels * 4), 512)))
        y = s.input(batch, channels, side, side)
        s.say(f"t = F.unfold({y}, kernel_size=3, padding=1)")
        windows = f"t.view({y}.shape[0], {channels}, 9, -1)"
        filters = s.weight(8, channels * 9, name="filters")
        s.say(f"t = {draw.pick((f'{windows}.amax(dim=2)', f'{windows}.std(dim=2)', f'{filters} @ t'))}")
        s.say(f"t = t * torch.sigmoid({x}.mean())")
    chain(s, "t", draw.between(1, 3))
    if draw.chance(0.3):
        s.say("t = t.mean(dim=-1)")
    return s.source("t")


def einsum_contraction(s: Sketch) -> str:
    """Contractions named by letters, bilinear forms, outer and tensor products."""
    draw, cuda = s.draw, s.draw.scale == "cuda"
    n = s.size("N", draw.pick((256, 512, 1024) if cuda else (32, 48, 64, 96)))
    m = s.size("M", draw.pick((128, 256, 512) if cuda else (24, 32, 64, 80)))
    k = s.size("K", draw.pick((64, 128, 256) if cuda else (16, 32, 48)))
    batch = s.size("BATCH", draw.pick((8, 16, 32) if cuda else (4, 8, 12)))
    x, y = s.input(batch, n, k), s.input(batch, m, k)
    if draw.chance(0.4):
        chain(s, x, 1)
    scale = f" * {float(k) ** -0.5:.3g}"
    how = draw.below(7)
    if how == 0:
        letters = draw.pick(("bnk,bmk->bnm", "bnk,bmk->bmn", "bnk,bmk->nm", "bnk,bmk->bn", "bnk,bmk->bm"))
        s.say(f"t = torch.einsum('{letters}', {x}, {y}){scale}")
    elif how == 1:
        form = s.weight(k, k, name="form", scale=float(k) ** -0.5)
        letters = draw.pick(("bnk,kl,bml->bnm", "bnk,kl,bml->nm", "bnk,kl,bml->bm"))
        s.say(f"t = torch.einsum('{letters}', {x}, {form}, {y}){scale}")
    elif how == 2:
        s.say(f"t = torch.tensordot({x}, {y}, dims=([0, 2], [0, 2])){scale}")
    elif how == 3:
        s.say(f"t = torch.bmm({x}, {y}.transpose(1, 2)){scale}")
        s.say(f"t = torch.einsum('{draw.pick(('bnm->bmn', 'bnm->nm', 'bnm->b', 'bnm->bn'))}', t)")
    elif how == 4:
        s.say(f"t = torch.einsum('bnk,bmk->bknm', {x}[:, :8], {y}[:, :8])")
        s.say(f"t = {activation(s, 't')}")
        s.say(f"t = torch.einsum('{draw.pick(('bknm->bnm', 'bknm->bk', 'bknm->bmk'))}', t)")
    elif how == 5:
        form = s.keep("form", f"nn.Bilinear({k.name}, {k.name}, {draw.pick((4, 8, 16))})")
        least = min(int(n), int(m))
        s.say(f"t = {form}({x}[:, :{least}].contiguous(), {y}[:, :{least}].contiguous())")
    else:
        s.say(f"t = torch.kron({x}[0, :16], {y}[0, :16]) + torch.einsum('bnk->k', {x}).mean(){scale}")
    for _ in range(draw.between(0, 1)):
        s.say(f"t = {mixed(s, 't', s.weight(1, name='gain'))}")
    chain(s, "t", draw.between(1, 3))
    return s.source("t")


def ordering(s: Sketch) -> str:
    """Sorted values, the largest few, medians and ranks."""
    draw = s.draw
    rows, columns = s.matrix(max(1 << 12, draw.elements() // 2))
    few = draw.pick([k for k in (4, 8, 16, 32) if 2 * k <= columns])
    x = s.input(rows, columns)
    chain(s, x, draw.between(0, 2))
    s.say(f"{x} = {x} + 1e-3 * {s.weight(columns, name='tie')}")
    how = draw.below(6)
    down = draw.pick(("True", "False"))
    if how == 0:
        s.say(f"t = torch.sort({x}, dim=-1, descending={down}).values[:, :{few}]")
    elif how == 1:
        s.say(f"t = torch.topk({x}, {few}, dim=-1, largest={down}).values")
    elif how == 2:
        s.say(f"t = {x}.median(dim=-1, keepdim=True).values")
        s.say(f"t = {mixed(s, x, 't')}")
    elif how == 3:
        s.say(f"t = torch.kthvalue({x}, {few}, dim=-1, keepdim=True).values")
        s.say(f"t = {draw.pick((f'torch.relu({x} - t)', f'torch.where({x} < t, {x}, t)', f'{x} - t'))}")
    elif how == 4:
        s.say(f"least = torch.topk({x}, {few}, dim=-1).values[:, -1:]")
        s.say(f"t = {x}.masked_fill({x} < least, {draw.pick(('-20.0', '0.0', '-1e4'))})")
        s.say("t = torch.softmax(t, dim=-1)")
    else:
        s.say(f"t = torch.quantile({x}, {draw.number(0.1, 0.9)}, dim=-1, keepdim=True)")
        s.say(f"t = {mixed(s, x, 't')}")
    chain(s, "t", draw.between(1, 2))
    if draw.chance(0.4):
        s.say(f"t = t.{draw.pick(('sum', 'mean'))}(dim=-1)")
    return s.source("t")
