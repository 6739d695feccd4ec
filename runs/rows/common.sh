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
TEMPERATURE=${TEMPERATURE:-0.6}
# Both stages judge 48 answers a step, so every row that learns from rewards sees equally many.
SELFSUP_STEPS=${SELFSUP_STEPS:-20}
CONTRASTIVE_STEPS=${CONTRASTIVE_STEPS:-40}
# cuda: rewards and tests from the GPU. cpu: from two CPU cores each, many side by side, some ten times as many an hour.
JUDGE=${JUDGE:-cuda}
TASKS=${TASKS:-200}

mkdir -p "$OUT"
[ -e "$OUT/base" ] || echo "$BASE" >"$OUT/base"
[ "$(cat "$OUT/base")" = "$BASE" ] || { echo "$OUT was begun with $(cat "$OUT/base"): another BASE needs another OUT" >&2 && exit 2; }

case $JUDGE in
cuda)
	DATA=(--set device=cuda:0 --set workers=4) REWARD=() TEST=(--device cuda --baselines eager,graph) ASKED=cuda:0
	SHOWN=(--set 'baselines=["eager","graph"]')
	;;
cpu)
	CORES=$(($(nproc) / 2))
	DATA=(--set device=cpu --set cores=2 --set workers="$CORES")
	REWARD=(--set 'judge.devices=["cpu"]' --set judge.cores=2 --set 'judge.baselines=["eager"]')
	TEST=(--device cpu --cores 2 --workers "$CORES" --baselines eager)
	ASKED=cpu SHOWN=()
	;;
*) echo "JUDGE is $JUDGE: expected cuda or cpu" >&2 && exit 2 ;;
esac

heldout() {
	[ -d "$OUT/heldout" ] || cuda-l1 train tasks --families held-out --count 120 --device "$ASKED" --out "$OUT/heldout"
}

sft() {
	[ -d "$OUT/sft/model" ] && return
	local part
	for part in data-plain data-compiled; do
		cuda-l1 train data --config "runs/$part.toml" --set out="$OUT/$part" --set kernelbench="$KERNELBENCH" "${DATA[@]}"
	done
	python runs/mix.py "$OUT/data-plain/data.jsonl" "$OUT/data-compiled/data.jsonl" --model "$BASE" -o "$OUT/sft.jsonl"
	cuda-l1 train sft --config runs/sft.toml --resume --set model="$BASE" --set data="$OUT/sft.jsonl" --set out="$OUT/sft"
}

selfsup() { # NAME STEPS
	sft
	cuda-l1 train selfsup --config runs/selfsup.toml --resume --set model="$OUT/sft/model" --set out="$OUT/$1" \
		--set steps="$2" --set max_tokens="$MAX_TOKENS" --set tasks.kernelbench="$KERNELBENCH" "${REWARD[@]}"
}

# What the transforms find for the tasks of stage 3, judged as its answers are: the archive that its rows begin with.
exemplars() {
	grep -qs '"complete": true' "$OUT/exemplars/manifest.json" ||
		cuda-l1 train data --config runs/data.toml --set out="$OUT/exemplars" \
			--set seed=5 --set count="$TASKS" --set kernelbench="$KERNELBENCH" "${DATA[@]}" "${SHOWN[@]}"
}

contrastive() { # STRATEGY SEED
	selfsup selfsup-short "$SELFSUP_STEPS"
	exemplars
	mkdir -p "$OUT/$1-$2"
	[ -e "$OUT/$1-$2/archive.sqlite" ] || cp "$OUT/exemplars/archive.sqlite" "$OUT/$1-$2/"
	cuda-l1 train contrastive --config runs/contrastive.toml --resume --set model="$OUT/selfsup-short/model" \
		--set out="$OUT/$1-$2" --set strategy="$1" --set seed="$2" --set steps="$CONTRASTIVE_STEPS" \
		--set max_tokens="$MAX_TOKENS" --set tasks.count="$TASKS" --set tasks.kernelbench="$KERNELBENCH" "${REWARD[@]}"
}

# Greedily and best of SAMPLES, on the families that were held out and on KernelBench. Generating first, judging after.
tested() { # NAME MODEL
	heldout
	tested_on "$1/heldout" "$2" "$OUT/heldout"
	[ "$JUDGE" = cpu ] || tested_on "$1/kernelbench" "$2" kernelbench:1,kernelbench:2 # its sizes are a GPU's
}

tested_on() { # PLACE MODEL TASKS
	local way samples temperature folder
	for way in greedy:1:0 "best-of-$SAMPLES:$SAMPLES:$TEMPERATURE"; do
		IFS=: read -r way samples temperature <<<"$way"
		folder="$OUT/test/$1/$way"
		cuda-l1 train sample --model "$2" --tasks "$3" --kernelbench "$KERNELBENCH" --out "$folder/replies.jsonl" \
			--device "$ASKED" --samples "$samples" --temperature "$temperature" --max-tokens "$MAX_TOKENS" --batch "$BATCH"
		if [ -e "$folder/latest" ]; then
			judged --resume "$folder/latest"
		else
			judged --tasks "$3" --kernelbench "$KERNELBENCH" --model "replies:$folder/replies.jsonl" --samples "$samples" \
				--rounds 1 --repairs 0 --exemplars 0 --transforms none --effort quick --out "$folder" "${TEST[@]}"
		fi
	done
}

judged() { # 3 and 4: some tasks without a word, listed in the table
	local code=0
	cuda-l1 eval "$@" || code=$?
	case $code in 0 | 3 | 4) ;; *) exit "$code" ;; esac
	[ -e "$folder/latest/summary.json" ] || { echo "$folder: eval ended with $code and left no table" >&2 && exit "$code"; }
}
