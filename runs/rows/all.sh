#!/usr/bin/env bash
# All rows of docs/training.md at once, on a host with several GPUs and many cores: the stages that rows share, then all
# rows' training, then all tests, KernelBench last: trainers and judges together do not fit into a GPU's memory. What
# runs side by side has a GPU (several share one where there are fewer) and an equal share of the cores. Rewards and the
# held-out test come from CPU cores; greedy answers to KernelBench are judged on the row's GPU.
#
#   KERNELBENCH=KernelBench STAGES=builtin CONTRASTIVE_STEPS=20 TASKS=36 FOR=800 runs/rows/all.sh
#
# STAGES=builtin: begin with the builtin model, which has seen stages 1 and 2, in place of training them. ALONE=1: the
# row without a corpus too. FOR: seconds after which a part that learns from rewards stops training.
# ROWS="contrast-0 none-0": only these. What each part says is in $OUT/log, when each ended in $OUT/log/progress.
# Started again, it goes on, but for a stage 2 that FOR cut short: other rows have begun from what it was.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export JUDGE=cpu OUT=${OUT:-runs/out} SELFSUP_STEPS=${SELFSUP_STEPS:-20} CONTRASTIVE_STEPS=${CONTRASTIVE_STEPS:-40}
mkdir -p "$OUT/log"
: >"$OUT/log/progress" # of this start: an earlier one's failures are no longer true
SECONDS=0
read -ra ROWS <<<"${ROWS:-contrast-0 contrast-1 island-0 island-1 none-0 random-0 bucket-0 selfsup}"
BEFORE=(sft selfsup-short)
[ "${STAGES:-}" != builtin ] || BEFORE=(builtin)
TESTS=(base "${BEFORE[@]}" ${ALONE:+sft-alone} "${ROWS[@]}")
GPUS=${GPUS:-$(nvidia-smi -L 2>/dev/null | wc -l)} CORES=$(nproc)
LIMIT=${FOR:+"REWARD+=(--set stop_after_s=$FOR); "}

each() { # COMMAND NAME...: of all these side by side; the code of the last that failed, if any, is the outcome
	local command=$1 number=0 code=0 running=() name first share=$((CORES >= $# - 1 ? CORES / ($# - 1) : 1))
	for name in "${@:2}"; do
		(
			first=$((number * share % CORES)) GPU=""
			MINE=$first-$((first + share - 1))
			[ "$GPUS" -eq 0 ] || GPU=$((number % GPUS))
			"$command" "$name"
		) &
		running+=($!)
		number=$((number + 1))
	done
	for number in "${running[@]}"; do wait "$number" || code=$?; done
	return "$code"
}

part() { # NAME COMMANDS: on this part's GPU and cores
	local code=0
	CUDA_VISIBLE_DEVICES=$GPU taskset -c "$MINE" bash -c "source runs/rows/common.sh; $2" >>"$OUT/log/$1" 2>&1 || code=$?
	echo "$SECONDS s: $1 ended with $code" >>"$OUT/log/progress"
	return "$code"
}

shared() {
	case $1 in
	doctor) part doctor 'cuda-l1 doctor --device "$ASKED" --archive "$OUT/doctor.sqlite"' ;; # a judge that errs misleads all
	tasks) part tasks heldout ;;
	sft) part sft first ;;
	builtin) part builtin ready_made ;;
	exemplars) part exemplars exemplars ;;
	selfsup-short) part selfsup-short "${LIMIT}selfsup selfsup-short \"\$SELFSUP_STEPS\"" ;;
	esac
}

trained() {
	local train="contrastive ${1%-*} ${1##*-}" before=$SELFSUP_STEPS
	if [ "$1" = selfsup ]; then # goes on from the short one
		[ -d "$OUT/selfsup" ] || [ ! -d "$OUT/selfsup-short/adapter" ] ||
			{ cp -r "$OUT/selfsup-short" "$OUT/selfsup" && rm -rf "$OUT/selfsup/model" "$OUT/selfsup/adapter"; }
		[ "${STAGES:-}" = builtin ] && before=0 # which has seen stage 2, and no state of it to go on from
		train="GO_ON=1; selfsup selfsup $((before + CONTRASTIVE_STEPS))"
	fi
	[ "$1" != copies ] || train=copies
	part "$1" "$LIMIT$train"
}

heldout_of() {
	case $1 in
	base) part test-base 'tested base "$BASE"' ;;
	sft-alone) part test-sft-alone 'sft sft-alone "$BASE"; tested sft-alone "$OUT/sft-alone/model"' ;;
	*) [ ! -d "$OUT/$1/model" ] || part "test-$1" "tested $1 \"\$OUT/$1/model\"" ;;
	esac
}

kernelbench_of() {
	[ -d "$OUT/$1/model" ] || return 0
	local judges=$((GPUS * 4 / (${#ROWS[@]} + 1))) # of each row: more than four on a GPU run out of its memory
	JUDGE=cuda part "kernelbench-$1" \
		"TEST+=(--workers $((judges > 1 ? judges : 1))); greedily $1/kernelbench \"\$OUT/$1/model\" kernelbench:1,kernelbench:2"
}

each shared doctor && each shared tasks && each shared "${BEFORE[0]}" && each shared "${BEFORE[@]:1}" exemplars || exit
each trained "${ROWS[@]}"
each heldout_of "${TESTS[@]}"
[ "$GPUS" -eq 0 ] || each kernelbench_of "${ROWS[@]}" "${BEFORE[0]}"
cat "$OUT/log/progress"
! grep -qv ' ended with 0$' "$OUT/log/progress"
