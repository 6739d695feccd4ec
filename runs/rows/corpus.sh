#!/usr/bin/env bash
# Row "stage 1 after a corpus" of docs/training.md.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
corpus
sft sft-corpus "$OUT/corpus/model"
tested sft-corpus "$OUT/sft-corpus/model"
