"""Trees whose nodes name their children: how they are seen, and what is made of them."""

import pytest
import torch
from looked import seen

from cuda_l1.inputs.trees import grown, tree_of

NODES = 200


def _pairs(nobody: int | None) -> tuple[torch.Tensor, torch.Tensor]:
    """Left and right of a tree that is drawn leaf by leaf; what a leaf has is that number, or itself."""
    leaves = [0]
    table = [[index if nobody is None else nobody] * 2 for index in range(NODES - 1)]
    for first in range(1, NODES - 1, 2):
        at = leaves.pop(int(torch.randint(0, len(leaves), ())))
        table[at] = [first, first + 1]
        leaves += table[at]
    left, right = torch.tensor(table).unbind(1)
    return left.contiguous(), right.contiguous()


def _depth(*columns: torch.Tensor) -> int:
    tree = tree_of(torch.stack(columns, 1))
    assert tree is not None, "each has one parent"
    return int(tree.depth.max())


@pytest.mark.parametrize("nobody", [-1, 0, None])
def test_a_tree_of_two_columns_becomes_deep(nobody):
    left, right = _pairs(nobody)
    drawn = torch.randn(50, 8), left, right, torch.randint(0, 8, (len(left),))
    assert seen(*drawn).deep == (((1, 2, 0), 0),), "with what may decide at its nodes"
    made = [grown(drawn, index, 0, seed=1) for index in (1, 2)]
    assert _depth(left, right) < 40 < 90 < _depth(*made)
    own, other = tree_of(torch.stack([left, right], 1)), tree_of(torch.stack(made, 1))
    assert torch.equal(own.is_child, other.is_child), "who has children has as many, in the same columns"
    assert torch.equal(own.kids.sort().values, other.kids.sort().values)
    assert bool((other.kids > other.owners).all()), "parents come first, as they did"


def test_it_stays_less_deep_than_the_next_number_of_the_text():
    left, right = _pairs(-1)
    drawn = torch.randn(50, 8), left, right
    [(some, bound)] = seen(*drawn, source="for _ in range(64): pass").deep
    assert (some, bound) == ((1, 2, 0), 64)
    made = [grown(drawn, index, bound, seed=0) for index in (1, 2)]
    assert 40 < _depth(*made) < 64


def test_a_tree_whose_nodes_are_in_no_order_becomes_deep():
    left, right = _pairs(-1)
    names = torch.randperm(len(left))
    left, right = (
        torch.empty_like(each).index_copy_(0, names, torch.where(each < 0, -1, names[each])) for each in (left, right)
    )
    made = [grown((left, right), index, 0, seed=3) for index in (0, 1)]
    assert _depth(*made) > 90
    assert int((made[0] < 0).sum()) == int((left < 0).sum())


def test_words_lead_down_a_trie():
    children, count = torch.full((NODES, 4), -1), 1
    while count < NODES:
        node, letter = int(torch.randint(0, count, ())), int(torch.randint(0, 4, ()))
        if children[node, letter] < 0:
            children[node, letter], count = count, count + 1
    words = torch.randint(0, 4, (64, 24))
    assert seen(words, children).deep == (((1, 0), 0),)
    words, children = (grown((words, children), index, 0, seed=2) for index in (0, 1))
    node, far = torch.zeros(64, dtype=torch.long), torch.zeros(64, dtype=torch.long)
    for at in range(24):
        after = children[node, words[:, at]]
        node, far = torch.where(after < 0, node, after), far + (after >= 0)
    assert int((far == 24).sum()) > 16, "half of them go down as far as they are long"


def test_what_says_how_deep_nodes_are_keeps_a_tree_as_it_is():
    left, right = _pairs(-1)
    depth = tree_of(torch.stack([left, right], 1)).depth
    assert not seen(left, right, depth).deep
    parents = torch.zeros_like(left)
    for column in (left, right):
        parents[column[column >= 0]] = torch.arange(len(left))[column >= 0]
    assert not seen(left, right, parents).deep


def test_what_names_a_node_twice_is_no_tree():
    assert not seen(torch.randint(0, NODES, (NODES,)), torch.randint(0, NODES, (NODES,))).deep
    assert not seen(torch.randperm(NODES), torch.randint(0, NODES, (NODES,))).deep
