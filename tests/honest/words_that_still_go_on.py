"""less work: of words down a trie only those that go on are looked at."""

import torch
import torch.nn as nn

TASK = "words_down_a_trie"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.worth = nn.Parameter(torch.randn(600))

    def forward(self, words, children):
        flat, width = children.reshape(-1), children.shape[1]
        node = torch.zeros(len(words), dtype=torch.long, device=words.device)
        depth, last, left = (
            torch.zeros_like(node),
            torch.zeros_like(node),
            torch.arange(len(words), device=words.device),
        )
        for at in range(words.shape[1]):
            after = flat[node * width + words[left, at]]
            goes_on = after >= 0
            left, node = left[goes_on], after[goes_on]
            if not len(left):
                break
            last[left] = node
            depth[left] += 1
        return self.worth[last] * (1 + depth)
