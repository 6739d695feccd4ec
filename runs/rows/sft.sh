#!/usr/bin/env bash
# Row "stage 1" of docs/training.md.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
first
tested sft "$OUT/sft/model"
