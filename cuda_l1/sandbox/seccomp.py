"""A seccomp filter for a candidate's process: system calls that no PyTorch module needs answer EPERM.

The filter is a small BPF program (https://docs.kernel.org/userspace-api/seccomp_filter.html) built here, without a
library: compare the architecture, then the number against a list, and of some calls an argument. It needs no privilege,
and cannot be undone.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct

_PR_SET_NO_NEW_PRIVS, _PR_GET_SECCOMP = 38, 21
_SECCOMP, _SET_MODE_FILTER, _ALL_THREADS = (317, 277), 1, 1
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ARCH = 0, 4  # offsets in struct seccomp_data
_X32 = 0x40000000
"""Numbers from here on are the x32 interface, by which the list could be walked around."""

# name: (x86_64, aarch64), from the kernel's own tables
_CALLS = {
    "socket": (41, 198), "ptrace": (101, 117), "setsid": (112, 157), "pivot_root": (155, 41),
    "chroot": (161, 51), "mount": (165, 40), "umount2": (166, 39), "swapon": (167, 224), "reboot": (169, 142),
    "init_module": (175, 105), "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "unshare": (272, 97), "perf_event_open": (298, 241), "setns": (308, 268), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "kcmp": (312, 272), "finit_module": (313, 273), "bpf": (321, 280),
    "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "pidfd_open": (434, 434), "pidfd_getfd": (438, 438),
}  # fmt: skip
# whoever is woken before eager, for being real-time or nicer, or works on cores that are not its own, is timed faster
_CALLS |= {
    "setpriority": (141, 140), "ioprio_set": (251, 30), "sched_setparam": (142, 118), "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274), "sched_setaffinity": (203, 122),
}  # fmt: skip
# the kernel works on for a process that is stopped, in eager's time: what expires or is done then, and all who watch it
_CALLS |= {
    "timerfd_create": (283, 85), "io_setup": (206, 0), "epoll_ctl": (233, 21), "inotify_add_watch": (254, 27),
    "fanotify_init": (300, 262),
}  # fmt: skip
# descriptors on their way between two ends that are closed are freed later, in whose time it happens to be
_CALLS |= {"socketpair": (53, 199)}
# so are those on their way to the judge, and as long as nobody reads they count for its user, of whom no other process
# may send any then: not another judge either, to what its workers are forked from
_CALLS |= {"sendmsg": (46, 211), "sendmmsg": (307, 269)}
# what outlives the process that made it
_CALLS |= {"shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180)}
_CALLS |= {"fsopen": (430, 430), "fsmount": (432, 432), "open_tree": (428, 428), "move_mount": (429, 429)}
_CALLS |= {"timer_create": (222, 107), "mq_notify": (244, 184)}  # either may send SIGCONT to a process that is stopped
_CALLS |= {"settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171), "clock_adjtime": (305, 266)}
# Calls by one argument, of which the low 32 bits are looked at: which, under what mask, with what values. Of a process
# its own limits alone (a first argument of 0); of a child that ends no signal but SIGCHLD, no namespaces for it, and no
# other parent, who waits for none that is not its own and would keep its number; no signal but SIGIO for what a
# descriptor has to say, which may be SIGCONT (F_SETSIG), nor for who opens a file (F_SETLEASE), who would wait, or
# changes a folder (F_NOTIFY). Nor is a GPU's memory that another process has made a handle of opened
# (NV_ESC_RM_DUP_OBJECT, by type and number): a handle holds nothing that cannot be guessed.
_ONLY_IF = {"prlimit64": ((302, 261), 0, 0xFFFFFFFF, (0,)), "clone": ((56, 220), 0, 0x7E0280FF, (0, 17))}
_NOT_IF: dict[str, tuple[tuple[int, int], int, int, tuple[int, ...]]] = {
    "fcntl": ((72, 25), 1, 0xFFFFFFFF, (10, 1024, 1026)), "ioctl": ((16, 29), 1, 0xFFFF, (0x4634,)),
}  # fmt: skip
# A process is stopped with its group. Leaving that is said to be done, for compilers' drivers ask for it, and is not;
# so is the wish for a signal when a parent ends.
_IDLE_CALLS = {"setpgid": (109, 154)}
# Nor are modes, owners, times and attributes of files changed, which Landlock does not hold: a later session's cache
# could be closed to it. Compilers and copies set those of their own.
_IDLE_CALLS |= {
    "chmod": (90, 53), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, 54),
    "fchown": (93, 55), "lchown": (94, 54), "fchownat": (260, 54), "utime": (132, 88), "utimes": (235, 88),
    "futimesat": (261, 88), "utimensat": (280, 88), "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "setxattrat": (463, 463),
    "removexattrat": (466, 466), "file_setattr": (469, 469),
}  # fmt: skip
# The wish to share a core's other thread with nobody (PR_SCHED_CORE), by which a call has a whole one where others work
# and eager's has not, and pages that the kernel looks through for equal ones, a stopped process's too
# (PR_SET_MEMORY_MERGE), are such wishes as well.
_IDLE_IF = {"prctl": ((157, 167), 0, 0xFFFFFFFF, (1, 62, 67)), "madvise": ((28, 233), 2, 0xFFFFFFFF, (12,))}
# What has its flags in memory, where no filter looks: the C library does without.
_MISSING_CALLS = {"clone3": (435, 435)}
_ARGUMENTS, _AND = 16, 0x54
_ARCHES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}


def available() -> bool:
    """Whether the kernel takes filters and this processor's numbers are known."""
    return platform.machine() in _ARCHES and ctypes.CDLL(None).prctl(_PR_GET_SECCOMP, 0, 0, 0, 0) >= 0


def enter() -> None:
    """Put the filter over all threads of this process and all that it will start. OSError where the kernel refuses.

    Called once the device is up: the CUDA driver opens a socket of its own when it starts.
    """
    column, arch = _ARCHES[platform.machine()]
    program = _program(column, arch)
    code = ctypes.create_string_buffer(b"".join(program))
    filter_ = struct.pack("@HxxxxxxP", len(program), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.syscall(_SECCOMP[column], _SET_MODE_FILTER, _ALL_THREADS, filter_):
        raise OSError(ctypes.get_errno(), "the kernel refused the seccomp filter")


def _program(column: int, arch: int) -> list[bytes]:
    """The instructions: each listed number is compared, and what is done about it follows the comparison."""
    refuse, allow, idle, missing = _ERRNO | errno.EPERM, _ALLOW, _ERRNO, _ERRNO | errno.ENOSYS
    ends = [
        (pair[column], [_instruction(_RETURN, answer)])
        for calls, answer in ((_CALLS, refuse), (_IDLE_CALLS, idle), (_MISSING_CALLS, missing))
        for pair in calls.values()
    ]
    ends += [
        (pair[column], _by_argument(argument, mask, values, found, other))
        for rules, found, other in ((_ONLY_IF, allow, refuse), (_NOT_IF, refuse, allow), (_IDLE_IF, idle, allow))
        for pair, argument, mask, values in rules.values()
    ]
    program = [
        _instruction(_LOAD, _ARCH),
        _instruction(_EQUAL, arch, 1, 0),
        _instruction(_RETURN, refuse),
        _instruction(_LOAD, _NUMBER),
        _instruction(_AT_LEAST, _X32, 0, 1),
        _instruction(_RETURN, refuse),
    ]
    for number, end in ends:
        program += [_instruction(_EQUAL, number, 0, len(end)), *end]
    return [*program, _instruction(_RETURN, allow)]


def _by_argument(argument: int, mask: int, values: tuple[int, ...], found: int, other: int) -> list[bytes]:
    """Return `found` where an argument has one of the values, `other` where not."""
    looks = [_instruction(_LOAD, _ARGUMENTS + 8 * argument), _instruction(_AND, mask)]
    looks += [_instruction(_EQUAL, value, len(values) - index) for index, value in enumerate(values)]
    return [*looks, _instruction(_RETURN, other), _instruction(_RETURN, found)]


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)
