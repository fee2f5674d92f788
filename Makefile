# Nothing but Python >= 3.11, make and git is assumed. The first run of a target makes .venv; later ones start at once.
#
#   make demo     a poisoned memory is found, taken back and corrected, on both engines
#   make test     the tests, in a random time zone (TEST_TZ=Asia/Kathmandu chooses one; ARGS="-k gate" passes arguments)
#   make crash    kills, failing calls, power cuts and damaged bytes, for long (SEED=2 repeats, NUMBER=1000 kills)
#   make soak     a bank, registers, lists and cascades with concurrent readers and restarts, for long (OPS=1000000)
#   make notebooks   run the notebooks and write what comes out into them (make test and make check compare)
#   make check    everything: format, lint, types, floors, tests with coverage, and the wheel in a clean environment

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run-env dev-env demo test crash soak cov check check-static format format-check lint types floors smoke notebooks lock clean

BIN := .venv/bin
ENGINES ?= kuzu ladybug
JOBS ?= 2
ARGS ?=
COV ?=
ZONES := UTC Africa/Casablanca America/Los_Angeles America/Santiago America/St_Johns Asia/Kathmandu Asia/Kolkata \
         Asia/Tokyo Australia/Lord_Howe Europe/Dublin Pacific/Apia Pacific/Auckland \
         Pacific/Chatham Pacific/Kiritimati Pacific/Pago_Pago
TEST_TZ ?= $(shell printf '%s\n' $(ZONES) | shuf -n 1)

help:
	@sed -n 's/^#   //p' Makefile

run-env:
	@.ci/venv .venv requirements.lock

dev-env:
	@.ci/venv .venv requirements-dev.lock

demo: run-env
	@for engine in $(ENGINES); do $(BIN)/tkg demo --engine $$engine; done

test: dev-env
	@zone='$(TEST_TZ)'; echo "time zone: $$zone (again with: make test TEST_TZ=$$zone)"; \
	export TZ=$$zone; $(BIN)/python -m pytest -n $(JOBS) $(if $(COV),--cov --cov-report=term,) $(ARGS); \
	if $(BIN)/python -c 'import importlib.util as u, sys; sys.exit(u.find_spec("ladybug") is None)'; then \
	  echo "once more on ladybug: what runs on a graph engine (one process cannot load both)"; \
	  TEST_ENGINE=ladybug $(BIN)/python -m pytest -n $(JOBS) -m engine $(ARGS) || [ $$? -eq 5 ]; \
	fi

SEED ?= 1
NUMBER ?= 1000
crash: dev-env
	@for run in "kill --number $(NUMBER)" "faults --number 0" "states --number 0" "damage --number 5000"; do \
	  $(BIN)/python -m tests.crash $$run --seed $(SEED); \
	done; \
	for engine in $(ENGINES); do \
	  $(BIN)/python -c "import $$engine" 2>/dev/null || continue; \
	  for run in "kill --number 200" "kill --number 50 --file" "faults --number 5" "damage --number 1000" "damage --number 100 --file"; do \
	    $(BIN)/python -m tests.crash $$run --seed $(SEED) --engine $$engine; \
	  done; \
	done

OPS ?= 1000000
soak: dev-env
	@for engine in memory $(ENGINES); do \
	  [ $$engine = memory ] || $(BIN)/python -c "import $$engine" 2>/dev/null || continue; \
	  $(BIN)/python -m tests.soak --ops $(OPS) --seed $(SEED) --engine $$engine; \
	done

cov:
	@$(MAKE) --no-print-directory test COV=1

check: check-static cov smoke

check-static: format-check lint types floors

format: dev-env
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

format-check: dev-env
	@$(BIN)/ruff format --check .

lint: dev-env
	@$(BIN)/ruff check .

types: dev-env
	@$(BIN)/python -m mypy

floors: dev-env
	@$(BIN)/lint-imports --no-logo

smoke: dev-env
	@.ci/smoke

notebooks: dev-env
	@$(BIN)/python -m tests.notebooks $(ARGS)

lock:
	@.ci/lock $(if $(UPGRADE),--upgrade)

clean:
	rm -rf .venv .venv-smoke build *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
