# `make demo` and `make test` set up everything they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export OMP_NUM_THREADS ?= 1
# The tests start hundreds of processes, so Python must cache its bytecode.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test test-slow models lint lint-page format docs reference benchmark benchmark-quick system-packages clean

help:  ## List these commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

demo: $(VENV)/core models  ## Generate the demo film, find its stories, search them, write a report
	$(BIN)/storyscope demo --folder demo

test: $(VENV)/test models system-packages lint  ## Set up everything and run all tests
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

test-slow: $(VENV)/test models system-packages  ## Reproduce the paper on two generated films (slow)
	$(BIN)/python -m pytest -m slow

lint: $(VENV)/test  ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --num-workers 2
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory lint-page; fi

# Checks the page's scripts and styles if Node is installed; skipped without a network connection.
NODE := $(VENV)/node
NODE_PACKAGES := typescript@5.9.3 @biomejs/biome@2.6.6
NPM := $(if $(shell command -v timeout),timeout 120) npm
lint-page:
	@[ -e $(NODE)/ready ] \
		|| { $(NPM) install --silent --no-audit --no-fund --fetch-retries=0 --fetch-timeout=15000 \
			--prefix $(NODE) $(NODE_PACKAGES) && touch $(NODE)/ready; } \
		|| echo "NOTE: TypeScript and Biome could not be installed; the page was not checked"
	@[ ! -e $(NODE)/ready ] || node $(NODE)/node_modules/typescript/bin/tsc --project tsconfig.json
	@[ ! -e $(NODE)/ready ] || node $(NODE)/node_modules/@biomejs/biome/bin/biome lint --error-on-warnings

format: $(VENV)/test  ## Format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/test  ## Build the documentation site in build/site
	$(BIN)/mkdocs build --quiet

reference: $(VENV)/test  ## Generate the reference of commands, settings and API calls
	$(BIN)/python -m docs.make_reference

# Resumes a stopped run, and fails if figures in the docs differ from the results.
benchmark: $(VENV)/benchmark system-packages  ## Run all benchmarks on the data in ../shared (about two hours)
	$(BIN)/python -m pytest -m benchmark
	$(BIN)/python -m benchmarks.run_all

benchmark-quick: $(VENV)/benchmark  ## Run the quick benchmarks (minutes) and compare them with the docs
	$(BIN)/python -m benchmarks.run_all --quick

# With CLIP, pictures are found by free text; without it, by a thousand classes.
models: $(VENV)/core
	@$(BIN)/storyscope models get clip || echo "NOTE: CLIP could not be downloaded; pictures are searched by a thousand classes instead"

# Programs that some tests use. Without root they are only listed, and those tests are skipped.
SYSTEM_PACKAGES := ffmpeg espeak-ng mkvtoolnix chromium chromium-headless-shell pocketsphinx-testdata
system-packages:
	@missing=$$(for p in $(SYSTEM_PACKAGES); do dpkg -s $$p >/dev/null 2>&1 || echo $$p; done); \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -yqq --no-install-recommends $$missing >/dev/null; \
	elif [ -n "$$missing" ]; then \
		echo "NOTE: some tests are skipped; to run them, install:" $$missing; \
	fi

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/core: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/test: $(VENV)/core
	$(BIN)/python -m pip install --quiet --editable '.[all,test]'
	@touch $@

$(VENV)/benchmark: $(VENV)/test
	$(BIN)/python -m pip install --quiet --editable '.[benchmark]'
	@touch $@

clean:  ## Delete everything that was built
	rm -rf $(VENV) demo out build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache
