"""algebra: all rounds between rows and columns, as products of matrices that are turned round once."""

import torch
import torch.nn as nn

TASK = "hubs_and_authorities"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, links):
        links = links.clamp_min(0)
        hubs, back = links.new_ones(len(links), links.shape[1], 1), links.mT.contiguous()
        for _ in range(40):
            authorities = torch.bmm(back, hubs)
            authorities = authorities / authorities.sum(dim=1, keepdim=True).clamp_min(1e-12)
            hubs = torch.bmm(links, authorities)
            hubs = hubs / hubs.sum(dim=1, keepdim=True).clamp_min(1e-12)
        return hubs[:, :, 0], authorities[:, :, 0]
