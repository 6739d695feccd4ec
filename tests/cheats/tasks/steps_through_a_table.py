import torch
import torch.nn as nn

STATES, ACTIONS, STEPS = 100000, 4, 64


class Model(nn.Module):
    """A table of values of states and actions after some steps of Q-learning, one after the other."""

    def forward(self, table, state, action, reward, after):
        q = table.clone()
        for i in range(STEPS):
            goal = reward[i] + 0.99 * q[after[i]].max()
            q[state[i], action[i]] = q[state[i], action[i]] + 0.1 * (goal - q[state[i], action[i]])
        return q


def get_inputs():
    state, after = torch.randint(0, STATES, (2, STEPS)).unbind(0)
    return [torch.randn(STATES, ACTIONS), state, torch.randint(0, ACTIONS, (STEPS,)), torch.randn(STEPS), after]


def get_init_inputs():
    return []
