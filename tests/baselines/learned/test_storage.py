import json
import pickle
import platform
from functools import cache
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from safetensors.torch import save
from support.equality import assert_same
from support.processes import full_disk, run_python
from support.tiny_training import learn, make_model, one_thread, tiny  # noqa: F401 - one_thread is a fixture

from baselines.learned.agents import find_agent, load_network, save_agent
from baselines.learned.common import tensor_files
from baselines.learned.common.tensor_files import read_tensors, write_tensors
from baselines.learned.networks import BoardNetwork
from baselines.learned.settings import NetworkSize
from minesweeper_env.config import BoardConfig

SIZE = NetworkSize(channels=6, depth=1)
BOARD = BoardConfig(5, 5, 3, moves=("click",))
AGENT_FILES = ("agent.json", "agent.safetensors")


@pytest.fixture
def folder(tmp_path):
    torch.manual_seed(0)
    save_agent(tmp_path, BoardNetwork.of_size(SIZE), SIZE, {"algo": "dqn"})
    return tmp_path


@cache
def learned(algo):
    """Returns the settings of a tiny training and its model, which several tests read."""
    settings = tiny(algo, boards=("5x5/3", "3x4/2"), channels=6)
    return settings, learn(make_model(settings), 704)


@pytest.fixture
def trained(tmp_path, request):
    settings, model = learned(request.param)
    write_tensors(tmp_path / "snapshot", *model.snapshot())
    return tmp_path / "snapshot", settings, model


def forbid_unpickling(monkeypatch):
    refuse = Mock(side_effect=AssertionError("something was unpickled"))
    for owner, name in ((pickle, "load"), (pickle, "loads"), (pickle, "Unpickler"), (torch, "load")):
        monkeypatch.setattr(owner, name, refuse)


def random_boards(count, rows, cols):
    return np.random.default_rng(0).integers(0, 12, (count, rows, cols)).astype(np.int8)


def test_an_agent_round_trips_without_unpickling(folder, monkeypatch):
    torch.manual_seed(0)
    network = BoardNetwork.of_size(SIZE)
    forbid_unpickling(monkeypatch)
    boards = torch.as_tensor(random_boards(4, 5, 5))
    assert torch.equal(load_network(folder)(boards, 3), network(boards, 3))


def test_another_radius_is_refused(folder):
    with pytest.raises(ValueError, match="radius 1, not 2"):
        find_agent(folder)(BoardConfig(9, 9, 3, radius=2))


@pytest.mark.parametrize("name", AGENT_FILES)
@pytest.mark.parametrize("damage", ["missing", "empty", "truncated", "noise"])
def test_a_damaged_agent_is_one_clear_line(folder, name, damage):
    path = folder / name
    content = path.read_bytes()
    path.unlink()
    if damage != "missing":
        path.write_bytes({"empty": b"", "truncated": content[: len(content) // 2], "noise": b"\xff" * 400}[damage])
    with pytest.raises(ValueError, match=name) as error:
        find_agent(folder)(BOARD)
    assert "\n" not in str(error.value)


def test_a_single_changed_bit_of_any_byte_is_found(tmp_path):
    path, tensors = tmp_path / "checkpoint.safetensors", {"a": torch.arange(3), "b": torch.ones(2, 1)}
    write_tensors(path, tensors, {"steps": 7})
    whole = path.read_bytes()
    for place in range(len(whole)):
        content = bytearray(whole)
        content[place] ^= 1 << place % 8
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"checkpoint\.safetensors is missing, damaged"):
            read_tensors(path)
    # An earlier version wrote no checksum.
    path.write_bytes(save(tensors, metadata={"state": "{}"}))
    assert read_tensors(path)[0]["a"].tolist() == [0, 1, 2]


FORGED = [{"depth": 2}, {"depth": 0}, {"kind": "afterstate"}, {"format": 9}]


@pytest.mark.parametrize("change", [*FORGED, *({"channels": each} for each in (7, "6", 10**9))])
def test_a_description_that_does_not_fit_is_one_clear_line(folder, change):
    path = folder / "agent.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ValueError, match="agent") as error:
        find_agent(folder)(BOARD)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_finite_numbers_are_refused(folder, value):
    path = folder / "agent.safetensors"
    tensors, facts = read_tensors(path)
    next(iter(tensors.values())).view(-1)[0] = value
    write_tensors(path, tensors, facts)
    with pytest.raises(ValueError, match=r"agent\.safetensors cannot be used: .* NaN or infinite"):
        find_agent(folder)(BOARD)


@pytest.mark.parametrize("trained", ["dqn", "ppo"], indirect=True)
def test_a_snapshot_restores_everything_without_unpickling(trained, monkeypatch):
    path, settings, model = trained
    # numba keeps its compiled kernels as pickles: have them loaded first.
    env = model.slots[1].env
    env.set_state(env.get_state())
    forbid_unpickling(monkeypatch)
    tensors, state = read_tensors(path)
    other = make_model(settings)
    other.restore(tensors, state)
    again, same_state = other.snapshot()
    assert same_state == state
    assert_same(*({name: tensor.numpy() for name, tensor in each.items()} for each in (again, tensors)))
    assert (other.num_timesteps, other._n_updates) == (model.num_timesteps, model._n_updates) > (600, 0)
    for slot, restored in zip(model.slots, other.slots, strict=True):
        assert_same((restored.observations, restored.games), (slot.observations, slot.games))


@pytest.mark.parametrize("trained", ["dqn"], indirect=True)
@pytest.mark.parametrize(
    "change", [{"envs": 4}, {"algo": "ppo", "hyperparameters": {}}, {"channels": 7}, {"boards": ("6x5/3", "3x4/2")}]
)
def test_a_snapshot_of_another_training_is_one_clear_line(trained, change):
    path, settings, _ = trained
    other = make_model(tiny(**{**settings.to_json(), **change}))
    with pytest.raises(ValueError, match="fit") as error:
        other.restore(*read_tensors(path))
    assert "\n" not in str(error.value)


KEEP = "from baselines.learned import agents; agents.keep_freed_memory()"

STEP = """
import torch
from baselines.learned.common.optimisation import Muon
weight = torch.ones(2, 2, requires_grad=True)
optimiser = Muon([weight])
optimiser.zero_grad()
weight.sum().backward()
optimiser.step()
optimiser.load_state_dict(optimiser.state_dict())
print("torch._dynamo" in sys.modules)
"""

# A pass allocates a few large arrays and frees them together: here 24 MiB, or 6144 pages of 4 KiB.
COUNT = """
import sys
{begin}
print(any(name in sys.modules for name in ("stable_baselines3", "sb3_contrib")))
import resource
import numpy as np
faults = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt
one_pass = lambda: len([np.ones(6 << 20, np.uint8) for _ in range(4)])
one_pass(), one_pass()
before = faults()
for _ in range(10):
    one_pass()
print(faults() - before)
{end}
"""


@cache
def printed(begin="", end=""):
    """Returns what a process prints: whether an algorithm is loaded, the page faults of ten passes, what `end` says."""
    return run_python("-c", COUNT.format(begin=begin, end=end)).stdout.split()


def test_playing_an_agent_imports_no_algorithm():
    assert printed(KEEP, STEP)[0] == "False"


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's allocator is meant")
def test_pages_are_not_mapped_in_again_for_each_pass():
    assert int(printed(KEEP, STEP)[1]) < 0.2 * int(printed()[1])
    assert int(printed("import minesweeper_env; minesweeper_env.MinesweeperVectorEnv(2)")[1]) < 0.2 * int(printed()[1])


def test_the_optimiser_does_not_load_the_compiler_of_torch():
    assert printed(KEEP, STEP)[2] == "False"


def test_a_training_on_the_cpu_asks_no_gpu_for_its_generator(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: False)
    for name in ("get_rng_state", "set_rng_state"):
        monkeypatch.setattr(torch.cuda, name, Mock(side_effect=RuntimeError("CUDA error: out of memory")))
    tensors, state = tensor_files.random_tensors()
    tensor_files.restore_random(tensors | {"random/cuda": torch.zeros(16, dtype=torch.uint8)}, state)
    assert "random/cuda" not in tensors


def test_a_full_disk_leaves_the_model_and_the_curve_of_an_example_whole_and_is_told_in_one_line(tmp_path):
    networks = [torch.nn.Linear(each, 1) for each in (1, 10_000)]
    tensor_files.save_model(networks[0], [0.5], tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for network, curve in ((networks[0], [0.5] * 10_000), (networks[1], [0.5])):
        with full_disk(20_000), pytest.raises(SystemExit, match=rf"^{tmp_path}/\w+\.\w+: File too large$"):
            tensor_files.save_model(network, curve, tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
