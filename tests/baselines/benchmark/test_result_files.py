"""Result files: honest ones pass, changed ones are refused in one line that says where."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from functools import partial

import msgspec
import numpy as np
import pytest

from baselines.benchmark.checks import RefusedFileError, check_result_file, read_result_file
from baselines.benchmark.entries import card_for, replay_policy, times_that_hold
from baselines.benchmark.result_files import (
    LEAST_SAMPLE,
    Card,
    Games,
    ResultFile,
    Time,
    Times,
    canonical,
    content_sha256,
    sha256_of,
)
from baselines.evaluation.games import Player
from baselines.evaluation.protocol import PROTOCOL
from baselines.evaluation.results import versions
from baselines.registry import build_policy

BOARD = next(board for board in PROTOCOL.boards if board.cells == 25)
TITLE = "5x5/5 opening"
GAMES, BATCH = 1000, 500


def play(policy: str) -> Games:
    seed = PROTOCOL.seeds.start
    player = Player(partial(build_policy, policy, BOARD), BOARD, seed, record=True)
    records = []
    for index in range(GAMES // BATCH):
        records += player.play(index, range(seed + index * BATCH, seed + (index + 1) * BATCH)).records
    return Games.of_records(BOARD, BATCH, records)


def make_file(policy: str) -> ResultFile:
    return ResultFile(card_for(policy), versions(), (play(policy),))


@pytest.fixture(scope="module")
def result():
    return make_file("exact")


@pytest.fixture
def path(result, tmp_path):
    result.write(tmp_path / "exact.json")
    return tmp_path / "exact.json"


def change(path, work, signed=False):
    """Changes the JSON of a file; `signed` makes all hashes fit again, as a careful forger would."""
    content = json.loads(path.read_bytes())
    work(content)
    if signed:
        for block in content["boards"]:
            block["sha256"] = sha256_of({name: value for name, value in block.items() if name != "sha256"})
        content["sha256"] = content_sha256(content)
    path.write_bytes(canonical(content))


def refusal(path):
    with pytest.raises(RefusedFileError) as caught:
        check_result_file(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{path}: ")
    return message


def flip_win(content, game):
    (block,) = content["boards"]
    bits = np.unpackbits(np.frombuffer(base64.b64decode(block["won"]), np.uint8))
    bits[game] ^= 1
    block["won"] = base64.b64encode(np.packbits(bits).tobytes()).decode()
    block["wins"] = int(bits.sum())


def test_an_honest_file_passes_and_at_least_one_percent_is_replayed(path, result):
    found, replayed = check_result_file(path)
    assert found == result
    assert replayed >= GAMES / 100
    assert replayed == LEAST_SAMPLE
    assert path.stat().st_size < 20_000


def test_two_runs_of_a_deterministic_policy_are_the_same_bytes(path):
    assert canonical(make_file("exact").to_json()) == path.read_bytes()


def test_times_lie_outside_the_signed_content(path, result):
    times = Times("abacus", {TITLE: Time(10, 0.5)})
    change(path, lambda content: content.update(times=msgspec.to_builtins(times)))
    assert check_result_file(path)[0].times == times
    signed = json.loads(path.read_bytes())["sha256"]
    assert signed == result.to_json()["sha256"]


def test_times_hold_for_the_same_games_of_the_same_policy_alone(result):
    times = Times("abacus", {TITLE: Time(10, 0.5)})
    timed = replace(result, times=times)
    assert times_that_hold(timed, result) == times
    assert times_that_hold(result, result) is None
    (games,) = result.boards
    first = replace(games, won=games.won[:-1], digests=games.digests[:-1])
    assert times_that_hold(replace(timed, boards=(first,)), result) == times
    for other in (first, replace(games, seed=games.seed + 1), replace(games, digests=(b"none", *games.digests[1:]))):
        assert times_that_hold(timed, replace(result, boards=(other,))) is None
    assert (
        times_that_hold(timed, replace(result, card=msgspec.structs.replace(result.card, policy="exact:x=1"))) is None
    )


@pytest.mark.parametrize("game", [0, 17, 999])
def test_one_changed_win_is_refused_with_its_game(path, game):
    change(path, lambda content: flip_win(content, game))
    assert f"{TITLE}, game {game} (seed {PROTOCOL.seeds.start + game}): its outcome" in refusal(path)


def test_a_changed_number_of_wins_is_refused(path):
    change(path, lambda content: content["boards"][0].update(wins=GAMES))
    assert f"{TITLE}: `wins` is {GAMES}" in refusal(path)


def change_action(content, sampled=0, action=1):
    entry = content["boards"][0]["sample"][sampled]
    actions = np.frombuffer(base64.b64decode(entry["actions"]), "<u2").copy()
    actions[action % len(actions)] ^= 1
    entry["actions"] = base64.b64encode(actions.tobytes()).decode()


def test_one_changed_action_is_refused_with_its_game(path, result):
    change(path, change_action)
    game = min(result.boards[0].sample)
    assert f"{TITLE}, game {game} (seed {PROTOCOL.seeds.start + game}): the actions do not match" in refusal(path)


def test_a_changed_number_of_games_is_refused(path):
    change(path, lambda content: content["boards"][0].update(games=GAMES + 1))
    assert f"{TITLE}: `won`" in refusal(path) or "`clicks` holds" in refusal(path)
    change(path, lambda content: content["boards"][0].update(games=GAMES - 1))
    assert f"{TITLE}: `" in refusal(path)


def test_fewer_games_than_the_protocol_asks_for_are_refused(tmp_path, result):
    games = result.boards[0]
    short = Games(BOARD, BATCH, games.seed, games.won[:999], games.clicks[:999], games.digests[:999], {})
    ResultFile(result.card, result.versions, (short,)).write(tmp_path / "short.json")
    assert "at least 1000 games" in refusal(tmp_path / "short.json")


@pytest.mark.parametrize(("field", "value"), [("name", "better"), ("author", "me"), ("training_steps", 5)])
def test_a_changed_card_is_refused(path, field, value):
    change(path, lambda content: content["card"].update({field: value}))
    assert "the card, the versions or the list of boards was changed" in refusal(path)


def test_a_forger_who_mends_all_hashes_fails_on_the_sample(path, result):
    """The outcomes choose the sample, so a changed outcome asks for the actions of other games."""

    def forge(content):
        flip_win(content, 17)
        (block,) = content["boards"]
        games = result.boards[0]
        won = tuple(bool(each) ^ (game == 17) for game, each in enumerate(games.won))
        forged = Games(BOARD, BATCH, games.seed, won, games.clicks, games.digests, games.sample)
        block["checks"] = base64.b64encode(b"".join(forged.checks())).decode()

    change(path, forge, signed=True)
    assert f"{TITLE}: `sample` must hold the games that the hash" in refusal(path)


def test_sampled_games_must_win_and_lose_as_recorded(tmp_path, result):
    """A file whose outcomes were false before its hashes were made fails when the engine replays its sample."""
    games = result.boards[0]
    won = tuple(not each for each in games.won)
    false = Games(BOARD, BATCH, games.seed, won, games.clicks, games.digests, {})
    actions = recorded_actions()
    false.sample.update((game, actions[game]) for game in false.chosen_games())
    ResultFile(result.card, result.versions, (false,)).write(tmp_path / "false.json")
    assert "`won` says otherwise" in refusal(tmp_path / "false.json")


def recorded_actions():
    seed = PROTOCOL.seeds.start
    player = Player(partial(build_policy, "exact", BOARD), BOARD, seed, record=True)
    return [record.actions for record in player.play(0, range(seed, seed + GAMES)).records]


@pytest.mark.parametrize("content", [b"", b"[]\n", b'{"format": 1}\n', b"\xff\xfe", b"[" * 5000])
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "other.json").write_bytes(content)
    refusal(tmp_path / "other.json")


def test_a_file_that_was_formatted_again_is_refused(path):
    path.write_text(json.dumps(json.loads(path.read_bytes())))
    assert "not as `minesweeper benchmark run` wrote it" in refusal(path)


@pytest.mark.parametrize("place", [lambda content: content, lambda content: content["boards"][0]])
def test_a_field_too_many_is_refused(path, place):
    change(path, lambda content: place(content).update(more=1), signed=True)
    refusal(path)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("protocol", "2025.1", "`protocol` must be 2026.1"),
        ("format", 2, "`format` must be 1"),
        ("protocol_sha256", "0", "protocol_sha256"),
        ("boards", [], "$.boards"),
        ("boards", [{"board": "8x8/14"}], "$.boards[0]"),
        ("times", {"boards": {}}, "$.times"),
    ],
)
def test_a_wrong_field_is_named(path, field, value, said):
    change(path, lambda content: content.update({field: value}))
    assert said in refusal(path)


def test_a_board_twice_is_refused(path):
    change(path, lambda content: content["boards"].append(content["boards"][0]), signed=True)
    assert "each board once" in refusal(path)


def test_the_policy_itself_plays_the_same_games_again(result):
    games = result.boards[0]
    assert replay_policy("exact", games, 100) == (BATCH, None)
    assert replay_policy("exact", games, GAMES) == (GAMES, None)
    played, fault = replay_policy("random", games, 1)
    assert played == BATCH
    assert "the policy plays it differently" in fault


def test_policies_of_the_package_have_cards():
    assert card_for("exact").track == "oracle"
    assert card_for("bayes:prior=count").track == "scripted"
    card = card_for("any-size")
    assert (card.track, card.training_hours) == ("reveal", 2.0)
    assert card.training_steps > 10_000_000
    assert card.sha256 is None


def test_the_card_of_another_policy_needs_a_track_and_an_author():
    with pytest.raises(ValueError, match="needs --track and --author"):
        card_for("os.path:join")
    assert card_for("os.path:join", track="board", author="me").name == "os.path:join"


NAMES = ("", "a|b", "../x", ".", "a/b", "CON", "com1.x", "a\n", "a ", "\u0435xact", "x" * 201)
AUTHORS = ("", " ", "a\nb", "a\x1b[2J", "a\u202eb", "x" * 201, 5)
LINKS = ("http://x.org", "javascript:alert(1)", "https://x.org](y", "https://x.org/<b>", 5)


@pytest.mark.parametrize(
    "wrong",
    [
        {"track": "best"},
        {"training_steps": -1},
        *({"name": name} for name in NAMES),
        *({"author": author} for author in AUTHORS),
        *({"links": (link,)} for link in LINKS),
    ],
)
def test_wrong_cards_are_refused(wrong):
    with pytest.raises(ValueError, match=r"must be|entry has|Expected"):
        msgspec.convert({"name": "a", "policy": "a", "track": "board", "author": "me", **wrong}, Card)


def test_reading_does_not_replay(path, result):
    assert read_result_file(path) == result
