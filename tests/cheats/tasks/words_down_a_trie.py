import torch
import torch.nn as nn

NODES, LETTERS, WORDS, LENGTH = 600, 8, 256, 40


class Model(nn.Module):
    """How far each word goes down a trie, and what its last node there is worth: -1 where no word goes on so."""

    def __init__(self):
        super().__init__()
        self.worth = nn.Parameter(torch.randn(NODES))

    def forward(self, words, children):
        node = torch.zeros(len(words), dtype=torch.long, device=words.device)
        depth, alive = torch.zeros_like(node), torch.ones_like(node, dtype=torch.bool)
        for at in range(words.shape[1]):
            after = children[node, words[:, at]]
            alive = alive & (after >= 0)
            node = torch.where(alive, after, node)
            depth = depth + alive
        return self.worth[node] * (1 + depth)


def get_inputs():
    children, count = torch.full((NODES, LETTERS), -1), 1
    drawn = torch.rand(4 * NODES, 2).tolist()
    rows = children.tolist()
    for one, two in drawn:
        node, letter = int(one * count), int(two * LETTERS)
        if count < NODES and rows[node][letter] < 0:
            rows[node][letter] = count
            count += 1
    return [torch.randint(0, LETTERS, (WORDS, LENGTH)), torch.tensor(rows)]


def get_init_inputs():
    return []
