# Needs make and Python 3.11 or newer; every target sets up what it needs in .venv.
#   make demo    the bundled sample, end to end        make test   all checks and tests
#   make fmt     format and fix                        make docs   rewrite the generated documents
#   make bench   ratios and counts of speed            make clean  remove .venv and tools' caches

SHELL := /bin/sh
.DEFAULT_GOAL := help

# The first suitable one; name another with `make test PYTHON=/path/to/python3.12`.
PYTHON ?= $(firstword $(foreach p,python3 python3.14 python3.13 python3.12 python3.11 python,$(if $(shell $(p) -c $(NEW_ENOUGH) 2>/dev/null && echo y),$(p))))
NEW_ENOUGH := 'import sys; sys.exit(sys.version_info < (3, 11))'

BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input
RUN := .venv/.run-ready
DEV := .venv/.dev-ready
DOCS := .venv/.docs-ready

.PHONY: help
help:
	@sed -n '2,4s|^#   ||p' Makefile

# Set-up speaks on stderr: what a target prints on stdout is the target's own.
$(RUN): requirements/base.txt requirements/build.txt pyproject.toml
	@if test -z "$(PYTHON)" || ! $(PYTHON) -c $(NEW_ENOUGH) 2>/dev/null; then \
	  echo "gongctl needs Python 3.11 or newer; found: $$($(if $(PYTHON),$(PYTHON),python3) --version 2>&1 || echo none)." >&2; \
	  echo "Install one, or say where it is: make $(firstword $(MAKECMDGOALS)) PYTHON=/path/to/python3.11" >&2; \
	  exit 1; \
	fi
	@if ! { $(BIN)/python -c $(NEW_ENOUGH) && $(BIN)/python -m pip --version; } >/dev/null 2>&1; then \
	  echo "set-up: .venv with $$($(PYTHON) --version)" >&2; \
	  $(PYTHON) -m venv --clear .venv; \
	fi >&2
	@echo "set-up: packages of requirements/base.txt (the first time takes about a minute)" >&2
	@$(PIP) -r requirements/base.txt -r requirements/build.txt >&2
	@$(PIP) --no-deps --no-build-isolation --editable . >&2
	@touch $@

$(DEV): $(RUN) requirements/dev.txt
	@echo "set-up: packages of requirements/dev.txt" >&2
	@$(PIP) -r requirements/dev.txt >&2
	@touch $@

$(DOCS): $(DEV) requirements/docs.txt
	@echo "set-up: packages of requirements/docs.txt" >&2
	@$(PIP) -r requirements/docs.txt >&2
	@touch $@

.PHONY: demo
demo: $(RUN)
	@$(BIN)/gongctl demo $(ARGS)

.PHONY: test
test: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -q $(ARGS)

.PHONY: fmt
fmt: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: docs
docs: $(DOCS)
	$(BIN)/python scripts/build_docs.py $(ARGS)

.PHONY: bench
bench: $(DEV)
	$(BIN)/python -m benchmarks $(ARGS)

.PHONY: clean
clean:
	rm -rf .venv build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
