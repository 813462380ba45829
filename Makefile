# Everything the project does, in a checkout with Python 3.11+ and make. `make help` lists it.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
# Where the locks are compiled: apart from .venv, so that no lock pins the tool that wrote it.
LOCK_VENV := .cache/lock-venv
PIP_TOOLS := pip-tools==7.6.2

.DEFAULT_GOAL := help
.PHONY: help site test lint bench lock clean
# One after the other, whatever -j says: none may run while another removes or makes what it stands on.
.NOTPARALLEL:

help: ## list these targets
	@sed -n 's/^\([a-z]*\):[^#]*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r name what; do \
		printf '  make %-8s%s\n' "$$name" "$$what"; done

site: build-environment ## build the site into site/
	$(PY) build.py packages

# The lint comes first and the tests last, so that the output ends with the line that sums the tests up.
test: lint ## check style and types, then run the tests
	$(PY) -m pytest

lint: dev-environment ## check style and types only
	$(PY) -m ruff check --quiet
	$(PY) -m mypy --no-error-summary

bench: dev-environment ## measure the build and the pages
	$(PY) bench/run.py

clean: ## remove what can be made again: environment, caches, built pages
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis node_modules shots bench-out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	$(PYTHON) -B -m qkv.output.writer site

# One environment for both. What makes it stale, and why no two are ever made at once: see there.
.PHONY: build-environment dev-environment
build-environment dev-environment:
	@command -v $(PYTHON) >/dev/null || { echo "there is no $(PYTHON): install Python 3.11 or newer, or make PYTHON=..."; exit 1; }
	@$(PYTHON) tools/environment.py $(@:-environment=)

# Compiled by the oldest Python that is supported, so that no pin is too new for it, and from the package
# index alone: a folder of local wheels in somebody's pip configuration would shorten the lists of hashes.
# The second lock is held to the first. PIP_TOOLS is pinned since its output is what gets reviewed.
COMPILE := env -u PIP_FIND_LINKS -u PIP_EXTRA_INDEX_URL PIP_CONFIG_FILE=/dev/null \
	CUSTOM_COMPILE_COMMAND='make lock' $(LOCK_VENV)/bin/pip-compile --quiet --upgrade --strip-extras \
	--generate-hashes --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options

lock: ## compile the lock files anew (Python 3.11, npm's from .venv)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11) and "compile the locks with the oldest supported Python: make lock PYTHON=python3.11")'
	$(PYTHON) -m venv --clear $(LOCK_VENV)
	$(LOCK_VENV)/bin/python -m pip install --no-input --disable-pip-version-check --quiet $(PIP_TOOLS)
	$(COMPILE) --output-file requirements.lock pyproject.toml
	$(COMPILE) --extra dev --constraint requirements.lock --output-file requirements-dev.lock pyproject.toml
	@$(PYTHON) tools/environment.py dev
	rm -f package-lock.json
	$(PY) -c 'from pathlib import Path; from qkv.output.bundle import npm; npm(["install", "--package-lock-only"], Path())'
