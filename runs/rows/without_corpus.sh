#!/usr/bin/env bash
# Row "stage 1 without a corpus" of docs/training.md.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
sft sft-alone "$BASE"
tested sft-alone "$OUT/sft-alone/model"
