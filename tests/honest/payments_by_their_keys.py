"""less work: payments are added up by their keys once."""

import torch
import torch.nn as nn

TASK = "payments_of_orders"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, orders, payments, amounts):
        keys, which = torch.cat([orders, payments]).unique(return_inverse=True)
        order, payment = which.split([len(orders), len(payments)])
        sums = amounts.new_zeros(len(keys)).index_add_(0, payment, amounts)
        return sums[order], payment.bincount(minlength=len(keys))[order]
