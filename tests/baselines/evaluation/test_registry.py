"""Policies by their specifications: a name, or a name with options."""

import json

import pytest

import baselines
from baselines import registry
from baselines.hub import AGENT_FILE
from baselines.registry import Row, find_policy, policy_names, policy_of_file
from minesweeper_env import BoardConfig

CONFIG = BoardConfig(4, 4, 3, "safe", ("click",))


class Flagger:
    moves = ("click", "flag")

    def __init__(self, config, depth=3, rate=0.5, careful=False, limit=None, rule="near"):
        if config.moves != self.moves:
            raise ValueError("Flagger needs the move flag")
        self.config = config
        self.given = {"depth": depth, "rate": rate, "careful": careful, "limit": limit, "rule": rule}

    def reset(self, seed):
        self.seed = seed


@pytest.fixture(autouse=True)
def flagger(monkeypatch):
    monkeypatch.setitem(registry.POLICIES, "flagger", Row(f"{__name__}:Flagger", "local rules", "scripted"))


def test_options_reach_the_policy_with_their_types():
    text = "flagger:depth=-1,rate=1e-3,careful=False,limit=none,rule=a:b=c"
    policy = baselines.make_policy(text, size=4, mines=3, seed=8)
    expected = {"depth": -1, "rate": 0.001, "careful": False, "limit": None, "rule": "a:b=c"}
    assert policy.given == expected
    assert list(map(type, policy.given.values())) == list(map(type, expected.values()))
    assert (policy.seed, policy.config.moves) == (8, ("click", "flag"))
    policy = baselines.make_policy("flagger:careful=true,rule=", size=4, mines=3, rate=0.25)
    assert policy.given == {"depth": 3, "rate": 0.25, "careful": True, "limit": None, "rule": ""}


@pytest.mark.parametrize(
    ("text", "options", "complaint"),
    [
        ("best:depth=2", {}, "unknown policy 'best'; there are random, "),
        ("flagger:width=2", {}, "no option width; its options: depth, rate, careful, limit, rule"),
        ("random:x=1,y=2", {}, "policy 'random' has no option x, y; its options: none"),
        *((f"flagger:{end}", {}, "name:option=value,option=value") for end in ("", "depth", "=2", "depth=2,")),
        ("flagger:depth=2,depth=3", {}, "option depth of policy 'flagger:depth=2,depth=3' is given twice"),
        ("flagger:depth=2", {"depth": 3}, "option depth of policy 'flagger:depth=2' is given twice"),
    ],
)
def test_bad_specifications_are_refused(text, options, complaint):
    with pytest.raises(ValueError, match=complaint):
        find_policy(text, **options)


@pytest.mark.parametrize("seed", [-1, 1.5, "x"])
def test_a_seed_is_a_whole_number(seed):
    for name in ("random", "exact"):
        with pytest.raises(ValueError, match="seed must be a whole number of at least 0"):
            baselines.make_policy(name, size=4, mines=3, seed=seed)


def test_a_run_folder_may_have_a_colon_in_its_name(tmp_path):
    pytest.importorskip("torch")
    from baselines.learned.agents import FORMAT

    folder = tmp_path / "runs:rate=2"
    folder.mkdir()
    with pytest.raises(ValueError, match="unknown policy"):
        find_policy(str(folder))
    (folder / AGENT_FILE).write_text("{}")
    with pytest.raises(ValueError, match=r"agent\.json"):
        find_policy(str(folder))
    (folder / AGENT_FILE).write_text(json.dumps({"format": FORMAT, "kind": "clicks", "channels": 4, "depth": 1}))
    assert find_policy(str(folder)).options == {}
    with pytest.raises(ValueError, match="its options: symmetries, precision"):
        find_policy(str(folder), depth=2)


def test_agents_that_come_with_the_package_are_found_by_name():
    pytest.importorskip("torch")
    from baselines.learned.agents import LearnedPolicy

    assert "plain-dqn" in policy_names()
    policy = find_policy("plain-dqn:symmetries=true,precision=bfloat16")(CONFIG)
    assert isinstance(policy, LearnedPolicy)
    assert policy.symmetries
    for option, complaint in (
        ("symmetries=8", "true or false"),
        ("precision=half", "float32, bfloat16"),
        ("device=gpu", "cuda"),
    ):
        with pytest.raises(ValueError, match=complaint):
            find_policy(f"plain-dqn:{option}")(CONFIG)


@pytest.mark.parametrize(
    "name", ["exact", "exact:first=3", "dqn:symmetries=true", f"hf:user/repo@{'0a' * 20}", "run:first=3"]
)
def test_what_a_file_may_name(tmp_path, name):
    for folder in ("run", "exact"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "agent.json").write_text("{}")
    assert policy_of_file(name, tmp_path / "a.json") == (f"{tmp_path}/{name}" if name.startswith("run") else name)
    assert policy_of_file("mine:Agent", tmp_path / "a.json", "yours:Agent") == "yours:Agent"
