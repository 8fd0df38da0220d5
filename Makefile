# Two commands do all the set-up: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export OMP_NUM_THREADS ?= 1

.PHONY: help demo test test-slow models lint lint-page format docs reference benchmark benchmark-quick system-packages clean

help:  ## Say what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

demo: $(VENV)/core models  ## Make the demo film, find its stories, search them, write a report
	$(BIN)/storyscope demo --folder demo

test: $(VENV)/test models system-packages lint  ## Set up everything and run all tests
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

test-slow: $(VENV)/test models system-packages  ## Repeat the paper on two painted films, from file to tables
	$(BIN)/python -m pytest -m slow

lint: $(VENV)/test  ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory lint-page; fi

# The page's scripts, where Node is there; without the network they are checked another time.
TSC := $(VENV)/node/node_modules/typescript/bin/tsc
lint-page:
	@[ -e $(TSC) ] || npm install --silent --no-audit --no-fund --prefix $(VENV)/node typescript@5 \
		|| echo "NOTE: TypeScript could not be installed; the page's scripts are not checked"
	@[ ! -e $(TSC) ] || node $(TSC) --project tsconfig.json

format: $(VENV)/test  ## Put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/test  ## Build the site of the docs into build/site
	$(BIN)/mkdocs build --quiet

reference: $(VENV)/test  ## Write the pages of commands, settings and API calls
	$(BIN)/python -m docs.make_reference

# A run that was stopped goes on; it fails where the docs quote other figures than it wrote.
benchmark: $(VENV)/benchmark system-packages  ## Measure everything, on the data beside the repository
	$(BIN)/python -m pytest -m benchmark
	$(BIN)/python -m benchmarks.run_all

benchmark-quick: $(VENV)/benchmark  ## Measure in minutes what can be, and compare it with the docs
	$(BIN)/python -m benchmarks.run_all --quick

# Pictures are found by free text where this was fetched, and by a thousand classes where it was not.
models: $(VENV)/core
	@$(BIN)/storyscope models get clip || echo "NOTE: without CLIP, pictures are found by classes alone"

# Programs that some tests talk to. Without root they are only named, and those tests skip.
SYSTEM_PACKAGES := ffmpeg espeak-ng mkvtoolnix chromium chromium-headless-shell pocketsphinx-testdata
system-packages:
	@missing=$$(for p in $(SYSTEM_PACKAGES); do dpkg -s $$p >/dev/null 2>&1 || echo $$p; done); \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -yqq --no-install-recommends $$missing >/dev/null; \
	elif [ -n "$$missing" ]; then \
		echo "NOTE: install these for the tests that use them, which are skipped now:" $$missing; \
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

clean:  ## Remove everything that was made
	rm -rf $(VENV) demo out build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache
