# What the rows of docs/training.md share: where things lie, the stages that several rows build on, and the test.
# Sourced by each row. A row that is killed goes on where it stopped when it is started again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

OUT=${OUT:-runs/out}
BASE=${BASE:-smollm2}
KERNELBENCH=${KERNELBENCH:?the folder of a KernelBench checkout}
SAMPLES=${SAMPLES:-8}
BATCH=${BATCH:-128}
MAX_TOKENS=${MAX_TOKENS:-1024}
# Both stages judge 64 answers a step, so every row that learns from rewards sees equally many.
SELFSUP_STEPS=${SELFSUP_STEPS:-20}
CONTRASTIVE_STEPS=${CONTRASTIVE_STEPS:-40}

mkdir -p "$OUT"
[ -e "$OUT/base" ] || echo "$BASE" >"$OUT/base"
[ "$(cat "$OUT/base")" = "$BASE" ] || { echo "$OUT was begun with $(cat "$OUT/base"): another BASE needs another OUT" >&2 && exit 2; }

heldout() {
	[ -d "$OUT/heldout" ] || cuda-l1 train tasks --families held-out --count 120 --out "$OUT/heldout"
}

sft() {
	[ -d "$OUT/sft/model" ] && return
	cuda-l1 train data --config runs/data.toml --set out="$OUT/data" --set kernelbench="$KERNELBENCH"
	cuda-l1 train sft --config runs/sft.toml --resume --set model="$BASE" --set data="$OUT/data/data.jsonl" --set out="$OUT/sft"
}

selfsup() { # NAME STEPS
	sft
	cuda-l1 train selfsup --config runs/selfsup.toml --resume --set model="$OUT/sft/model" --set out="$OUT/$1" \
		--set steps="$2" --set max_tokens="$MAX_TOKENS" --set tasks.kernelbench="$KERNELBENCH"
}

contrastive() { # STRATEGY SEED
	selfsup selfsup-short "$SELFSUP_STEPS"
	cuda-l1 train contrastive --config runs/contrastive.toml --resume --set model="$OUT/selfsup-short/model" \
		--set out="$OUT/$1-$2" --set strategy="$1" --set seed="$2" --set steps="$CONTRASTIVE_STEPS" \
		--set max_tokens="$MAX_TOKENS" --set tasks.kernelbench="$KERNELBENCH"
}

# Greedily and best of SAMPLES, on the families that were held out and on KernelBench. Generating first, judging after.
tested() { # NAME MODEL
	heldout
	tested_on "$1/heldout" "$2" "$OUT/heldout"
	tested_on "$1/kernelbench" "$2" kernelbench:1,kernelbench:2
}

tested_on() { # PLACE MODEL TASKS
	local way samples temperature folder
	for way in greedy:1:0 "best-of-$SAMPLES:$SAMPLES:1"; do
		IFS=: read -r way samples temperature <<<"$way"
		folder="$OUT/test/$1/$way"
		cuda-l1 train sample --model "$2" --tasks "$3" --kernelbench "$KERNELBENCH" --out "$folder/replies.jsonl" \
			--samples "$samples" --temperature "$temperature" --max-tokens "$MAX_TOKENS" --batch "$BATCH"
		if [ -e "$folder/latest" ]; then
			judged --resume "$folder/latest"
		else
			judged --tasks "$3" --kernelbench "$KERNELBENCH" --model "replies:$folder/replies.jsonl" --samples "$samples" \
				--rounds 1 --repairs 0 --exemplars 0 --transforms none --baselines eager,graph --effort quick --out "$folder"
		fi
	done
}

judged() { # 3 and 4: some tasks without a word, listed in the table
	local code=0
	cuda-l1 eval "$@" || code=$?
	case $code in 0 | 3 | 4) ;; *) exit "$code" ;; esac
	[ -e "$folder/latest/summary.json" ] || { echo "$folder: eval ended with $code and left no table" >&2 && exit "$code"; }
}
