"""Which keys a Bloom filter holds, and about how many it was given, by the bits that are set."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, bits, hashes):
        super().__init__()
        self.bits, self.hashes = bits, hashes
        self.register_buffer("words", torch.randint(-(2**31), 2**31, (bits // 32,)).int())

    def forward(self, keys):
        found = torch.ones_like(keys, dtype=torch.bool)
        for _ in range(self.hashes):
            keys = (keys ^ ((keys >> 33) & 0x7FFFFFFF)) * -49064778989728563
            place = (keys & 0x7FFFFFFFFFFFFFFF) % self.bits
            found = found & (((self.words[place >> 5] >> (place & 31).int()) & 1) != 0)
        count = sum(((self.words >> bit) & 1).sum() for bit in range(32))
        return found, (-self.bits / self.hashes * torch.log1p(-count.double() / self.bits)).float()


def get_inputs():
    return [torch.randint(0, 2**62, (4000,))]


def get_init_inputs():
    return [1 << 20, 3]
