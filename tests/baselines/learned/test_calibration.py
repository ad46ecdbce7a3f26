"""Comparison of an agent's mine probabilities with the exact ones."""

import io
import json
import re

import imageio.v3 as imageio
import numpy as np
import pytest
import torch
from matplotlib.text import Text
from support.commands import complaint
from support.tiny_training import one_thread, tiny  # noqa: F401 - one_thread is a fixture

from baselines.__main__ import main
from baselines.learned.agents.storage import save_agent
from baselines.learned.calibration import maps
from baselines.learned.calibration.compare import ProbabilityComparison, compare, load_rater
from baselines.learned.calibration.diagrams import draw_calibration
from baselines.learned.networks.board import BoardNetwork
from baselines.learned.networks.size import NetworkSize
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import mine_probabilities

SIZE = NetworkSize(4, 1)
BOARD = BoardConfig(5, 5, 4, first_click="opening", moves=("click",))


def write_agent(folder, **changes):
    torch.manual_seed(0)
    save_agent(folder, BoardNetwork.of_size(SIZE), SIZE, {})
    settings = tiny("dqn").to_json() | changes
    if settings["algo"] != "dqn":
        settings = tiny(settings["algo"]).to_json()
    (folder / "run.json").write_text(json.dumps({"settings": settings, "sessions": []}))
    return folder


def test_a_comparison_holds_every_board_of_the_games_and_the_exact_probabilities(tmp_path):
    network = load_rater(write_agent(tmp_path))
    found = compare(network, BOARD, range(230))
    assert set(found.games) <= set(range(230))
    assert len(set(found.games)) > 150
    for number in (0, 7, len(found.codes) - 1):
        codes = found.codes[number]
        covered = codes == 11
        np.testing.assert_allclose(found.exact[number][covered], mine_probabilities(codes, 4)[covered], atol=1e-12)
        with torch.no_grad():
            said = torch.sigmoid(network(torch.as_tensor(codes[None]), 4))[0].numpy().reshape(5, 5)
        np.testing.assert_allclose(1 - found.predicted[number], said, atol=1e-5)
    game = found.of_game(found.games[0])
    # The boards of a game follow each other: cells are opened and never covered again.
    is_open = (game.codes < 9).sum(axis=(1, 2))
    assert (np.diff(is_open) > 0).all()


def test_figures_of_a_comparison():
    codes = np.array([[[11, 11, 1, 11]]], np.int8)
    said, exact = np.array([[[0.0, 0.44, 0.3, 0.48]]]), np.array([[[0.0, 0.5, 0.0, 0.5]]])
    comparison = ProbabilityComparison(codes, np.zeros(1, np.int64), said, exact)
    squares = comparison.root_mean_squares()
    assert squares["covered cells"] == pytest.approx(np.sqrt((0.06**2 + 0.02**2) / 3))
    assert squares["next to numbers"] == pytest.approx(np.sqrt((0.06**2 + 0.02**2) / 2))
    (first, second) = comparison.reliability()
    assert first == (0.0, 0.0, 0.0, 1)
    assert second == (pytest.approx(0.46), 0.5, pytest.approx(np.sqrt((0.06**2 + 0.02**2) / 2)), 2)
    perfect = ProbabilityComparison(codes, np.zeros(1, np.int64), exact, exact)
    assert set(perfect.root_mean_squares().values()) == {0.0}


def texts_of(monkeypatch, module, draw) -> set[str]:
    """Returns all texts on the figure that a function draws."""
    figures = []
    monkeypatch.setattr(module, "image", lambda figure: figures.append(figure) or b"")
    draw()
    return {text.get_text() for text in figures[0].findobj(Text)}


def test_the_maps_show_network_exact_and_difference(monkeypatch):
    codes = np.array([[[11, 11, 1, 0]]], np.int8)
    said, exact = np.array([[[0.02, 0.44, 0.0, 0.0]]]), np.array([[[0.0, 0.5, 0.0, 0.0]]])
    comparison = ProbabilityComparison(codes, np.zeros(1, np.int64), said, exact)
    shown = texts_of(monkeypatch, maps, lambda: maps.draw_maps(comparison, 0, "agent"))
    assert {"2", "44", "0", "50", "+2", "-6", "1", "exact"} <= shown
    assert "Game 0 before click 2; bold: counts of open cells" in shown


def test_the_diagrams_are_a_picture(tmp_path):
    comparison = compare(load_rater(write_agent(tmp_path)), BOARD, range(20))
    assert imageio.imread(io.BytesIO(draw_calibration(comparison, "agent"))).shape[0] > 500


def test_the_command_prints_classes_and_draws(tmp_path, capsys):
    (tmp_path / "agent").mkdir()
    agent, picture = str(write_agent(tmp_path / "agent")), tmp_path / "safety.png"
    arguments = ["safety", "--agent", agent, "--size", "5", "--mines", "4", "--games", "30", "--out", str(picture)]
    diagrams = tmp_path / "calibration.png"
    arguments += ["--calibration", str(diagrams)]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "\nRoot mean squared difference\n" in printed
    assert re.search(r"^  next to numbers +0\.\d{4}$", printed, re.MULTILINE)
    assert imageio.imread(picture).shape[0] > 500
    assert imageio.imread(diagrams).shape[0] > 500


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--agent", "nobody"], "there is no agent 'nobody'"),
        (["--mines", "64"], "mines"),
        (["--games", "0"], "a whole number of at least 1"),
        (["--seed", str(1 << 30)], "seeds of test games"),
        (["--out", "/no/such/folder/picture.png"], "the folder of /no/such/folder/picture.png does not exist"),
    ],
)
def test_bad_arguments_are_one_line(arguments, words, tmp_path, capsys):
    agent = [] if "--agent" in arguments else ["--agent", str(write_agent(tmp_path))]
    with pytest.raises(SystemExit, match="2"):
        main(["safety", *agent, *arguments])
    assert words in complaint(capsys.readouterr().err)


def test_an_agent_whose_outputs_are_no_probabilities_is_refused(tmp_path, capsys):
    for changes in ({"gamma": 0.5}, {"reward": "win"}, {"algo": "ppo"}):
        with pytest.raises(SystemExit, match="2"):
            main(["safety", "--agent", str(write_agent(tmp_path, **changes))])
        assert "are no probabilities of safety" in capsys.readouterr().err
