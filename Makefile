# Every target sets up what it needs, in .venv here; `make install` does that alone.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: install demo test test-slow format format-check lint types layers tests bench clean

install: .venv/installed

.venv/installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "lookalike needs Python 3.11 or newer: make PYTHON=python3.12 install")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

demo: install
	$(BIN)/lookalike demo --out demo

test: format-check lint types layers tests

format-check: install
	$(BIN)/ruff format --check .

lint: install
	$(BIN)/ruff check .

types: install
	$(BIN)/mypy

layers: install
	$(BIN)/lint-imports

tests: install
	OMP_NUM_THREADS=1 $(BIN)/pytest -q -n 2

test-slow: install
	$(BIN)/pytest -q -m slow

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: install
	for file in $(filter-out benchmarks/clock.py, $(wildcard benchmarks/*.py)); do $(BIN)/python $$file --quick || exit 1; done

clean:
	rm -rf .venv demo build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
