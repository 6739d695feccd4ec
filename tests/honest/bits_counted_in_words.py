"""algebra: the bits of a filter counted in each word at once, and places within it by its mask."""

import torch
import torch.nn as nn

TASK = "members_of_a_filter"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, bits, hashes):
        super().__init__()
        self.bits, self.hashes = bits, hashes
        self.register_buffer("words", torch.randint(-(2**31), 2**31, (bits // 32,)).int())

    def forward(self, keys):
        found = None
        for _ in range(self.hashes):
            keys = (keys ^ ((keys >> 33) & 0x7FFFFFFF)) * -49064778989728563
            place = keys & (self.bits - 1)
            bit = (self.words[place >> 5] >> (place & 31).int()) & 1
            found = bit if found is None else found & bit
        some = self.words - ((self.words >> 1) & 0x55555555)
        some = (some & 0x33333333) + ((some >> 2) & 0x33333333)
        some = (some + (some >> 4)) & 0x0F0F0F0F
        some = some + (some >> 8)
        count = ((some + (some >> 16)) & 63).sum()
        return found.bool(), (-self.bits / self.hashes * torch.log1p(-count.double() / self.bits)).float()
