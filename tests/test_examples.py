"""The examples run, are honest tasks, and what their docstrings say about the algebra is true."""

from pathlib import Path

import pytest

from cuda_l1 import tasks

FOLDER = Path(__file__).parents[1] / "examples"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))
SMALL = {
    "attention": {"STEPS": "32"},
    "diagonal_matmul": {"N": "48", "M": "40"},
    "pooling_chain": {"SIDE": "16"},
    "wasted_matmul": {"IN": "64", "OUT": "48"},
}
DEGENERATE = {"conv3d_constant"}


def load(name, **options):
    return tasks.load(str(FOLDER / f"{name}.py"), **options)


def module_of(task):
    """The task's own module and its get_inputs."""
    import torch

    space = {"__name__": "task"}
    exec(compile(task.source, task.name, "exec"), space)
    torch.manual_seed(0)
    return space["Model"](*space["get_init_inputs"]()).eval(), space["get_inputs"]


def test_the_examples_that_the_issue_asks_for_are_there():
    assert {"diagonal_matmul", "lstm", "conv3d_constant", "attention", "layernorm_residual_gelu", "wasted_matmul",
            "pooling_chain", "mlp"} <= set(NAMES)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_an_example_explains_itself(name):
    task = load(name)
    assert "What is slow:" in task.source
    assert "What a good engineer does:" in task.source
    assert load(name, device="cuda").id != task.id, "sized for a GPU too"


@pytest.mark.parametrize("name", NAMES)
def test_outputs_depend_on_inputs_and_on_weights(name):
    """All but the one that is there because they do not; and no output is so small that a constant would pass."""
    import torch

    module, get_inputs = module_of(load(name))
    inputs = get_inputs()
    with torch.no_grad():
        one, two = module(*inputs), module(*get_inputs())
        for weight in module.parameters():
            weight.mul_(1.1)
        reweighed = module(*inputs)
    if name in DEGENERATE:
        assert not one.any()
        assert not two.any()
        return
    assert one.square().mean().sqrt() > 0.05
    assert (one - two).norm() > 0.2 * one.norm()
    if list(module.parameters()):
        assert (one - reweighed).norm() > 0.01 * one.norm()


def test_the_diagonal_product_is_a_scaling_of_rows():
    import torch

    module, get_inputs = module_of(load("diagonal_matmul", sizes=SMALL["diagonal_matmul"]))
    a, b = get_inputs()
    torch.testing.assert_close(module(a, b), a.unsqueeze(1) * b)


def test_attention_is_causal_scaled_dot_product_attention():
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    module, get_inputs = module_of(load("attention", sizes=SMALL["attention"]))
    q, k, v = get_inputs()
    torch.testing.assert_close(module(q, k, v), scaled_dot_product_attention(q, k, v, is_causal=True))


def test_the_wasted_product_is_one_with_a_vector():
    import torch

    module, get_inputs = module_of(load("wasted_matmul", sizes=SMALL["wasted_matmul"]))
    module, (x,) = module.double(), get_inputs()
    weight, bias = module.linear.weight.sum(0), module.linear.bias.sum()
    torch.testing.assert_close(module(x.double())[:, 0], (x.double() @ weight + bias) / 2 * module.scale)


def test_the_pooling_chain_is_a_mean():
    import torch

    module, get_inputs = module_of(load("pooling_chain", sizes=SMALL["pooling_chain"]))
    (x,) = get_inputs()
    torch.testing.assert_close(module(x), x.mean(dim=(2, 3)))


def test_the_normalisation_by_hand_is_layer_norm_and_gelu():
    import torch
    from torch.nn import functional as F

    module, get_inputs = module_of(load("layernorm_residual_gelu", sizes={"TOKENS": "8"}))
    x, residual = get_inputs()
    normed = F.layer_norm(x + residual, (x.shape[-1],), module.weight, module.bias, module.eps)
    torch.testing.assert_close(module(x, residual), F.gelu(normed, approximate="tanh"))
