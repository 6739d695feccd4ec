# What the rows of docs/training.md share: where things lie, the stages that several rows build on, and the test.
# Sourced by each row. A row that is killed goes on where it stopped when it is started again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

OUT=${OUT:-runs/out}
BASE=${BASE:-smollm2}
KERNELBENCH=${KERNELBENCH:?the folder of a KernelBench checkout}
SAMPLES=${SAMPLES:-8}
BATCH=${BATCH:-128}
MAX_TOKENS=${MAX_TOKENS:-768}
TEMPERATURE=${TEMPERATURE:-0.6}
# Both stages judge 48 answers a step, so every row that learns from rewards sees equally many.
SELFSUP_STEPS=${SELFSUP_STEPS:-20}
CONTRASTIVE_STEPS=${CONTRASTIVE_STEPS:-40}
# cuda: rewards and tests from the GPU. cpu: from one CPU core each, many side by side, some ten times as many an hour.
JUDGE=${JUDGE:-cuda}
TASKS=${TASKS:-200}

mkdir -p "$OUT"
[ -e "$OUT/base" ] || echo "$BASE" >"$OUT/base"
[ "$(cat "$OUT/base")" = "$BASE" ] || { echo "$OUT was begun with $(cat "$OUT/base"): another BASE needs another OUT" >&2 && exit 2; }

CORES=$(nproc)
case $JUDGE in
cuda)
	DATA=(--set device=cuda:0 --set workers=4) REWARD=() TEST=(--device cuda) ASKED=cuda:0 BEST=eager,graph
	SHOWN=(--set 'baselines=["eager","graph"]')
	;;
cpu)
	DATA=(--set device=cpu --set cores=1 --set workers="$CORES" --set batch=$((4 * CORES)))
	# A step waits for its last answer: short sessions spread a group over the workers, and cost a tenth of a second each.
	REWARD=(--set 'judge.devices=["cpu"]' --set judge.cores=1 --set judge.workers="$CORES" --set judge.session=2
		--set 'judge.baselines=["eager"]' --set judge.batch_limit_s=150)
	TEST=(--device cpu --cores 1 --workers "$CORES") BEST=eager,compile
	ASKED=cpu SHOWN=()
	;;
*) echo "JUDGE is $JUDGE: expected cuda or cpu" >&2 && exit 2 ;;
esac

heldout() {
	[ -d "$OUT/heldout" ] || cuda-l1 train tasks --families held-out --count 132 --seed 1 --device "$ASKED" --out "$OUT/heldout"
}

data() { # PLACE ARGUMENT...: transforms' code for generated tasks, judged
	grep -qs '"complete": true' "$1/manifest.json" ||
		cuda-l1 train data --set out="$1" --set kernelbench="$KERNELBENCH" "${@:2}" "${DATA[@]}"
}

rows() {
	heldout
	data "$OUT/data-plain" --config runs/data-plain.toml
	data "$OUT/data-compiled" --config runs/data-compiled.toml
	[ -e "$OUT/sft.jsonl" ] || python runs/mix.py "$OUT/data-plain/data.jsonl" "$OUT/data-compiled/data.jsonl" \
		--model "$BASE" --without "$OUT/heldout" -o "$OUT/sft.jsonl"
}

sft() { # NAME MODEL
	[ -d "$OUT/$1/model" ] && return
	rows
	cuda-l1 train sft --config runs/sft.toml --resume --set model="$2" --set data="$OUT/sft.jsonl" --set out="$OUT/$1"
}

corpus() {
	[ -d "$OUT/corpus/model" ] && return
	[ -e "$OUT/corpus.jsonl" ] || cuda-l1 train corpus --out "$OUT/corpus.jsonl"
	cuda-l1 train sft --config runs/corpus.toml --resume --set model="$BASE" --set data="$OUT/corpus.jsonl" --set out="$OUT/corpus"
}

first() { # stage 1, which begins with the base model after a corpus
	[ -d "$OUT/sft/model" ] && return
	corpus
	sft sft "$OUT/corpus/model"
}

ready_made() { # the builtin model, as stage 1 and as stage 2, for those that build on them
	local name place
	place=$(python -c 'from cuda_l1 import models; print(models.find("builtin"))')
	for name in builtin sft selfsup-short; do
		[ -d "$OUT/$name/model" ] && continue
		mkdir -p "$OUT/$name"
		ln -s "$place" "$OUT/$name/model"
	done
}

selfsup() { # NAME STEPS. Rows that build on it take it as it is, FOR or not; GO_ON: what a sitting cut short goes on
	[ -d "$OUT/$1/model" ] && { [ -z "${GO_ON:-}" ] || [ -L "$OUT/$1/model" ]; } && return
	first
	cuda-l1 train selfsup --config runs/selfsup.toml --resume --set model="$OUT/sft/model" --set out="$OUT/$1" \
		--set steps="$2" --set max_tokens="$MAX_TOKENS" --set tasks.kernelbench="$KERNELBENCH" "${REWARD[@]}"
}

copies() { # stage 1 once more, after stage 2: rows that leave the text as it is, so that what it copies has no slips
	[ -d "$OUT/copies/model" ] && return
	selfsup selfsup-short "$SELFSUP_STEPS"
	data "$OUT/data-verbatim" --config runs/data-verbatim.toml
	cuda-l1 train sft --config runs/sft-copies.toml --resume --set model="$OUT/selfsup-short/model" \
		--set data="$OUT/data-verbatim/data.jsonl" --set out="$OUT/copies"
}

# All that the transforms find for the tasks of stage 3, judged as its answers are: the archive that its rows begin with.
# Two successes a task, as stage 1 takes, would leave the strategies nothing to choose from; and torch.compile alone, which
# transforms write on request, is what a policy of stage 2 has found by itself.
exemplars() {
	data "$OUT/exemplars" --config runs/data.toml --set seed=5 --set count="$TASKS" --set successes=20 \
		--set transforms=all,compiled_forward "${SHOWN[@]}"
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
	greedily "$1/heldout" "$2" "$OUT/heldout"
	best_of "$1/heldout" "$2" "$OUT/heldout"
	[ "$JUDGE" = cpu ] && return # KernelBench's sizes are a GPU's
	greedily "$1/kernelbench" "$2" kernelbench:1,kernelbench:2
	best_of "$1/kernelbench" "$2" kernelbench:1,kernelbench:2
}

greedily() { # PLACE MODEL TASKS
	asked "$1/greedy" "$2" "$3" 1 0
	judged "$1/greedy" "$3" 1 "$BEST"
}

best_of() { # PLACE MODEL TASKS. The best baseline would cost a build and a race for each answer that is fast
	asked "$1/best-of-$SAMPLES" "$2" "$3" "$SAMPLES" "$TEMPERATURE"
	judged "$1/best-of-$SAMPLES" "$3" "$SAMPLES" eager
}

asked() { # PLACE MODEL TASKS SAMPLES TEMPERATURE. A row that went on is asked anew
	[ ! "$2/config.json" -nt "$OUT/test/$1/replies.jsonl" ] || rm -rf "${OUT:?}/test/$1"
	cuda-l1 train sample --model "$2" --tasks "$3" --kernelbench "$KERNELBENCH" --out "$OUT/test/$1/replies.jsonl" \
		--device "$ASKED" --samples "$4" --temperature "$5" --max-tokens "$MAX_TOKENS" --batch "$BATCH"
}

judged() { # PLACE TASKS SAMPLES BASELINES. 3 and 4: some tasks without a word, listed in the table
	local folder="$OUT/test/$1" code=0 how
	if [ -e "$folder/latest" ]; then
		how=(--resume "$folder/latest")
	else
		how=(--tasks "$2" --kernelbench "$KERNELBENCH" --model "replies:$folder/replies.jsonl" --samples "$3" --rounds 1
			--repairs 0 --exemplars 0 --transforms none --effort quick --out "$folder" --baselines "$4" "${TEST[@]}")
	fi
	cuda-l1 eval "${how[@]}" || code=$?
	case $code in 0 | 3 | 4) ;; *) exit "$code" ;; esac
	[ -e "$folder/latest/summary.json" ] || { echo "$folder: eval ended with $code and left no table" >&2 && exit "$code"; }
}
