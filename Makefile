# Everything a fresh machine needs: `make demo` and `make test`. See CONTRIBUTING.md.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
WHOLE := perceptron autoencoder# verified with every misconception in each test run; the others with a third, and whole at night

.PHONY: env demo test nightly bench docs lint clean

env: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[torch,lab,seal,dask,nbgrader,otter,docs,dev]'
	touch $@

demo: env
	$(BIN)/redink demo

test: env lint
	$(BIN)/redink build --check
	REDINK_SECRET=test $(BIN)/redink verify $(WHOLE)
	REDINK_SECRET=test $(BIN)/redink verify --sample $(filter-out $(WHOLE),$(notdir $(patsubst %/,%,$(wildcard solutions/*/))))
	REDINK_SECRET=test $(BIN)/redink verify --mutants 15
	$(BIN)/pytest -m 'not slow' -n 2

nightly: env
	$(BIN)/pytest -n 2
	for number in 1 2 3 4 5; do REDINK_SECRET=nightly-$$$$-$$number $(BIN)/redink verify || exit 1; done
	REDINK_SECRET=test $(BIN)/redink verify --mutants 2000
	$(BIN)/python benchmarks/large_class.py

bench: env
	$(BIN)/python benchmarks/bench.py

docs: env
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --nitpicky --quiet --builder html docs docs/_build
	@echo 'open docs/_build/index.html'

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf .venv demo dist docs/_build .mypy_cache .ruff_cache .pytest_cache
