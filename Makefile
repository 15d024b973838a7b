# Everything covary does for a developer, one verb each. Needs make and Python 3.11 or newer;
# uses uv where it is installed, otherwise venv and pip. `make help` lists the verbs.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
RUNS   := $(VENV)/.runs
ARGS   ?=

# uv trusts the certificates that the machine trusts (the second name is for older releases).
export UV_SYSTEM_CERTS ?= 1
export UV_NATIVE_TLS ?= 1
# Neither tool may be led to another environment than ours.
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME
# What Python compiles is kept: tests start hundreds of processes, which would each compile it again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test check docs pictures mutants fuzz chaos bench bench-large slow lock clean

help: ## list the verbs
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

demo: $(RUNS) ## install into .venv and show the main job on real data
	@$(BIN)/covary demo

test: $(READY) ## every test but the slow ones, and every example in the documentation of src (ARGS=-x)
	@tests/fetch.sh $(BIN)
	$(BIN)/python -m pytest -n $$(( $$($(PYTHON) -c 'import os; print(os.cpu_count())') + 1 )) --dist loadfile $(ARGS)

check: $(READY) ## lint, format, types, architecture
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/architecture

docs: $(READY) ## the documentation as a site in build/docs; a warning is an error
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --fresh-env -d build/doctrees docs build/docs
	@echo "open build/docs/index.html in a browser"

pictures: $(READY) ## take the pictures of the README and the documentation again
	$(BIN)/python -m tests.docs.pictures
	$(BIN)/python -m tests.docs.round_pictures

slow: $(READY) ## interval coverage and other long simulations, with what they print
	$(BIN)/python -m pytest tests/slow -s $(ARGS)

mutants: $(READY) ## which small changes to the code no test notices (ARGS="--room store --sample 200")
	$(BIN)/python -m tests.mutants $(ARGS)

fuzz: $(READY) ## damaged files by the thousand: read alike, or refused in words (ARGS="--inputs 2000")
	$(BIN)/python -m tests.fuzz $(ARGS)

chaos: $(READY) ## kill, cut off and fill up a server while judges save: nothing is lost (ARGS="--kills 50")
	$(BIN)/python -m tests.chaos $(ARGS)

bench: $(READY) ## compare speed and memory with other packages, in an environment of their own
	$(MAKE) -C bench

bench-large: $(READY) ## ten and a hundred million ratings on DuckDB and Spark (ARGS="--sizes 1e7 --no-growth")
	cd bench && ../$(BIN)/python -m large.run $(ARGS)

COMPILE = env -u UV_INDEX -u UV_INDEX_URL -u UV_DEFAULT_INDEX -u UV_EXTRA_INDEX_URL -u UV_FIND_LINKS \
	    uv --no-config pip compile pyproject.toml --quiet \
	    --universal --fork-strategy fewest --python-version 3.11 \
	    --generate-hashes --no-header --no-annotate --no-emit-index-url

lock: ## write both locks again (ARGS=--upgrade for the newest versions); needs uv
	@uv --version >/dev/null 2>&1 || { echo "make lock needs uv on the PATH"; exit 1; }
	$(COMPILE) --group dev --output-file requirements.lock $(ARGS)
	$(COMPILE) --group build -c requirements.lock --output-file requirements-run.lock

clean: ## remove what the other verbs made
	rm -rf $(VENV) .venv-bench build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# What running needs; an environment with everything can run too.
$(RUNS): requirements-run.lock pyproject.toml
	@if [ -e $(READY) ]; then touch $@; else $(MAKE) --no-print-directory install LOCK=$< MARK=$@; fi

$(READY): requirements.lock pyproject.toml
	@$(MAKE) --no-print-directory install LOCK=$< MARK=$@

# The lock goes in first, each file checked against its hash; the project follows without
# dependencies, built by the hatchling that the lock brought, and is compiled here, so that starts are
# quick also where Python may not keep what it compiled.
.PHONY: install
install:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "covary needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	@set -e; \
	if uv --version >/dev/null 2>&1; then \
	    [ -x $(BIN)/python ] || uv venv --quiet --clear --python "$$(command -v $(PYTHON))" $(VENV); \
	    install="uv pip install --quiet --python $(BIN)/python"; \
	else \
	    [ -x $(BIN)/pip ] || $(PYTHON) -m venv --clear $(VENV); \
	    install="$(BIN)/python -m pip install --quiet --disable-pip-version-check"; \
	fi; \
	echo "installing into $(VENV)"; \
	$$install --require-hashes -r $(LOCK); \
	$$install --no-deps --no-build-isolation -e .; \
	$(BIN)/python -m compileall -q -j 0 src; \
	touch $(MARK)
