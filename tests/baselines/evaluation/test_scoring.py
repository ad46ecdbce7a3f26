"""`baselines.evaluate`: policies of every kind, the table, the rows, and errors before any play."""

import json
import sys
from functools import partial
from types import SimpleNamespace
from unittest.mock import Mock

import gymnasium
import numpy as np
import pytest
from support.policies import mcnemar_p_value

import baselines
from baselines.adapters import FunctionPolicy
from baselines.evaluation.games import play_games
from baselines.evaluation.intervals import holm, paired_difference
from baselines.evaluation.seeds import TEST_SEEDS
from baselines.policy import PolicyError
from minesweeper_env import BoardConfig

BOARD = {"size": (4, 5), "mines": 3}
CONFIG = BoardConfig(4, 5, 3, moves=("click",))


class Last:
    """Clicks the last covered cell; has no reset, and returns a list."""

    def __init__(self, size, mines, first_click):
        self.board = (size, mines, first_click)

    def act(self, _, action_masks):
        return [int(np.flatnonzero(mask)[-1]) for mask in action_masks]


class Flagging(Last):
    """Plays with flags, but sets none."""

    moves = ("click", "flag")

    def act(self, _, action_masks):
        return [int(np.flatnonzero(mask[:20])[-1]) for mask in action_masks]


def last_covered(_, action_mask):
    return np.flatnonzero(action_mask)[-1]


def evaluate(policy, **arguments) -> baselines.Results:
    return baselines.evaluate(policy, **BOARD | {"games": 60, "against": "straightforward"} | arguments)


def test_a_policy_of_any_kind_plays_the_same_games():
    given = {
        "class": Last,
        "object": Last((4, 5), 3, "opening"),
        "factory": lambda **board: Last(**board),
        "function": FunctionPolicy(last_covered, **BOARD),
        "partial": partial(FunctionPolicy, last_covered),
        "flags": Flagging,
        "name": "random",
    }
    results = evaluate(given)
    assert [row["policy"] for row in results.rows()] == [*given, "straightforward"]
    expected = sum(record.won for record in play_games(given["function"], CONFIG, range(60)))
    assert 0 < expected < 60
    assert {results[name].wins for name in given if name != "name"} == {expected}
    assert results["straightforward"].games == 60


def test_a_row_holds_rates_intervals_and_the_difference_to_the_reference():
    results = evaluate(["random", Last], games=100, against="straightforward")
    rows = {row["policy"]: row for row in results.rows()}
    reference, row = rows["straightforward"], rows["Last"]
    first, second = ([record.won for record in results[name].records] for name in ("Last", "straightforward"))
    pairs = list(zip(first, second, strict=True))
    table = [pairs.count((own, other)) for own in (True, False) for other in (True, False)]
    difference = [row["difference"], row["difference_low"], row["difference_high"]]
    assert difference == pytest.approx([100 * end for end in paired_difference(*table)])
    assert row["p"] == mcnemar_p_value(first, second)
    assert [rows[name]["p_holm"] for name in ("random", "Last")] == holm([rows["random"]["p"], row["p"]])
    assert (row["wins"], row["win_rate"]) == (sum(first), sum(first) / 100)
    assert (row["win_rate_low"], row["win_rate_high"]) == results["Last"].interval
    assert (row["board"], row["first_click"], row["seed"], row["games"]) == ("4x5/3", "opening", 0, 100)
    assert row["against"] == "straightforward"
    assert [reference[name] for name in ("against", "difference", "p", "p_holm")] == [None] * 4


def test_rows_are_flat_and_fill_a_data_frame():
    rows = evaluate("random", games=20, diagnose=True).rows()
    assert all(value is None or isinstance(value, (str, int, float)) for row in rows for value in row.values())
    assert rows[0].keys() == rows[1].keys()
    assert rows[0]["lost_avoidable_low"] <= rows[0]["lost_avoidable"] <= rows[0]["lost_avoidable_high"]
    assert rows[0]["excess_risk_per_game_low"] < rows[0]["excess_risk_per_game"]


@pytest.mark.parametrize("diagnose", [False, True])
def test_the_table_fits_80_columns_and_a_notebook_shows_escaped_names(diagnose):
    long = {"<b> with a name that is much longer than any name of a policy ought to be": "random"}
    results = evaluate(long, diagnose=diagnose)
    text, (row, _) = str(results), results.rows()
    assert max(map(len, text.splitlines())) <= 80
    assert text.splitlines()[0] == "4x5, 3 mines, first click opening, seeds 0 to 59"
    assert ("What the clicks were like" in text) is diagnose
    assert repr(results) == text
    for shown in ("{win_rate:.1%}", "{difference:+.1f}", "{difference_low:+.1f} to {difference_high:+.1f}"):
        assert shown.format(**row) in text
    page = results._repr_html_()
    assert page.startswith("<table>")
    assert "<td>&lt;b&gt; with" in page
    assert "<b>" not in page


def test_files_are_those_of_evaluate_py(tmp_path):
    results = evaluate(["random", "straightforward"])
    results.to_json(tmp_path / "results.json")
    content = json.loads((tmp_path / "results.json").read_text())
    assert [row["policy"] for row in content["results"]] == ["random", "straightforward"]
    assert content["config"] == {"size": [4, 5], "mines": 3, "first_click": "opening"}
    assert content["command"].startswith("baselines.evaluate(['random', 'straightforward'], size=(4, 5), mines=3")
    with pytest.raises(ValueError, match=r"a plot needs a file that ends in .png, .pdf, .svg"):
        results.plot(str(tmp_path / "results.gif"))
    with pytest.raises(FileNotFoundError, match="nowhere"):
        results.to_json(tmp_path / "nowhere" / "results.json")


def test_the_reference_is_the_first_of_against_or_of_the_policies():
    assert evaluate("random", against=()).reference == "random"
    assert evaluate(["random", "straightforward"], against=()).reference == "random"
    assert evaluate("random", games=20, against=["straightforward", "subset"]).reference == "straightforward"
    alone = evaluate("straightforward")
    assert [result.policy for result in alone.policies] == ["straightforward"]
    assert "Reference" not in str(alone)
    with pytest.raises(KeyError, match="no policy 'exact'; there are straightforward"):
        alone["exact"]


def test_equal_names_get_a_number():
    policies = [FunctionPolicy(last_covered, **BOARD), FunctionPolicy(last_covered, **BOARD), "random"]
    found = evaluate(policies, games=20, against=()).policies
    assert [result.policy for result in found] == ["last_covered", "last_covered (2)", "random"]


@pytest.mark.parametrize("named", [True, False])
def test_a_policy_is_not_replaced_by_a_reference_of_its_name(named):
    own, reference = FunctionPolicy(last_covered, **BOARD), FunctionPolicy(lambda _, mask: mask.argmax(), **BOARD)
    reference.name = own.name
    policy, against = ({"subset": own}, "subset") if named else (own, reference)
    results = evaluate(policy, games=20, against=against)
    name = "subset" if named else "last_covered"
    assert [result.policy for result in results.policies] == [name, f"{name} (2)"] == [name, results.reference]
    assert results[name].wins == evaluate(own, games=20, against=()).policies[0].wins
    assert len(evaluate(policy, games=20, against=policy).policies) == 1


def test_a_policy_is_called_by_the_options_that_it_was_made_with():
    policy = baselines.make_policy("lookahead:clicks=1", size=5, mines=3, first=3, slack=None)
    assert policy.name == "lookahead:clicks=1,first=3,slack=none"
    env = gymnasium.make("Minesweeper-v0")
    assert baselines.make_policy("bayes", env=env, prior="count").name == "bayes:prior=count"


def test_an_option_without_a_short_text_is_named_by_its_class(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("class Agent:\n    def __init__(self, **_): ...\n    def act(self, boards, masks): ...\n")
    policy = baselines.make_policy(f"{path}:Agent", size=5, mines=3, table=np.eye(3), network=object(), depth=2)
    assert policy.name == f"{path}:Agent:table=ndarray,network=object,depth=2"


def refuses(problem, policy="random", error=ValueError, **arguments):
    with pytest.raises(error, match=problem) as found:
        evaluate(policy, **arguments)
    assert "\n" not in str(found.value)


@pytest.fixture
def no_play(monkeypatch):
    monkeypatch.setattr("baselines.evaluation.evaluate.play", Mock(side_effect=AssertionError("a game began")))


@pytest.mark.usefixtures("no_play")
def test_errors_come_before_any_play():
    refuses("unknown policy 'nobody'", ["random", "nobody"])
    refuses("seeds of test games are 0 to", seed=TEST_SEEDS.stop)
    refuses("games must be a whole number of at least 1, not 0", games=0)
    refuses("workers must be a whole number", workers=0)
    refuses("seed must be a whole number of at least 0, not -1", seed=-1)
    refuses("mines must be 1 to 11", mines=70)
    refuses("mines must be given for a board of 7x7", size=7, mines=None)
    refuses("at least one policy is needed", [])
    refuses("only games with moves", Flagging, diagnose=True)


@pytest.mark.usefixtures("no_play")
def test_what_is_no_policy_is_answered_with_what_to_do():
    import torch
    from stable_baselines3 import PPO

    refuses("a policy is a specification such as 'exact'.*, not int", 3)
    refuses("last_covered.* takes .*FunctionPolicy", last_covered)
    refuses(r"must return an object with the method act", lambda **board: board, PolicyError)
    refuses("was built for 5x5 with 3 mines", FunctionPolicy(last_covered, size=5, mines=3))
    refuses("IndexError: ", lambda **_: SimpleNamespace(act=lambda boards, _: boards[17]), PolicyError)
    refuses(r"Linear has no method act: wrap it in baselines.adapters.TorchPolicy", torch.nn.Linear(2, 2))
    refuses(r"PPO has no method act: wrap it in baselines.adapters.SB3Policy", PPO.__new__(PPO))


@pytest.mark.usefixtures("no_play")
def test_what_workers_cannot_see_is_refused(monkeypatch):
    refuses("cannot be sent to worker processes", {"mine": lambda **board: Last(**board)}, workers=2)
    monkeypatch.setattr(Last, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "Last", Last, raising=False)
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)
    refuses("Last is defined in this session, which worker processes cannot see", Last, workers=2)


def test_the_progress_bar_is_shown_when_asked(capsys):
    evaluate("random", games=20)
    assert capsys.readouterr() == ("", "")
    evaluate("random", games=20, progress=True)
    assert "playing random" in capsys.readouterr().err


def test_an_interruption_reaches_the_caller():
    class Interrupting(Last):
        def act(self, observations, action_masks):
            if len(observations) > 1:
                raise KeyboardInterrupt
            return super().act(observations, action_masks)

    with pytest.raises(KeyboardInterrupt):
        evaluate(Interrupting, against=())
