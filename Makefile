# `make run` installs what it runs, and plays; `make test` installs the rest, and tests. Both work on a fresh machine
# with Python 3.11.
# While you work, `make check` answers in a minute and `make format` formats.

PYTHON ?= python3.11
VENV ?= .venv
CORE_VENV ?= .venv-core
OLDEST_VENV ?= .venv-oldest
BIN = $(VENV)/bin
CORE_BIN = $(CORE_VENV)/bin
OLDEST_BIN = $(OLDEST_VENV)/bin

# A newer torch would bring several gigabytes of GPU libraries along.
TORCH = torch==2.13.0
# The oldest versions that are supported; the full installation has the newest. RLlib asks for this gymnasium.
OLDEST = gymnasium==1.2.2 numba==0.62.1 numpy==2.0.2
# The lower bounds of setup.cfg for every library of the extra `all`.
OLDEST_EXTRAS = msgspec==0.20.0 torch==2.6.0 stable-baselines3==2.7.0 sb3-contrib==2.7.0 pgmpy==1.1.2 scipy==1.13.0 safetensors==0.6.1 \
	tensorboard==2.18.0 matplotlib==3.10.7 rich==14.3.1 huggingface_hub==1.0.0 minari==0.5.2 pettingzoo==1.24.3 \
	textual==8.2.0 textual-serve==1.1.0 pygame-ce==2.5.2 platformdirs==4.2.0 imageio==2.35.1 imageio-ffmpeg==0.5.0 \
	pillow==10.3.0 openai==2.54.0 ray==2.40.0 optuna==4.0.0

# Each learning library has an environment of its own, since RLlib asks for one version of gymnasium.
LIBRARIES = .venv-libraries
# These are extras of setup.cfg, with tests of their own.
TEXT_LIBRARIES = verifiers openenv inspect trl
CLEANRL = cleanrl-1.2.0-py3-none-any.whl
OTHER_VENV = .venv-$(notdir $(PYTHON))

# Several processes share the tests, and the kernels that are compiled before: otherwise each would compile them.
PYTEST = -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal

RUN_DIR = runs/first
POLICIES = random straightforward subset expected_value bayes exact lookahead

# Python keeps compiled modules and rewritten tests, even where the shell forbids it: tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE =

.PHONY: $(TEXT_LIBRARIES:%=test-%) run train kernels test check format lint types warm-up warm-up-core test-all test-quick test-slow test-figures test-core test-oldest-extras test-python test-libraries bench docs clean

run: $(VENV)/installed-run
	rm -rf $(RUN_DIR)
	$(MAKE) --jobs=2 train kernels
	$(BIN)/python evaluate.py --policy $(POLICIES) $(RUN_DIR) --games 1000 --json $(RUN_DIR)/results.json --plot $(RUN_DIR)/results.png
	@echo 'Written to $(RUN_DIR): agent.safetensors, agent.json and run.json (the agent and its settings), curves.png (its learning curve),'
	@echo 'results.json and results.png (the win rates of all policies). Next:'
	@echo '  $(BIN)/python play.py --policy $(RUN_DIR)                                # watch the agent play'
	@echo '  $(BIN)/python evaluate.py --policy $(RUN_DIR) subset --diagnose          # find its mistakes'
	@echo '  $(BIN)/python train.py --config dqn-8x8 --minutes 10 --out runs/better   # train a better one'

train:
	$(BIN)/python train.py --config quick --out $(RUN_DIR)

# While the training uses one processor, another compiles the kernels of evaluate.py. Its output is hidden: evaluate.py reports any error later.
kernels:
	@$(BIN)/python evaluate.py --policy lookahead $(POLICIES) --games 20 > /dev/null 2>&1 || true

# What keeps one processor busy comes first, side by side, both installations too; the other tests then use all processors.
test:
	$(MAKE) --jobs=2 warm-up-core warm-up test-core lint types
	$(MAKE) --assume-old=warm-up test-all

# One test file or folder of each part: style, imports, types, and the games, numbers and wins that every change must keep.
CHECKS = tests/test_size.py tests/test_public_names.py tests/package $(addprefix tests/minesweeper_env/,engine/test_rules.py \
	env/test_env.py inference/test_inference.py)

check: $(VENV)/installed
	$(MAKE) --jobs=2 lint types
	$(BIN)/python $(PYTEST) -m "not slow" $(CHECKS)

format: $(VENV)/installed
	$(BIN)/ruff check --fix --exit-zero --quiet .
	$(BIN)/ruff format .

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/installed
	$(BIN)/mypy

warm-up: $(VENV)/installed
	$(BIN)/python -m baselines warm-up

test-quick: warm-up
	$(BIN)/python $(PYTEST) -m "not slow"

test-slow: warm-up
	$(BIN)/python $(PYTEST) -m "slow and not figures and not cluster"

# Quick and slow tests in one run: each process imports the libraries once, and none waits for the last slow test.
test-all: warm-up
	$(BIN)/python $(PYTEST) -m "not figures and not cluster"

# The figures of the pages, played again on fewer games: they take longer than all other tests of policies and agents.
test-figures: warm-up
	$(BIN)/python $(PYTEST) -m figures

# The environment alone: no extras, and the oldest supported versions. Older libraries can break these tests; test-quick has all.
CORE_TESTS = $(addprefix tests/minesweeper_env/,env wrappers inference/test_inference.py test_imports.py test_kernel_cache.py)

warm-up-core test-core: export NUMBA_CACHE_DIR = $(abspath $(CORE_VENV))/kernels
warm-up-core: $(CORE_VENV)/installed
	$(CORE_BIN)/python -m minesweeper_env.warm_up

test-core: warm-up-core
	$(CORE_BIN)/python $(PYTEST) -m "not slow" $(CORE_TESTS)

# Everything that runs, with the oldest supported version of each library; no part of `make test`.
test-oldest-extras: export NUMBA_CACHE_DIR = $(abspath $(OLDEST_VENV))/kernels
test-oldest-extras: $(OLDEST_VENV)/installed
	$(OLDEST_BIN)/python -m baselines warm-up
	$(OLDEST_BIN)/python $(PYTEST) -m "not slow" tests/azulejos_env tests/baselines tests/minesweeper_env tests/minesweeper_play

# The environment alone under another interpreter: make test-python PYTHON=python3.13
test-python: export NUMBA_CACHE_DIR = $(abspath $(OTHER_VENV))/kernels
test-python: $(OTHER_VENV)/installed
	$(OTHER_VENV)/bin/python -m minesweeper_env.warm_up
	$(OTHER_VENV)/bin/python $(PYTEST) -m "not slow" tests/minesweeper_env

# The snippets of docs/how-to/libraries.md, nodes of Ray that are killed, and the libraries for language models; no part
# of `make test`.
test-libraries: $(VENV)/installed $(LIBRARIES)/torchrl/installed $(LIBRARIES)/tianshou/installed $(LIBRARIES)/rllib/installed $(LIBRARIES)/reasoning-gym/installed $(LIBRARIES)/$(CLEANRL) $(TEXT_LIBRARIES:%=test-%)
	$(BIN)/python -m pytest tests/libraries
	$(BIN)/python -m pytest -m cluster

$(TEXT_LIBRARIES:%=test-%): test-%: $(LIBRARIES)/%/installed
	NUMBA_CACHE_DIR=$(abspath $(LIBRARIES))/kernels $(LIBRARIES)/$*/bin/python -m pytest tests/libraries/test_text_libraries.py tests/libraries/test_trl.py

bench: $(VENV)/installed
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/memory.py
	$(BIN)/python benchmarks/inference.py
	$(BIN)/python benchmarks/learning.py

# MkDocs 2 removes what the theme needs; the notice about that is for the authors of themes.
docs: export NO_MKDOCS_2_WARNING = 1
docs: $(VENV)/installed
	$(BIN)/python -m mkdocs build --strict

# Python compiles what it imports; compiling every module of the libraries here would take a minute.
$(VENV)/installed-run: pyproject.toml setup.cfg
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --no-compile $(TORCH) --editable '.[train,play]'
	touch $@

# It has all that `make run` needs, so a fresh clone solves its versions once.
# Pip lists what is there already in a page of lines; the pipe that leaves them out must not hide a failure of pip.
$(VENV)/installed: pyproject.toml setup.cfg
	$(PYTHON) -m venv $(VENV)
	bash -o pipefail -c "$(BIN)/python -m pip install --no-compile $(TORCH) --editable '.[all,dev,docs]' | sed '/^Requirement already/d'"
	touch $(VENV)/installed-run $@

# The tests find the package in this folder. Two installations of it at a time would write the same files there.
$(CORE_VENV)/installed: pyproject.toml setup.cfg
	$(PYTHON) -m venv $(CORE_VENV)
	$(CORE_BIN)/python -m pip install --no-compile $(OLDEST) pytest pytest-xdist hypothesis scipy
	touch $@

$(OLDEST_VENV)/installed: pyproject.toml setup.cfg
	$(PYTHON) -m venv $(OLDEST_VENV)
	$(OLDEST_BIN)/python -m pip install $(OLDEST) $(OLDEST_EXTRAS) pytest pytest-xdist hypothesis --editable '.[all]'
	touch $@

$(OTHER_VENV)/installed: pyproject.toml setup.cfg
	$(PYTHON) -m venv $(OTHER_VENV)
	$(OTHER_VENV)/bin/python -m pip install pytest pytest-xdist hypothesis scipy --editable .
	touch $@

$(LIBRARIES)/torchrl/installed: LIBRARY = 'torchrl>=0.14,<0.15'
$(LIBRARIES)/tianshou/installed: LIBRARY = 'tianshou>=2.0,<2.1'
$(LIBRARIES)/rllib/installed: LIBRARY = 'ray[rllib]>=2.60,<2.61' gymnasium==1.2.2
$(LIBRARIES)/reasoning-gym/installed: LIBRARY = 'reasoning-gym>=0.1.25,<0.2'
$(LIBRARIES)/%/installed: pyproject.toml setup.cfg
	$(PYTHON) -m venv $(LIBRARIES)/$*
	$(LIBRARIES)/$*/bin/python -m pip install $(TORCH) $(LIBRARY) --editable .
	touch $@

$(LIBRARIES)/trl/installed: LIBRARY = $(TORCH)
$(TEXT_LIBRARIES:%=$(LIBRARIES)/%/installed): $(LIBRARIES)/%/installed: pyproject.toml setup.cfg
	$(PYTHON) -m venv $(LIBRARIES)/$*
	$(LIBRARIES)/$*/bin/python -m pip install --no-compile $(LIBRARY) pytest pytest-xdist hypothesis --editable '.[$*]'
	touch $@

# CleanRL 1.2.0 asks for an older Python; only its ppo.py is read.
$(LIBRARIES)/$(CLEANRL): $(VENV)/installed
	$(BIN)/python -m pip download --no-deps --ignore-requires-python --dest $(LIBRARIES) cleanrl==1.2.0

clean:
	rm -rf $(VENV) $(CORE_VENV) $(OLDEST_VENV) $(OTHER_VENV) $(LIBRARIES) build *.egg-info
