# Every target sets up what it needs by itself. POSIX sh and GNU make 3.81 are enough.
#   PYTHON=...  the Python to make the environment with     VENV=...  the environment's folder
#   PORT=...    where `make serve` listens                  SITE=...  where `make build` writes
#   LAB=...     further options of JupyterLab, for `make lab`
#   BASE=...    what `make review` compares with: main, or another branch or commit     HEAD=...  the commit that it reviews
#   MODULES=... the modules that `make mutants` changes, instead of all

VENV ?= .venv
PORT ?= 8000
SITE ?= site
BASE ?= main
export VENV PYTHON
export NO_MKDOCS_2_WARNING = 1
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE

PY = "$(VENV)/bin/python"
SETUP = @sh .ci/setup
TESTS = BUILT_SITE="$(SITE)" $(PY) -m pytest -n auto --dist worksteal --doctest-modules src/nextword tests

.PHONY: help serve lab build check test test-again approve review faults real approve-real successor bench mutants clean lock lint

help:
	@echo 'make serve         the course with live preview, at http://127.0.0.1:$(PORT)/'
	@echo 'make lab           the labs and exercises as notebooks, in JupyterLab'
	@echo 'make test          everything that CI checks, but for the real libraries'
	@echo 'make test-again    after make test on one Python, what may depend on its version (PYTHON=… VENV=…)'
	@echo 'make build         the site, into $(SITE)/'
	@echo 'make check         the quick loop: lint, types, unit tests'
	@echo 'make approve       accept changed outputs of panels, and changed messages'
	@echo 'make review        which outputs, figures, claims and pages changed, old against new (BASE=main)'
	@echo 'make real          run the panels that need real libraries, and compare with them (Python 3.11)'
	@echo 'make approve-real  accept what these panels print, and the comparisons'
	@echo 'make successor     the same pages by Zensical, compared with those of MkDocs'
	@echo 'make faults        plant each kind of fault in each panel, exercise and lab: the build must refuse it'
	@echo 'make bench         measure the build and the pages, the build beside MyST-NB, our code beside the real libraries (Python 3.11)'
	@echo 'make mutants       whether the tests notice small changes of the modules (MODULES="nextword.softmax …": of these)'
	@echo 'make lock          pin the packages of pyproject.toml again (UPGRADE=1: newest versions)'
	@echo 'make clean         remove what was built; the environment stays'

serve:
	$(SETUP)
	@$(PY) .ci/port.py "$(PORT)"
	@echo 'The course: http://127.0.0.1:$(PORT)/ as soon as the first build is done (Ctrl-C ends the preview)'
	@unset SITE_URL; exec $(PY) -m mkdocs serve --dev-addr "127.0.0.1:$(PORT)"

# The notebooks are copied into lab/, where a reader works on them.
lab:
	$(SETUP) lab
	$(PY) -m coursebuild lab
	@exec $(PY) -m jupyterlab --notebook-dir=lab $(LAB)

build:
	$(SETUP)
	$(PY) -m mkdocs build --strict --site-dir "$(SITE)"

lint:
	$(SETUP)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

check: lint
	$(PY) -m pytest -q -m 'not slow' tests/nextword tests/coursebuild

# What is tested and what is approved was run, and not kept from an earlier run.
test test-again real approve approve-real: export COURSE_CACHE = off

test: export COURSE_SECONDS = 120
test:
	$(SETUP) node
	@$(MAKE) --no-print-directory -j2 lint build
	$(PY) .ci/pages.py "$(SITE)"
	$(TESTS)

# On a further Python: what may depend on its version.
test-again: export COURSE_SECONDS = 120
test-again: build
	$(PY) .ci/pages.py "$(SITE)"
	$(TESTS) -m 'not once'

# The second lane: the panels that need a real library (requirements-real.lock), and the tests that compare with them.
# Python 3.11. TORCH_INDEX=URL  where to look for the CPU build of torch first
real: override VENV = .venv-real
real: export COURSE_REAL = 1
real: export COURSE_SECONDS = 120
real:
	$(SETUP) real
	.venv-real/bin/python -m mkdocs build --strict --site-dir "$(SITE)"
	rm -f .venv-real/parity.json
	PYTEST_ADDOPTS= PARITY_JSON=.venv-real/parity.json .venv-real/bin/python -m pytest -n auto --dist worksteal tests/real
	.venv-real/bin/python -m coursebuild.parity check .venv-real/parity.json

approve-real: override VENV = .venv-real
approve-real: export COURSE_REAL = 1
approve-real: export COURSE_SECONDS = 120
approve-real:
	$(SETUP) real
	rm -f .venv-real/parity.json
	PYTEST_ADDOPTS= PARITY_JSON=.venv-real/parity.json .venv-real/bin/python -m pytest -n auto --dist worksteal tests/real
	.venv-real/bin/python -m coursebuild.parity accept .venv-real/parity.json
	.venv-real/bin/python -m coursebuild approve

# Zensical, in an environment of its own. The pages of MkDocs are built here, unless SITE names a site that is built.
successor: override VENV = .venv-zensical
successor: export COURSE_SECONDS = 120
successor:
	$(SETUP) zensical
	$(if $(filter file,$(origin SITE)),$(PY) -m mkdocs build --strict --site-dir "$(SITE)")
	$(PY) -m pytest -q tests/coursebuild/test_successor.py
	$(PY) -m coursebuild.successor "$(SITE)"

approve:
	$(SETUP)
	$(PY) -m coursebuild approve
	$(PY) -m tests.coursebuild.examples

review:
	$(SETUP)
	@$(PY) -m coursebuild review --base "$(BASE)" --head "$(HEAD)"

# The libraries are in the second lane's environment; without a Python 3.11 they are not measured, nor the pages without a Chromium.
bench:
	$(SETUP)
	$(PY) -m coursebuild.bench
	$(PY) -m coursebuild.bench_pages
	VENV=.venv-peers sh .ci/setup peers
	COURSE_CACHE= CI= .venv-peers/bin/python -m coursebuild.bench_peers
	@if [ -x .venv-real/bin/python ] || [ -n "$$(sh .ci/find-python --each 3.11)" ]; then \
		VENV=.venv-real PYTHON= sh .ci/setup real && .venv-real/bin/python -m coursebuild.bench_libraries; \
	else \
		echo 'The libraries were not measured: they need Python 3.11, and none was found'; \
	fi

# How many at once: JOBS=..., as many as there are processors.
mutants: override VENV = .venv-mutants
mutants:
	$(SETUP) mutants
	$(PY) -m pytest -q tests/coursebuild/test_mutants.py::TestMutants tests/coursebuild/test_mutants.py::TestCommand
	$(PY) -m coursebuild.mutants $(MODULES)

# Each kind of fault in each panel, exercise and lab; the record of a run of all is what the ledger's page publishes.
# ONLY='docs/index.md 17.2'  there alone      SAMPLE=50 SEED=7  so many, drawn
faults: export COURSE_SECONDS = 120
faults:
	$(SETUP)
	$(PY) -m coursebuild.planting $(ONLY) $(if $(SAMPLE),--sample $(SAMPLE) --seed $(or $(SEED),0))

lock:
	$(SETUP) node
	@sh .ci/lock $(if $(UPGRADE),--upgrade)

clean:
	rm -rf site review build dist .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find docs src tests .ci -name __pycache__ -type d -prune -exec rm -rf {} +
