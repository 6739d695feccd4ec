#!/usr/bin/env bash
# Row "three stages, bucket" of docs/training.md.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
contrastive bucket 0
tested bucket-0 "$OUT/bucket-0/model"
