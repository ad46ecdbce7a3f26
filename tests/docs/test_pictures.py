"""Pictures of the documentation: PNG files of the common width whose values come from the result files."""

from __future__ import annotations

import io
import json

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image
from support.docs_scripts import load_script

from baselines.evaluation.forest import FAMILIES, OTHERS, draw_forest, family_of
from baselines.evaluation.intervals import paired_difference
from baselines.learned.networks.board import BoardPlanes
from baselines.registry import SCRIPTED
from baselines.support.figures import STYLE_FILE
from minesweeper_env.inference import mine_probabilities

pages = load_script("pages")
pictures = load_script("pictures")
ladder, compared = (load_script(f"pictures.{name}") for name in ("ladder", "differences"))
avoidable, clicks, first_clicks, hints, observations, network = (
    load_script(f"pictures.{name}")
    for name in ("avoidable", "clicks", "first_clicks", "hint", "observation", "network")
)

LEAST_POINTS = 8
"""The least size of type on a figure of 8 inches: 11 pixels where it is shown 800 pixels wide."""


@pytest.fixture(scope="module")
def entries():
    return pages.read_entries()


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_each_picture_is_a_small_png_of_the_common_width(name, entries):
    content = pictures.PICTURES[name](entries)
    picture = Image.open(io.BytesIO(content))
    assert picture.format == "PNG"
    assert picture.width == 1440
    assert len(content) < 150_000


def test_make_docs_draws_each_picture(tmp_path, monkeypatch):
    """Only the parts of `write_all` that take long are left out."""
    (tmp_path / "images").mkdir()
    (tmp_path / "reference").mkdir()
    for module, name in (("coach", "write_coach_page"), ("notebook", "write_notebook"), ("layers", "draw_layers")):
        monkeypatch.setattr(load_script(module), name, bytes)
    monkeypatch.setattr(pages, "write_game_picture", lambda _: None)
    for name, value in (("read_entries", list), ("write_tables", bytes), ("DOCS", tmp_path)):
        monkeypatch.setattr(pages, name, value)
    monkeypatch.setattr(pictures, "DOCS", tmp_path)
    for name in pictures.PICTURES:
        monkeypatch.setitem(pictures.PICTURES, name, lambda _: b"drawn")
    pages.write_all()
    drawn = {path.stem for path in (tmp_path / "images").iterdir() if path.read_bytes() == b"drawn"}
    assert drawn == set(pictures.PICTURES)


def test_the_style_has_no_type_below_eleven_pixels():
    style = matplotlib.rc_params_from_file(STYLE_FILE, use_default_template=False)
    sizes = [value for key, value in style.items() if key.endswith(("labelsize", "fontsize", "font.size"))]
    assert min(size for size in sizes if isinstance(size, float)) >= LEAST_POINTS


def test_the_ladder_prints_each_win_rate_of_its_files():
    content, figure = ladder.ladder_content(), Figure(figsize=(8, 5))
    draw_forest(figure, content)
    for axes, board in zip(figure.axes, content["boards"], strict=True):
        printed = sorted(text.get_text() for text in axes.texts)
        assert printed == sorted(f"{100 * row['win_rate']:.1f}" for row in board["results"])
    policies = {row["policy"] for row in content["boards"][0]["results"]}
    assert {"value", "any-size", "optimal"} <= policies
    assert "rollout" not in policies, "a hundred games tell little"


def test_the_ladder_refuses_agents_of_other_seeds(tmp_path, monkeypatch):
    (tmp_path / "results").mkdir()
    for name, seed in (("ladder", 0), ("learned", 7)):
        (tmp_path / "results" / f"{name}.json").write_text(json.dumps({"seed": seed, "boards": []}))
    monkeypatch.setattr(ladder, "DOCS", tmp_path)
    with pytest.raises(ValueError, match=r"learned\.json has games from seed 7, ladder\.json from seed 0"):
        ladder.ladder_content()


def test_every_scripted_policy_has_a_family():
    scripted = [name for names in FAMILIES.values() for name in names]
    ladder = json.loads((pages.DOCS / "results" / "ladder.json").read_bytes())["boards"][0]["results"]
    assert sorted(scripted) == sorted(row["policy"] for row in ladder)
    assert family_of("value") == OTHERS


def test_differences_are_paired_on_the_same_games(entries):
    point = next(each for each in compared.differences(entries) if (each.policy, each.board) == ("dqn", "8x8/14"))
    won = {each.card.name: each.board("8x8/14 opening").won for each in entries if each.card.name in ("dqn", "exact")}
    pairs = list(zip(won["dqn"], won["exact"], strict=False))
    both, alone = pairs.count((True, True)), pairs.count((True, False))
    lost, neither = pairs.count((False, True)), pairs.count((False, False))
    expected = [100 * each for each in paired_difference(both, alone, lost, neither)]
    assert [point.value, point.low, point.high] == pytest.approx(expected)


def test_the_observation_is_the_example_of_the_page_with_a_flag():
    board = observations.observation()
    assert board.tolist()[:2] == [[11, 9, 11, 1, 0], [1, 2, 2, 1, 0]]
    assert (pages.DOCS / "concepts" / "game.md").read_text().count("[11 11 11  1  0]") == 1


def test_first_clicks_protect_what_the_rule_says():
    around = {rule: first_clicks.frequencies(rule, 500)[3:6, 3:6] for rule in first_clicks.RULES}
    assert (around["opening"] == 0).all()
    assert (around["corners"] == 0).all()
    assert around["safe"][1, 1] == 0
    assert around["safe"].sum() > 0
    assert around["any"][1, 1] > 0


def test_the_numbers_of_the_hint_prove_its_cells():
    board, step = hints.position()
    assert all(board[cell] <= 8 for cell in step.because)
    risks = mine_probabilities(board, hints.BOARD.mines)
    assert all(risks[cell] == 0.0 for cell in step.safe)
    assert all(risks[cell] == 1.0 for cell in step.mine)


def test_the_avoidable_loss_passed_a_safe_cell():
    _, board, cell, risks = avoidable.avoidable_loss()
    assert 0.0 < risks[cell] < 1.0
    assert int((risks[board > 8] == 0.0).sum()) == 13


def test_the_network_has_the_numbers_of_the_code():
    texts = [box[4] for box in network.parts()[0]]
    assert any(text.startswith(f"{BoardPlanes.COUNT} planes") for text in texts)


def test_one_board_of_the_clicks_has_a_safe_cell_and_the_other_none():
    safe, forced = (np.array(rows, np.int8) for rows in clicks.POSITIONS.values())
    risks = mine_probabilities(safe, clicks.BOARD.mines)
    assert np.argwhere((risks == 0) & (safe > 8)).tolist() == [[0, 2]]
    assert (mine_probabilities(forced, clicks.BOARD.mines)[forced > 8] > 0).all()
    assert set(clicks.actions("subset", safe)) == {((0, 2), False)}
    assert len(clicks.actions("straightforward", safe)) > 1
    assert all(is_flag for _, is_flag in clicks.actions("bayes_source", safe))


def test_every_scripted_policy_shows_its_clicks():
    for name in SCRIPTED:
        page = (pages.DOCS / "policies" / f"{name}.md").read_text(encoding="utf-8")
        assert f"](../images/policy-{name}.png)" in page
