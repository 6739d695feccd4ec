#!/usr/bin/env bash
# Row "three stages, random" of docs/training.md.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
contrastive random 0
tested random-0 "$OUT/random-0/model"
