"""Sets of inputs, and what must come of them, on the host, where the device has no room for them beside all else.

NOT covered: when that is so (machine/room.py).
"""

from __future__ import annotations

import contextlib
from typing import Any

import torch


class HostCopies:
    """Copies of a GPU's tensors on the host, in memory that stays where it is: read back, 55 GB/s in place of 8, on an
    H200's host."""

    def __init__(self) -> None:
        self._registered: list[torch.Tensor] = []

    def copy(self, tensor: torch.Tensor) -> torch.Tensor:
        """A copy on the host; ordinary memory where the driver does not lock it."""
        made = torch.empty_like(tensor, device="cpu")
        if tensor.is_cuda:
            made.zero_()  # by all threads 13 to 22 GB/s; the driver, by one, touches new pages at 2
            code = _cudart().cudaHostRegister(made.data_ptr(), made.untyped_storage().nbytes(), 0)
            if int(code) == 0:
                self._registered.append(made)
            else:
                with contextlib.suppress(RuntimeError):
                    torch.zeros(1, device=tensor.device)  # raises that error, which some later work would
        return made.copy_(tensor)

    def close(self) -> None:
        """Unlock it; the copies must not be read to a GPU afterwards."""
        for made in self._registered:
            _cudart().cudaHostUnregister(made.data_ptr())
        self._registered = []


def _cudart() -> Any:
    return torch.cuda.cudart()  # type: ignore[no-untyped-call]
