# tetherlab: everything a newcomer needs is `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help run test lint browser bounds study validation bench pictures docs numba-range clean

help:
	@echo "make run         drone, ground robot and winch fly a mission in a theatre; report in runs/"
	@echo "make test        lint, types, layers and all quick tests"
	@echo "make study       the long tests: random runs, capstan tables, convergence"
	@echo "make bounds      tests of the tether and four runs with every index of compiled code checked"
	@echo "make validation  measures every figure and writes docs/validation.md; with"
	@echo "                 ONLY='peers random_runs marsupial viewer' those that take most of an hour"
	@echo "make bench       this engine against MuJoCo and MoorDyn on the same scene"
	@echo "make pictures    takes the pictures of README and docs in a browser"
	@echo "make docs        builds the documentation into site/"
	@echo "make numba-range tests the engine with the oldest and the newest Numba of pyproject.toml"

$(READY): pyproject.toml constraints.txt
	@echo "Setting up $(VENV) (once; with the first run one to four minutes) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt setuptools
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt --no-build-isolation -e ".[all,dev,peers,study,docs]"
	@touch $@

run: $(READY)
	@echo "Flying the planned mission in the theatre (the first run compiles the engine) ..."
	@$(BIN)/tetherlab run theatre

lint: $(READY)
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/lint-imports --no-logo 2>&1 | tail -n 3
	@$(BIN)/lint-imports > /dev/null
	@$(BIN)/mypy --no-error-summary

# The pages are tested in Debian's chromium, where the machine has it or may install it.
browser:
	@command -v chromium > /dev/null || { \
	  echo "Looking for chromium, in which the pages are tested ..."; \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; } > /dev/null 2>&1; } || \
	  echo "There is no chromium and it cannot be installed here: the tests of the pages will NOT run."

pictures: $(READY) browser
	@$(BIN)/python tools/take_pictures.py

test: lint browser
	@$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow"

# Compiles everything once more: checked code has a cache of its own.
BOUNDS := $(CURDIR)/.cache/bounds
bounds: $(READY)
	@NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow" tests/tether tests/plant tests/math/test_bounds.py
	@rm -rf $(BOUNDS) && mkdir -p $(BOUNDS)
	@$(BIN)/tetherlab plan over_the_wall --out $(BOUNDS)/over_the_wall.yaml > /dev/null
	@for scene in windy canopy_branch canopy_outdoor $(BOUNDS)/over_the_wall.yaml; do \
	  echo "Running $$(basename $$scene) with checked indices ..."; \
	  NUMBA_BOUNDSCHECK=1 $(BIN)/tetherlab run $$scene --no-report --folder $(BOUNDS)/$$(basename $$scene .yaml)-run > $(BOUNDS)/said.txt 2>&1 || { cat $(BOUNDS)/said.txt; exit 1; }; \
	done

study: $(READY)
	@$(BIN)/python -m pytest -m slow

validation: $(READY)
	@$(BIN)/python -m validation $(if $(ONLY),--only $(ONLY))

bench: $(READY)
	@$(BIN)/tetherlab bench tether

docs: $(READY)
	@$(BIN)/python tools/draw_architecture.py
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "open site/index.html"

numba-range: $(READY)
	@$(BIN)/python tools/try_numba_range.py

clean:
	rm -rf $(VENV) .cache site build src/*.egg-info
	find src -name '*.nb[ci]' -delete
