"""Damaged files of results: every command that reads one exits with status 2 and one line that names the file."""

import json
import math

import pytest
from support.commands import refused
from support.tiny_training import tiny

from baselines.__main__ import main
from baselines.files import write_json
from baselines.learned.agents import save_agent
from baselines.learned.configurations import record_session
from baselines.learned.networks import BoardNetwork
from baselines.learned.settings import NetworkSize
from baselines.provenance import installation_id

CONFIG = 'algo = "dqn"\nboards = ["4x4/2"]\nsteps = 300\nenvs = 8\nchannels = 4\ndepth = 1\neval_games = 5\n'
RESULT = {"steps": 320, "games": 50, "wins": {"4x4/2": 25}}
DEEP = "[" * 2000 + "]" * 2000
ANY = ["", "[]", "{}", "\udcff", DEEP]


@pytest.fixture
def study(tmp_path):
    """Arguments of a study of seeds whose trainings are done."""
    out = tmp_path / "out"
    (tmp_path / "tiny.toml").write_text(CONFIG)
    for seed in range(5):
        folder = out / f"tiny-{seed}"
        folder.mkdir(parents=True)
        record_session(folder, tiny("dqn", boards=("4x4/2",), steps=300, seed=seed, hyperparameters={}), "", 0)
        write_json(folder / "result.json", RESULT)
    write_json(out / "seeds.json", {"games": 50, "identity": installation_id()})
    return ["seeds", "--config", f"{tmp_path}/tiny.toml", "--seeds", "5", "--games", "50", "--out", str(out)]


@pytest.fixture
def agent(tmp_path):
    """Arguments that send an agent with its results to the hub."""
    folder, size = tmp_path / "run", NetworkSize(4, 1)
    folder.mkdir()
    save_agent(folder, BoardNetwork.of_size(size), size, {"algo": "dqn"})
    record_session(folder, tiny("dqn"), "", 0)
    row = {"policy": str(folder), "games": 9, "win_rate": 0.5, "ci95": [0.1, 0.9]}
    config = {"size": [4, 5], "mines": 2, "first_click": "safe"}
    write_json(tmp_path / "results.json", {"config": config, "seed": 0, "results": [row]})
    return ["push", str(folder), "ana/mines", "--dry-run", "--results", f"{tmp_path}/results.json"]


@pytest.fixture
def sweep(tmp_path):
    pytest.importorskip("optuna")
    (tmp_path / "out").mkdir()
    (tmp_path / "tiny.toml").write_text(CONFIG)
    return ["sweep", "--config", f"{tmp_path}/tiny.toml", "--search", "depth=1,2", "--out", f"{tmp_path}/out"]


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "out").mkdir()
    return ["suite", "sources", "--groups", "expected-value", "--games", "10", "--out", f"{tmp_path}/out"]


RESULTS = [{**RESULT, **each} for each in ({"wins": [1]}, {"wins": {"4x4/2": -1}}, {"games": 0})]
RUNS = [{"sessions": 3}, {"sessions": []}, "link", "folder"]
PLANS = [{"settings": 3}, {"seed": 0, "search": "depth=1,2"}]
AGENTS = [{"format": 3, "kind": "clicks", "channels": 4}, {"trained_on": []}]
KEPT = {"win_rate": 0.5, "win_rates": {"4x5/2": 0.5}, "games": 10**400, "first_seed": 0, "steps": 1}
AGENTS += [{"selected_by": each} for each in (3, {}, {"win_rates": {"4x5/2": 0.5}}, KEPT)]
BOARDS = [{"seed": 0, "boards": 3}, {"seed": 0, "boards": [{"results": []}]}, {"seed": 0, "config": {}, "results": []}]
HALF = {"policy": "a", "win_rate": 0.5, "ci95": [0.0, 1.0], "games": 2}
BOARDS += [{"seed": 0, "config": {}, "results": [HALF | {each: 10**400}]} for each in ("games", "wins")]


@pytest.mark.parametrize(
    ("command", "name", "named", "contents"),
    [
        ("study", "out/tiny-3/result.json", "result.json", RESULTS),
        ("study", "out/tiny-3/run.json", "", RUNS),
        ("sweep", "out/sweep.json", "", PLANS),
        ("suite", "out/suite.json", "", []),
        ("agent", "run/agent.json", "agent.json", AGENTS),
        ("agent", "run/run.json", "run.json", [{"sessions": [3]}]),
        ("agent", "results.json", "results.json", BOARDS),
    ],
)
def test_a_command_names_a_damaged_file_or_its_folder(command, name, named, contents, request, tmp_path, capsys):
    arguments, path = request.getfixturevalue(command), tmp_path / name
    whole = json.loads(path.read_text()) if name == "run/agent.json" else {}
    for content in [*ANY, *contents]:
        if isinstance(content, dict) and content.keys() <= {"selected_by", "trained_on"}:
            content = whole | content
        damage(path, content)
        assert str(path.parent / named) in refused(capsys, main, *arguments), content


def test_push_sends_no_file_from_outside_of_the_folder(agent, tmp_path, capsys):
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "run" / "curves.png").symlink_to("../secret.txt")
    assert "curves.png leads out of the folder" in refused(capsys, main, *agent)


def test_a_damaged_run_is_named_by_all_who_begin_with_its_agent(agent, tmp_path, capsys):
    run = tmp_path / "run"
    whole = json.loads((run / "run.json").read_text())
    card = ["--track", "reveal", "--author", "me", "--link", "https://example.org"]
    train = ["train", "--algo", "dqn", "--channels", "4", "--depth", "1", "--steps", "300", "--start"]
    for changes in (
        *({name: each} for name in ("settings", "sessions") for each in (None, [], {}, "x")),
        *({"settings": {"algo": "dqn", "hyperparameters": {}, "minutes": each}} for each in ("1", math.nan)),
        *({"start": each} for each in (3, {}, {"steps": 9, "run": {}})),
    ):
        write_json(run / "run.json", whole | changes)
        for command in (agent, [*train, run], ["benchmark", "run", *card, "--policy", run]):
            out = [] if command is agent else ["--out", tmp_path / "out"]
            assert str(run / "run.json") in refused(capsys, main, *command, *out), changes


def test_a_configuration_that_is_nested_deep_or_would_fill_the_memory_is_named(tmp_path, capsys):
    path = tmp_path / "own.toml"
    for content in (f"boards = {DEEP}", "#" * (1 << 21)):
        path.write_text(content)
        assert str(path) in refused(capsys, main, "train", "--config", path, "--out", tmp_path / "run")


def damage(path, content):
    """Puts a text, or JSON-able values, into a file; "folder" and "link" replace the file."""
    path.unlink(missing_ok=True)
    if content == "folder":
        path.mkdir()
    elif content == "link":
        path.symlink_to(path)
    else:
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_bytes(text.encode(errors="surrogateescape"))
