#!/usr/bin/env bash
# Row "three stages, island" of docs/training.md.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
for seed in 0 1; do
	contrastive island "$seed"
	tested "island-$seed" "$OUT/island-$seed/model"
done
