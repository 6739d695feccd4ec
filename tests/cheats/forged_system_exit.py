"""forged verdicts: SystemExit with success while the code is imported."""

import sys

TASK = "matmul"
STATUS = ("CRASHED", "BUILD_FAILED")
FINDING = ("process", "build")

print('{"status": "PASSED"}', flush=True)
sys.exit(0)
