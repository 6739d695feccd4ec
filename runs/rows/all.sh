#!/usr/bin/env bash
# All rows of docs/training.md at once, on a host with several GPUs and many cores: first the stages that rows share,
# then all rows' training, each on a GPU and cores of its own (several on one GPU where there are fewer), then their
# tests, KernelBench last: trainers and judges together do not fit into a GPU's memory. Rewards and the held-out test
# come from CPU cores; greedy answers to KernelBench are judged on the row's GPU.
#
#   KERNELBENCH=KernelBench SFT=builtin SELFSUP_STEPS=8 CONTRASTIVE_STEPS=20 TASKS=48 FOR=500 runs/rows/all.sh
#
# SFT=builtin: begin with the builtin model's stage 1 in place of training one. ALONE=1: the row without a corpus too.
# FOR: seconds after which a part that learns from rewards stops training. ROWS="contrast-0 none-0": only these. What
# each part says is in $OUT/log, when each ended in $OUT/log/progress. Started again, it goes on.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export JUDGE=cpu OUT=${OUT:-runs/out} SELFSUP_STEPS=${SELFSUP_STEPS:-20} CONTRASTIVE_STEPS=${CONTRASTIVE_STEPS:-40}
mkdir -p "$OUT/log"
: >"$OUT/log/progress" # of this start: an earlier one's failures are no longer true
SECONDS=0
read -ra ROWS <<<"${ROWS:-contrast-0 contrast-1 island-0 island-1 none-0 random-0 bucket-0 selfsup}"
N=${#ROWS[@]} GPUS=${GPUS:-$(nvidia-smi -L 2>/dev/null | wc -l)} CORES=$(nproc)
SLOT=$((CORES / (N + 1))) # cores of a row; one slot more is for the other tests
[ "$SLOT" -ge 1 ] || { echo "$CORES cores for $N rows and the tests beside them: name fewer ROWS" >&2 && exit 2; }
HALF=$(((N - 1) / 2))
LIMIT=${FOR:+"REWARD+=(--set stop_after_s=$FOR); "}
JUDGES=$((GPUS * 4 / N > 1 ? GPUS * 4 / N : 1)) # of each row, on its GPU: more than four there run out of its memory

part() { # NAME GPU FIRST LAST COMMANDS: on that GPU and on the cores of these slots
	local code=0 gpu=""
	[ "$GPUS" -eq 0 ] || gpu=$(($2 % GPUS))
	CUDA_VISIBLE_DEVICES=$gpu taskset -c "$(($3 * SLOT))-$((($4 + 1) * SLOT - 1))" \
		bash -c "source runs/rows/common.sh; $5" >>"$OUT/log/$1" 2>&1 || code=$?
	echo "$SECONDS s: $1 ended with $code" >>"$OUT/log/progress"
	return "$code"
}

kernelbench() { # NAME GPU SLOT
	JUDGE=cuda part "kernelbench-$1" "$2" "$3" "$3" \
		"TEST+=(--workers $JUDGES); greedily $1/kernelbench \"\$OUT/$1/model\" kernelbench:1,kernelbench:2"
}

trained() { # NUMBER NAME
	local train="contrastive ${2%-*} ${2##*-}"
	if [ "$2" = selfsup ]; then # goes on from the short one
		[ -d "$OUT/selfsup" ] || { cp -r "$OUT/selfsup-short" "$OUT/selfsup" && rm -rf "$OUT/selfsup/model" "$OUT/selfsup/adapter"; }
		train="selfsup selfsup $((SELFSUP_STEPS + CONTRASTIVE_STEPS))"
	fi
	part "$2" "$1" "$1" "$1" "$LIMIT$train"
}

each() { # COMMAND: of all rows, side by side
	local number running=()
	for number in "${!ROWS[@]}"; do
		"$1" "$number" "${ROWS[$number]}" &
		running+=($!)
	done
	wait "${running[@]}"
}
heldout_of() { [ ! -d "$OUT/$2/model" ] || part "test-$2" "$1" "$1" "$1" "tested $2 \"\$OUT/$2/model\""; }
kernelbench_of() { [ ! -d "$OUT/$2/model" ] || kernelbench "$2" "$1" "$1"; }

part tasks 0 0 "$N" heldout || exit
if [ "${SFT:-}" = builtin ]; then
	place='$(python -c "from cuda_l1 import models; print(models.find(\"builtin\"))")'
	part sft 0 0 "$N" "[ -d \"\$OUT/sft/model\" ] || { mkdir -p \"\$OUT/sft\" && cp -r \"$place\" \"\$OUT/sft/model\"; }" || exit
else
	part sft 0 0 "$N" first || exit
fi
part exemplars 0 0 "$HALF" exemplars &
shown=$!
part selfsup-short 0 $((HALF + 1)) "$N" "${LIMIT}selfsup selfsup-short \"\$SELFSUP_STEPS\"" || exit
wait "$shown" || exit
(
	part test-base "$N" "$N" "$N" 'tested base "$BASE"'
	for name in sft selfsup-short; do part "test-$name" "$N" "$N" "$N" "tested $name \"\$OUT/$name/model\""; done
	[ -z "${ALONE:-}" ] || part sft-alone "$N" "$N" "$N" 'sft sft-alone "$BASE"; tested sft-alone "$OUT/sft-alone/model"'
) &
shared=$!
each trained
each heldout_of
if [ "$GPUS" -gt 0 ]; then
	each kernelbench_of
	kernelbench sft 0 0
fi
wait "$shared"
cat "$OUT/log/progress"
! grep -qv ' ended with 0$' "$OUT/log/progress"
