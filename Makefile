# `make run` starts OwnSona, `make test` tests it. Both require only Python 3.11 to 3.14.

.PHONY: help run test tests prepare check clients conformance bench screenshots
.DEFAULT_GOAL := help

PYTHON ?= $(shell for name in python3.14 python3.13 python3.12 python3.11 python3; do \
	"$$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null \
	&& echo "$$name" && break; done)
PY := .venv/bin/python
BOOTSTRAP = $(if $(PYTHON),"$(PYTHON)" scripts/bootstrap.py,echo "OwnSona needs Python 3.11 to 3.14. Install one, or give its path: make $@ PYTHON=/path/to/python" >&2; false)

help: ## Show the commands
	@sed -n 's/^\([a-z]*\):.*## /make \1\t/p' Makefile

run: ## Start OwnSona; Ctrl-C stops it
	@$(BOOTSTRAP)
	@exec $(PY) manage.py serve

check: ## Check formatting, lint rules and types
	@$(BOOTSTRAP) --dev
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy --strict

test: check ## Run the checks and all tests
	@$(MAKE) --no-print-directory tests

tests: ## Run all tests without the checks
	@$(BOOTSTRAP) --dev
	@# One process runs all tests of a file, because many files share a server among their tests.
	$(PY) -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

prepare: ## Compile the tests, and make their database in TESTS_FIRST_DATABASE
	@$(BOOTSTRAP) --dev
	@# Collecting the tests compiles them. This one uses the database.
	$(PY) -m pytest --quiet -k test_a_lock_of_a_transaction_ends_with_it

clients: ## Install the real clients for the tests
	@$(BOOTSTRAP) --dev
	@$(PY) scripts/install_clients.py

conformance: clients ## Run the conformance suite of the Model Context Protocol
	$(PY) -m pytest tests/conformance -rP

bench: ## Measure the speed and write the results to benchmarks/results
	@$(BOOTSTRAP) --dev
	$(PY) benchmarks/run.py

screenshots: ## Take the screenshots of the documentation, with invented data
	@$(BOOTSTRAP) --dev
	$(PY) scripts/take_screenshots.py
