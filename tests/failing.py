"""Code by which the judge itself fails, where no sandbox holds it: it ends eager's process beside it."""

from __future__ import annotations

FAILS = '''
import os
import signal


def _told(pid):
    """A process's parent and start; none of one that ended meanwhile, as other tests' do."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None, 0
    return int(fields[1]), int(fields[19])


def end_eager():
    """Of the processes beside this one the first is the reference's."""
    beside = [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
    beside = sorted((pid for pid in beside if _told(pid)[0] == os.getppid()), key=lambda pid: _told(pid)[1])
    for pid in beside[1:]:
        os.kill(pid, signal.SIGKILL)
'''
"""Before the code of a candidate, which calls `end_eager()` in its forward."""
