import torch
import torch.nn as nn

KEYS, ORDERS, PAYMENTS = 100000, 1500, 900


class Model(nn.Module):
    """A left join: to each order the sum and the number of the payments with its key."""

    def forward(self, orders, payments, amounts):
        same = orders[:, None] == payments[None]
        return same.float() @ amounts, same.sum(1)


def get_inputs():
    return [torch.randint(0, KEYS, (ORDERS,)), torch.randint(0, KEYS, (PAYMENTS,)), torch.rand(PAYMENTS) * 10]


def get_init_inputs():
    return []
