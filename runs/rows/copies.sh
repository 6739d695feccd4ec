#!/usr/bin/env bash
# Row "and 64 steps on texts as they stand" of docs/training.md.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
copies
tested copies "$OUT/copies/model"
