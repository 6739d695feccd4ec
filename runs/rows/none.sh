#!/usr/bin/env bash
# Row "three stages without exemplars" of docs/training.md.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
contrastive none 0
tested none-0 "$OUT/none-0/model"
