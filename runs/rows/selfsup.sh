#!/usr/bin/env bash
# Row "stages 1 and 2" of docs/training.md.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
selfsup selfsup $((SELFSUP_STEPS + CONTRASTIVE_STEPS))
tested selfsup "$OUT/selfsup/model"
