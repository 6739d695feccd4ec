"""A task: where many words end that lead from one state to the next by a table."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, table, words, state):
        for word in words:
            state = table[state, word]
        return state


def get_inputs():
    return [torch.randint(0, 32, (32, 8)), torch.randint(0, 8, (1024, 128)), torch.randint(0, 32, (128,))]


def get_init_inputs():
    return []
