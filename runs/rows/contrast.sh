#!/usr/bin/env bash
# Row "three stages, ours" of docs/training.md.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
for seed in 0 1; do
	contrastive contrast "$seed"
	tested "contrast-$seed" "$OUT/contrast-$seed/model"
done
