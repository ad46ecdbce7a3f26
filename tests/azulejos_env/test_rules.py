"""Rules of the compiled engine against the naive oracle, and by hand; game files; search and its tree."""

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import naive_azulejos as naive

import azulejos_env.search as engine
import azulejos_env.tree as drawing
from azulejos_env.config import GameConfig
from azulejos_env.position import Position, random_board, read_game, read_game_text, write_game_text
from azulejos_env.search import MAX_DEPTH, search
from azulejos_env.tree import CHOSEN, CUT, VALUED, search_tree


def rows(text):
    """Returns a board from lines of digits."""
    return np.array([[int(digit) for digit in line] for line in text.split()], np.int8)


@pytest.mark.parametrize("block", range(4))
def test_random_games_are_those_of_the_oracle(block):
    for seed in range(150 * block, 150 * (block + 1)):
        generator = np.random.default_rng(seed)
        height, width, colours = (int(generator.integers(1, most)) for most in (9, 9, 6))
        config = GameConfig(height, width, colours, side=("left", "right")[seed % 2])
        board = random_board(config, generator)
        board[generator.random(board.shape) < generator.choice([0, 0.3])] = 0
        position = Position(config, board, scores=(3, 5))
        expected, scores = naive.compact(naive.rows_of(board), config.side), [3, 5]
        while groups := naive.groups(expected):
            assert naive.rows_of(position.board) == expected
            assert position.groups == [(*min(group), len(group)) for group in groups]
            group, player = groups[generator.integers(len(groups))], position.player
            position = position.play(*next(iter(group)))
            expected, scores[player] = naive.play(config, expected, scores[player], group)
            assert (position.scores, position.player) == (tuple(scores), 1 - player)
        assert position.over
        assert naive.rows_of(position.board) == expected


def test_points_falling_tiles_and_the_bonus_by_hand():
    assert GameConfig(1, 100).rules.points[[2, 3, 4, 5, 6, 7, 50]].tolist() == [1, 2, 4, 8, 12, 14, 100]
    after = Position(GameConfig(3, 4, 3), rows("1232 1213 2213")).play(0, 0)
    assert after.board.tolist() == rows("0232 0213 2213").tolist()
    assert Position(GameConfig(1, 2, 1), rows("11"), scores=(0, 8), player=1).play(0, 0).scores == (0, 11)
    assert Position(GameConfig(1, 2, 1, bonus=2.125), rows("11"), scores=(7, 0)).play(0, 1).scores == (17, 0)


def test_a_cell_of_no_group_is_refused():
    position = Position(GameConfig(2, 3, 3), rows("123 231"))
    assert position.over
    with pytest.raises(ValueError, match=r"\(0,1\) belongs to no group"):
        position.play(0, 1)
    for cell in ((-1, 0), (0, 3), (2, 0)):
        with pytest.raises(ValueError, match=r"a row in 0..1 and a column in 0..2"):
            position.play(*cell)


@pytest.mark.parametrize(
    "fields",
    [
        {"rows": 0}, {"cols": 101}, {"colours": 10}, {"points": (1, -1)}, {"points": {2: 1, 3: 2}}, {"points": 5},
        {"points": np.array(3)}, {"points": b"12"}, {"per_tile": 1.5}, {"bonus": 0.5}, {"bonus": "much"},
        {"side": "up"},
    ],
    ids=str,
)  # fmt: skip
def test_wrong_rules_are_refused(fields):
    with pytest.raises(ValueError, match=next(iter(fields))):
        GameConfig(**fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"board": [[1, 1]]}, {"board": [[1.0, 1], [1, 1]]}, {"board": [[1, 4], [1, 1]]}, {"board": [[1, -1], [1, 1]]},
        {"scores": (1, -1)}, {"scores": (1, 0.5)}, {"player": 2},
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_position_is_refused(fields):
    with pytest.raises(ValueError, match=next(iter(fields))):
        Position(GameConfig(2, 2), **{"board": [[1, 1], [1, 1]], **fields})


SIZES = st.integers(1, 12)


@given(SIZES, SIZES, st.integers(1, 9), st.tuples(st.integers(0, 999), st.integers(0, 999)), st.booleans())
def test_what_is_written_is_read_again(height, width, colours, scores, windows):
    config = GameConfig(height, width, colours)
    position = Position(config, random_board(config, 1), scores)
    text = write_game_text(position)
    again = read_game_text(text.replace("\n", "\r\n").rstrip() if windows else text)
    assert (again.board == position.board).all()
    assert again.scores == position.scores


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the number of rows must be"),
        ("two\n", "line 1: the number of rows must be a whole number from 1 to 100, not 'two'"),
        ("2\n3\n-1\n0\n", "line 3: the score of the first player must be"),
        ("2\n3\n0\n0\n112\n", "line 5 is the last one: the file has 1 row of tiles, not 2"),
        ("2\n3\n0\n0\n112\n312\n\n", "line 7: a row must be 3 digits, not ''"),
        ("2\n3\n0\n0\n112\n3x2\n", "line 6: a row must be 3 digits, not '3x2'"),
        ("2\n3\n0\n0\n1121\n312\n", "line 5: a row must be 3 digits, not '1121'"),
        ("2\n3\n0\n0\n112\n3é2\n", "line 6: a row must be 3 digits, not '3\N{REPLACEMENT CHARACTER}2'"),
        ("0" * 11_000, "a game has at most"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path, text, message):
    (tmp_path / "game.txt").write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=r"line|letters") as error:
        read_game(tmp_path / "game.txt")
    assert str(error.value).startswith(message)


def random_position(seed, most_side=7):
    """Returns a position of a random size, with random scores."""
    generator = np.random.default_rng(seed)
    height, width = generator.integers(1, most_side, 2).tolist()
    config = GameConfig(height, width, int(generator.integers(1, 5)), side=("left", "right")[seed % 2])
    scores = tuple(generator.integers(0, 30, 2).tolist())
    return Position(config, random_board(config, generator), scores, seed % 2)


def square(side, colours, seed=1):
    config = GameConfig(side, side, colours)
    return Position(config, random_board(config, seed), (2, 1))


def play_line(position, line):
    for cell in line:
        position = position.play(*cell)
    return position


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_values_and_moves_are_those_of_naive_minimax(depth):
    for seed in range(60):
        position = random_position(seed, most_side=5)
        own, other = position.scores[position.player], position.scores[1 - position.player]
        value, moves = naive.minimax(position.config, naive.rows_of(position.board), own, other, depth)
        result = search(position, depth=depth)
        assert result.value == value
        assert result.move in moves or (result.move is None and not moves)


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_cuts_and_deepening_leave_the_value_of_plain_minimax(depth):
    for seed in range(500):
        position = random_position(seed, most_side=6 if depth > 4 else 8)
        plain = search(position, depth=depth, prune=False)
        assert search(position, depth=depth).value == plain.value
        assert search(position, depth=depth, nodes=10**9).value == plain.value


def test_the_line_leads_to_the_value():
    for seed in range(200):
        position = random_position(seed)
        result = search(position, depth=4)
        end, player = play_line(position, result.line), position.player
        assert end.scores[player] - end.scores[1 - player] == result.value
        assert end.over or len(result.line) == result.depth
        assert result.move == (result.line[0] if result.line else None)


def test_a_search_without_a_depth_ends_with_the_game():
    for seed in range(40):
        position = random_position(seed, most_side=5)
        result = search(position, nodes=10**7)
        assert result.final
        assert play_line(position, result.line).over
        deeper = search(position, depth=min(result.depth + 3, MAX_DEPTH), prune=False)
        assert deeper.value == result.value


def test_limits_keep_the_last_finished_depth_and_depth_1_is_always_finished():
    position = square(10, 4)
    result = search(position, nodes=20_000)
    assert result.depth > 1
    assert result.value == search(position, depth=result.depth).value
    assert result.nodes < 20_000 + 60
    result = search(square(30, 3), seconds=1e-9)
    assert (result.depth, len(result.line)) == (1, 1)
    assert search(square(30, 3), nodes=1).depth == 1
    begin = time.perf_counter()
    assert search(square(40, 5), seconds=0.3).depth >= 1
    # The bound is wide, because the machine that runs the tests may be busy.
    assert time.perf_counter() - begin < 3.0


@pytest.mark.parametrize(
    ("limits", "message"),
    [({}, "limit"), ({"depth": MAX_DEPTH + 1}, "256"), ({"seconds": float("nan")}, "seconds"), ({"nodes": 0}, "nodes")],
)
def test_wrong_limits_are_refused(limits, message):
    with pytest.raises(ValueError, match=message):
        search(random_position(0), **limits)


def test_the_compiler_takes_no_time_from_the_first_search(monkeypatch):
    calls, minimax = [], engine._minimax

    def compiled_first(*arguments):
        calls.append(time.sleep(0 if calls else 0.4))
        return minimax(*arguments)

    monkeypatch.setattr(engine, "_minimax", compiled_first)
    assert search(square(8, 3), seconds=0.3).depth > 2
    assert len(minimax.signatures) == 1, "a deeper search compiles again"


def children(tree, parent):
    return [node for node in tree.nodes if node.line and node.line[:-1] == parent.line]


@pytest.mark.parametrize("seed", range(8))
def test_every_value_of_a_plain_tree_follows_from_below_and_cut_branches_have_none(seed):
    plain, pruned = (search_tree(square(4, 3, seed), depth=3, prune=prune) for prune in (False, True))
    lines = [node.line for node in plain.nodes]
    assert len(lines) == len(set(lines))
    assert {node.kind for node in plain.nodes} <= {VALUED, CHOSEN}
    for node in plain.nodes:
        if below := children(plain, node):
            choose = min if len(node.line) % 2 else max
            assert node.value == choose(child.value for child in below)
            assert [child.value for child in below if child.kind == CHOSEN] == [node.value]
    assert plain.nodes[0].value == pruned.nodes[0].value == plain.result.value
    cut = [node for node in pruned.nodes if node.kind == CUT]
    assert cut
    assert all(node.value is None and not children(pruned, node) for node in cut)
    assert {node.line for node in pruned.nodes} < set(lines)


def test_the_chosen_moves_from_the_root_are_the_line_of_the_search():
    tree = search_tree(square(4, 3, 0), depth=3)
    node = tree.nodes[0]
    while below := [child for child in children(tree, node) if child.kind == CHOSEN]:
        node = below[0]
    assert (node.line, node.value) == (tree.result.line, tree.result.value)


def test_a_time_limit_leaves_the_tree_of_the_last_finished_depth():
    tree = search_tree(square(6, 3, 0), seconds=0.02)
    assert tree.result.depth > 1
    assert tree.nodes == search_tree(square(6, 3, 0), depth=tree.result.depth).nodes


def test_a_large_tree_leaves_out_its_deepest_levels(monkeypatch):
    monkeypatch.setattr(drawing, "MAX_NODES", 100)
    root = square(6, 3, 0)
    tree = search_tree(root, depth=3, prune=False)
    assert tree.levels == 2
    assert 20 < len(tree.nodes) <= 100
    complete = search_tree(root, depth=3, prune=False, levels=9)
    assert (complete.levels, len(complete.nodes)) == (3, complete.result.nodes)
    assert len(complete.nodes) > 100
    assert search_tree(root, depth=3, levels=1).levels == 1
    assert len(tree.nodes) == 1 + len(root.groups) + sum(len(root.play(*group[:2]).groups) for group in root.groups)


def test_the_file_is_the_recorded_one_and_its_legend_names_the_player():
    recorded = (Path(__file__).parent / "golden" / "tree.dot").read_text(encoding="ascii")
    assert search_tree(square(4, 3, 0), depth=3).dot() == recorded
    assert "Green" in recorded
    assert "Green" not in search_tree(square(4, 3, 0), depth=3, prune=False).dot()
    dot = search_tree(Position(GameConfig(1, 2, 1), [[1, 1]], player=1), depth=1).dot()
    assert "for the second player" in dot
    assert "Box: the second player" in dot
