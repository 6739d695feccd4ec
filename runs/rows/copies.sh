#!/usr/bin/env bash
# Row "stage 1 once more" of docs/results/training.md.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
copies
tested copies "$OUT/copies/model"
