"""Result files: honest ones pass, changed ones are refused in one line that says where; and their frozen protocols."""

import base64
import json
import shutil
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from baselines.benchmark import result_files
from baselines.benchmark.entries import card_for, replay_policy, suite_of, with_times_of
from baselines.benchmark.protocol import PROTOCOL, PROTOCOLS
from baselines.benchmark.result_files import Card, Games, RefusedFileError, ResultFile, Sampled, Time, Times, check_card
from baselines.benchmark.suites import SUITES
from baselines.evaluation.seeds import TEST_SEEDS
from baselines.evaluation.units import Assignment
from baselines.learned.configurations import LOG_FILE, STEP
from baselines.provenance import versions
from baselines.registry import AGENTS_FOLDER, find_policy, policy_names

BOARD = next(board for board in PROTOCOL.boards if board.cells == 25)
TITLE = "5x5/5 opening"
GAMES, BATCH, SEED = 1000, 500, PROTOCOL.seeds.start
TIMES = Times("abacus", {TITLE: Time(10, 0.5)})


def played(policy):
    build, seeds = partial(find_policy(policy), BOARD), range(SEED, SEED + GAMES)
    return Assignment("", build, BOARD, seeds, SEED, BATCH, record=True).play(build(), 0, GAMES).records


def make_file(records):
    return ResultFile.of(card_for("exact"), versions(), [Games.of_records(BOARD, BATCH, records)])


@pytest.fixture(scope="module")
def records():
    return played("exact")


@pytest.fixture(scope="module")
def result(records):
    return make_file(records)


@pytest.fixture
def path(result, tmp_path):
    result.write(tmp_path / "exact.json")
    return tmp_path / "exact.json"


def change(path, work):
    content = json.loads(path.read_bytes())
    work(content)
    path.write_bytes((json.dumps(content, indent=1, sort_keys=True) + "\n").encode())


def refusal(path):
    with pytest.raises(RefusedFileError) as caught:
        result_files.check_result_file(path)
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


def change_action(content):
    entry = content["boards"][0]["sample"][0]
    actions = bytearray(base64.b64decode(entry["actions"]))
    actions[-2] ^= 1
    entry["actions"] = base64.b64encode(actions).decode()


def test_an_honest_file_passes_one_per_cent_is_replayed_and_another_run_has_the_same_bytes(path, result):
    assert result_files.check_result_file(path) == (result, GAMES / 100)
    assert path.stat().st_size < 20_000
    assert make_file(played("exact")).canonical() == path.read_bytes()
    # Times lie outside the signed content.
    change(path, lambda content: content.update(times=msgspec.to_builtins(TIMES)))
    found, _ = result_files.check_result_file(path)
    assert (found.times, found.sha256) == (TIMES, result.sha256)


def test_times_hold_for_the_same_games_of_the_same_policy_alone(result, records):
    timed = replace(result, times=TIMES)
    assert with_times_of(timed, result).times == TIMES
    assert with_times_of(result, result).times is None
    (games,) = result.boards
    first = Games.of_records(BOARD, BATCH, records[:500])
    assert with_times_of(replace(timed, boards=(first,)), result).times == TIMES
    for other in (first, replace(games, digests=b"none" + games.digests[4:])):
        assert with_times_of(timed, replace(result, boards=(other,))).times is None
    assert with_times_of(timed, replace(result, card=replace(result.card, policy="exact:x=1"))).times is None


@pytest.mark.parametrize(
    ("work", "said"),
    [
        *((partial(flip_win, game=game), f"game {game} (seed {SEED + game}): its outcome") for game in (0, 17, 999)),
        (lambda content: content["boards"][0].update(wins=GAMES), f"{TITLE}: `wins` is {GAMES}"),
        (change_action, "the actions do not match their digest"),
        (lambda content: content["boards"][0].update(games=GAMES - 1), f"{TITLE}: `"),
        (lambda content: content["boards"][0].update(seed=0), f"games from seed {SEED} on"),
        *((lambda content, name=name: content["card"].update({name: "a"}), "card") for name in ("name", "author")),
        (lambda content: content["boards"][0].update(sha256="0"), f"{TITLE}: `sha256`"),
        (lambda content: content.update(protocol="2025.1"), "`protocol` must be 2026.1"),
        (lambda content: content.update(protocol_sha256="0"), "protocol_sha256"),
        (lambda content: content.update(boards=[]), "`boards`"),
        (lambda content: content.update(times={"boards": {}}), "$.times"),
        (lambda content: content.update(times=msgspec.to_builtins(Times("", {TITLE: Time(10**6, 0.5)}))), TITLE),
        (lambda content: content.update(times={"processor": "", "boards": {"9": {"games": 1, "ms_per_game": 1}}}), "9"),
        # None of these is noticed by a hash alone.
        (lambda content: content.update(more=1), "unknown field `more`"),
        (lambda content: content.update(versions={str(number): "1" for number in range(1000)}), "$.versions"),
        (lambda content: content.update(times={"processor": "x" * 1000, "boards": {}}), "$.times.processor"),
        (lambda content: content["boards"][0].update(more=1), "unknown field `more`"),
        (lambda content: content["boards"][0].update(moves=["dig"]), "the moves are some of"),
        (lambda content: content["boards"][0].update(board="7x7/5"), "7x7/5"),
        (lambda content: content["boards"].append(content["boards"][0]), "each board once"),
    ],
)
def test_a_change_is_refused_with_its_place(path, work, said):
    change(path, work)
    assert said in refusal(path)


@pytest.mark.parametrize(
    ("honest", "games", "said"),
    [
        # The outcomes choose the sample, so changed outcomes ask for the actions of other games.
        (False, GAMES, f"{TITLE}: `sample` must hold the games that the hash"),
        # The engine replays a sample whose hashes were made after the outcomes were changed.
        (True, GAMES, "`won` says otherwise"),
        (True, 999, "plays 1000 to 10000 games"),
    ],
)
def test_a_forger_who_mends_all_hashes_fails(path, result, records, honest, games, said):
    (true,) = result.boards
    won = ~true.outcomes[:games]
    packed = {"won": np.packbits(won).tobytes(), "wins": int(won.sum()), "games": games}
    packed |= {"clicks": true.clicks[: 2 * games], "digests": true.digests[: 4 * games]}
    false = replace(true, **packed)
    chosen = [Sampled(game, records[game].actions) for game in false.chosen_games()]
    ResultFile.of(result.card, result.versions, [false.signed(chosen if honest else true.sample)]).write(path)
    assert said in refusal(path)


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (lambda actions: actions[:2] + actions, "an action is illegal, "),
        *((lambda actions, far=far: far + actions, "an action is illegal, ") for far in (b"\xff\xff", b"\x19\x00")),
        *((lambda actions, more=more: actions + actions[:more], " actions before the last one") for more in (2, None)),
        (lambda actions: actions[:-2], "the game does not end with the last action"),
    ],
)
def test_actions_that_are_no_game_are_refused(result, records, forge, said):
    game = next(each.game for each in result.boards[0].sample if records[each.game].won)
    actions = forge(records[game].actions)
    changed = records[game]._replace(actions=actions, clicks=len(actions) // 2)
    games = Games.of_records(BOARD, BATCH, [*records[:game], changed, *records[game + 1 :]])
    with pytest.raises(ValueError, match=f"^5x5/5 opening, game {game} .*{said}"):
        result_files._replay(games.signed([Sampled(game, actions)]))


@pytest.mark.parametrize("content", [None, b"", b"[]\n", b'{"format": 1}\n', b"\xff\xfe", b"[" * 5000])
def test_other_files_and_other_layouts_are_refused(path, content):
    path.write_bytes(json.dumps(json.loads(path.read_bytes())).encode() if content is None else content)
    assert ("not as `minesweeper benchmark run` wrote it" in refusal(path)) == (content is None)


def test_the_policy_itself_plays_the_same_games_again(result):
    (games,) = result.boards
    path = Path("exact.json")
    assert [replay_policy("exact", games, least, path) for least in (100, GAMES)] == [BATCH, GAMES]
    with pytest.raises(RefusedFileError, match=r"^exact\.json: 5x5/5 opening, game .*the policy plays it differently"):
        replay_policy("random", games, 1, path)


def test_the_card_of_an_agent_of_the_package_states_its_training():
    assert card_for("any-size:first=exact").track == "oracle"
    card = card_for("any-size")
    assert (card.track, card.training_hours, card.sha256) == ("reveal", 2.0, None)
    assert card.training_steps > 10_000_000
    assert (on_gpu := card_for("clues-any-size")).training_hours is None  # The hours of a GPU are no core-hours.
    assert (on_gpu.track, on_gpu.hardware) == ("board", "one core of Intel(R) Xeon(R) Processor, NVIDIA H200")
    assert card_for("os.path:join", track="board", author="me").name == "os.path:join"


def test_a_run_folder_states_all_steps_of_its_training_and_enters_no_track_that_saw_less(tmp_path):
    for agent in ("plain-dqn", "dqn"):
        shutil.copytree(AGENTS_FOLDER / agent, tmp_path / agent)
        (tmp_path / agent / LOG_FILE).write_text(f"{STEP}\n100\n5000000\n")
    card_of = partial(card_for, name="mine", author="me")
    assert card_of(str(tmp_path / "plain-dqn"), track="board").training_steps == 5_000_000
    with pytest.raises(ValueError, match="does not see the mines that hindsight learns from"):
        card_of(str(tmp_path / "dqn"), track="board")
    assert card_of(str(tmp_path / "dqn"), track="reveal").training_steps == 5_000_000


def test_a_card_counts_the_hours_of_all_cores_of_a_training(tmp_path):
    shutil.copytree(AGENTS_FOLDER / "any-size", tmp_path / "mine")
    path = tmp_path / "mine" / "run.json"
    run = json.loads(path.read_text())
    for training in (run, run["start"]["run"]):
        training["settings"]["threads"] = 2
    path.write_text(json.dumps(run))
    card = card_for(str(tmp_path / "mine"), track="reveal", name="mine", author="me")
    assert card.training_hours == 2 * card_for("any-size").training_hours
    assert card.hardware.startswith("2 cores of ")


def check_inferences(card, *allowed):
    """Checks that a card states the first of these inferences, and may state the others, but no more."""
    assert card.inference == allowed[0]
    for inference in allowed:
        check_card(replace(card, inference=inference), PROTOCOL)
    for inference in {"none", "clues", "oracle"} - {*allowed}:
        with pytest.raises(ValueError, match=f"inference in track {card.track} must be"):
            check_card(replace(card, inference=inference), PROTOCOL)


INFERENCE = {"none": ("random", "dqn"), "clues": ("subset", "afterstate")}
INFERENCE["oracle"] = ("exact", "lookahead", "dqn:first=exact", "afterstate:safety=exact")


@pytest.mark.parametrize(("inference", "policy"), [(each, name) for each in INFERENCE for name in INFERENCE[each]])
def test_a_card_states_the_inference_of_a_policy_of_the_package_and_no_other(inference, policy):
    card = card_for(policy)
    assert card.inference_at_play == inference
    check_inferences(card, inference)


@pytest.mark.parametrize(("track", "known"), [("board", ["none"]), ("scripted", ["clues", "none"])])
def test_the_track_decides_which_inference_an_entry_may_state(track, known):
    check_inferences(card_for("os.path:join", track=track, author="me"), *known)


LINKS = ("http://x.org", "javascript:alert(1)", "//x.org", "../x", "a b", "https://x.org](y", "https://x.org/<b>", 5)
WRONG = {
    "name": ("", "a|b", "../x", ".", "a/b", "CON", "com1.x", "a\n", "a ", "\u0435xact", "x" * 61, "\uff45xact"),
    "author": ("", " ", "a\nb", "a\x1b[2J", "a\u202eb", "x" * 61, "\uff4de", "a\u00a0b", "a\u2003b", 5),
    "links": (*((link,) for link in LINKS), ("https://x.org",) * 1000),
    **{"track": ("best",), "inference": ("rules",), "training_steps": (-1,), "sha256": ("0" * 1000,)},
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_wrong_cards_are_refused(name, value):
    with pytest.raises(ValueError, match=r"must be|name of an entry|Expected"):
        msgspec.convert({"name": "a", "policy": "a", "track": "board", "author": "me", name: value}, Card)


@pytest.mark.parametrize("track", ["board", "search"])
def test_a_learned_entry_of_2026_2_states_its_steps_and_where_its_code_is(track):
    card = card_for("os.path:join", track=track, author="me", training_steps=1)
    asking = PROTOCOLS["2026.2"]
    check_card(card, PROTOCOL)
    for link in ("https://x.org/a", "baselines/learned/configs/quick.toml"):
        check_card(replace(card, links=(link,)), asking)
    with pytest.raises(ValueError, match="needs --link"):
        check_card(card, asking)
    if track == "board":
        with pytest.raises(ValueError, match=r"needs --training-steps$"):
            check_card(replace(card, links=("https://x.org",), training_steps=None), asking)
    for policy in ("dqn", "lookahead"):
        check_card(card_for(policy), asking)


FROZEN = {
    "2026.1": "fb86159cb9c9364986fd8eb5ace5efa79a10613e5b216f8276a019682c51bb2a",
    "2026.2": "0d07528c0a02912c9eea8083d1100a21dc05f62486cf645073f34ddfb8ded6f9",
    "2026.3": "2bf0b3ff71fe9e18aa9e7fc3f2d13b6ec0127be4682fccb7f8c5e7429d2c61b8",
    "text-2026.1": "0ce57dd5c5a4cc6ce256c5b55f406194e0de5fc34ecb5dff2e2decd336143011",
}


def test_a_published_protocol_is_frozen():
    found = {version: protocol.digest() for version, protocol in PROTOCOLS.items()}
    assert found == FROZEN, "a published protocol never changes; name a new version"


def test_each_protocol_has_test_seeds_of_its_own():
    seeds = [seed for protocol in PROTOCOLS.values() for seed in protocol.seeds]
    assert len(set(seeds)) == len(seeds)
    assert all(seed in TEST_SEEDS for seed in seeds)


def test_an_entry_plays_the_first_games_and_no_others():
    assert PROTOCOL.seeds_of(None, 1000) == range(202_610_000, 202_611_000)
    assert PROTOCOL.seeds_of(None, 1) == PROTOCOL.seeds[:1]
    assert PROTOCOL.seeds_of(202_610_000, 10_000) == PROTOCOL.seeds
    for first, games, said in ((0, 1000, "begins with seed"), (None, 10_001, "1 to 10000"), (None, 0, "1 to")):
        with pytest.raises(ValueError, match=said):
            PROTOCOL.seeds_of(first, games)


def test_the_suite_plays_every_policy_on_the_boards_of_the_protocol():
    (group,) = SUITES["benchmark"].groups
    assert group.boards == PROTOCOL.boards
    assert sorted(entry.policy for entry in group.entries) == sorted(policy_names())
    assert SUITES["benchmark"].seeds_of(None, 1000).start == PROTOCOL.seeds.start
    assert SUITES["ladder"].seeds_of(None, 10) == range(10)


def test_a_size_names_the_board_of_a_protocol_without_ordinary_boards():
    for version, name in (("2026.3", "8x8/14 no-luck"), ("2026.2", "8x8/14")):
        boards = suite_of(["random"], ["8x8/14"], protocol=PROTOCOLS[version]).groups[0].boards
        assert [board.name for board in boards] == [name]
