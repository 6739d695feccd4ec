"""Random numbers of which a candidate is told some and must not guess the rest. Pure.

Which slots are asked for is said as the calls go; Mersenne Twister's state, and so which outputs will be looked at,
follows from some 20,000 such bits. These are a hash of the seed and a count: repeatable, and nothing follows from them.
"""

from __future__ import annotations

import hashlib
import random


class Secret(random.Random):
    """All of `random.Random`'s draws under one seed."""

    def __init__(self, seed: int) -> None:
        self._key, self._count = hashlib.blake2b(str(seed).encode()).digest(), 0
        super().__init__(0)

    def getrandbits(self, k: int, /) -> int:
        """k bits, from as many hashes as it takes."""
        drawn = b""
        while len(drawn) * 8 < k:
            drawn += hashlib.blake2b(b"%d" % self._count, key=self._key).digest()
            self._count += 1
        return int.from_bytes(drawn, "little") >> (len(drawn) * 8 - k) if k else 0

    def random(self) -> float:
        """From [0, 1)."""
        return float(self.getrandbits(53) / 2**53)
