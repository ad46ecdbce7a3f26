"""Figures in the documents: each is generated from a result file, or stands beside the command that measured it."""

import json
import re
import shutil

import pytest
from msgspec import structs
from support import ROOT
from support.docs_scripts import load_script

from baselines.benchmark.leaderboard import budget_of, overview, rows_of
from baselines.benchmark.protocol import PROTOCOL
from baselines.benchmark.result_files import Card, Games, ResultFile, Time, Times, check_result_file
from baselines.cli import benchmark
from baselines.evaluation.games import GameRecord, pack_won
from baselines.evaluation.results import rate_row
from baselines.evaluation.stored_results import read_figures
from minesweeper_play.coach.review import Mark

PAGES = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").rglob("*.md") if "studies" not in path.parts)]
"""All pages but the studies, each of which states its commands in a text of its own."""

GENERATED = re.compile(r"<!-- (benchmark|coach)\b[^>]*-->.*?<!-- end of \1 -->", re.DOTALL)
MEASURED = re.compile(r"<!-- measured -->(.*?)<!-- end of measured -->", re.DOTALL)
CODE = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
"""A block of code: a command, or what it printed."""

ADDRESS = re.compile(r"\]\(https?:\S*\)")

COMMAND = re.compile(r"`(?:taskset -c \d )?python (?:-m )?\w[^`]*`|```sh\n.*?python .*?```", re.DOTALL)
SEEDS = re.compile(r"\bseeds?\b", re.IGNORECASE)

LEVELS = {"0", "1", "5", "95", "100"}
"""Numbers that define something: levels of tests and intervals, certainty, the share of games that a check plays."""

PER_CENT = re.compile(r"(?<![\d.,])(\d+(?:[.,]\d+)?) ?%")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_per_cent_is_generated_or_stands_beside_its_command(page):
    text = page.read_text(encoding="utf-8")
    blocks = MEASURED.findall(text)
    assert all(COMMAND.search(block) and SEEDS.search(block) for block in blocks), "a block names its command and seeds"
    assert text.count("<!-- measured -->") == text.count("<!-- end of measured -->") == len(blocks)
    for pattern in (GENERATED, MEASURED, CODE, ADDRESS):
        text = pattern.sub("", text)
    assert LEVELS.issuperset(PER_CENT.findall(text)), "generate these, or put them in a measured block with a command"


# Tables of README and docs: made by one generator from result files, and nowhere typed by hand

RESULTS = sorted((ROOT / "docs" / "leaderboard").glob("*/*.json"))
BUILD = load_script("pages")


@pytest.mark.parametrize("page", BUILD.pages(), ids=lambda page: page.name)
def test_generated_tables_are_in_step_with_the_result_files(page):
    text = page.read_text(encoding="utf-8")
    assert BUILD.fill(text) == text, f"{page.name}: run `make docs`; numbers in its tables are not edited by hand"


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_every_result_file_of_the_leaderboard_passes_the_check(path):
    result, replayed = check_result_file(path)
    assert result.card.file_name == path.name
    assert replayed >= sum(games.games for games in result.boards) / 100


def test_the_counts_of_every_file_of_results_agree_and_one_changed_number_is_refused(tmp_path):
    for path in (ROOT / "docs" / "results").glob("*.json"):
        read_figures(path)
    row = {"policy": "exact", **rate_row(20, 15), "won": pack_won([True] * 15 + [False] * 5)}
    other = {**rate_row(20, 16), "won": pack_won([True] * 16 + [False] * 4)}
    for changed in [{name: value} for name, value in other.items() if name != "games"] + [{"games": 21}, {"wins": 21}]:
        path = tmp_path / "results.json"
        path.write_text(json.dumps({"boards": [{"results": [row]}]}))
        read_figures(path)
        path.write_text(json.dumps({"boards": [{"results": [row, row | changed]}]}))
        with pytest.raises(ValueError, match=r"results\.json"):
            read_figures(path)


def test_the_reference_is_on_every_board_that_an_entry_played():
    entries = BUILD.entries()
    (reference,) = [entry for entry in entries if entry.card.name == PROTOCOL.reference]
    played = {games.name: games.games for games in reference.boards}
    for entry in entries:
        assert all(games.games <= played[games.name] for games in entry.boards), entry.card.name


def entry(name, won, track="board", times=None, **card):
    records = [GameRecord(PROTOCOL.seeds.start + game, bool(each), 1, False) for game, each in enumerate(won)]
    games = Games.of_records(PROTOCOL.boards[0], 20, [each._replace(actions=bytes(2)) for each in records])
    card = {"name": name, "policy": name, "track": track, "author": "me", **card}
    return ResultFile.of(Card(**card), {}, [games], times)


def test_entries_are_compared_on_the_games_that_both_played():
    times = Times("abacus", {"8x8/14 opening": Time(4, 0.25)})
    entries = [
        entry("exact", [1, 1, 0, 0], "oracle"),
        entry("better", [1, 1, 1, 0, 1, 1], times=times),
        entry("worse", [0, 0, 0, 0]),
    ]
    rows = {row["policy"]: row for row in rows_of(entries, "5x5/5 opening")}
    assert list(rows) == ["better", "exact", "worse"]
    assert rows["better"]["difference"] == pytest.approx(25.0)
    assert rows["worse"]["difference"] == pytest.approx(-50.0)
    assert not {"difference", "p_holm"} & rows["exact"].keys()
    # McNemar: 1 of 1 and 2 of 2 discordant games; Holm doubles the smaller p-value.
    assert rows["worse"]["p_holm"] == pytest.approx(1.0)
    assert rows["better"]["p_holm"] == pytest.approx(1.0)
    heading, _, *lines = overview(entries).splitlines()
    assert heading == "| entry | at play | track | ms/game | 5x5/5 |"
    assert lines[0] == "| `better`<br>me<br>n = 6 | none | board | 0.25 | 83.3&nbsp;±39.7<br>- |"
    assert lines[1] == "| `worse`<br>me<br>n = 4 | none | board | - | 0.0&nbsp;±49.0<br>- |"
    # A stranger's file of this name changes no row, wherever it comes from.
    stranger = entry("worse", [1, 1, 1, 1], author="a stranger")
    assert lines[2].startswith("| `exact`<br>me<br>n = 4 | oracle | oracle |")
    assert lines[1] in overview([*entries, stranger]).splitlines()
    rival = entry("exact", [0, 0, 0, 0], author="minesweeper-env")
    assert rows_of([*entries, rival], "5x5/5 opening")[0]["difference"] == pytest.approx(75.0)
    (alone,) = rows_of(entries[1:2], "5x5/5 opening")
    assert not {"difference", "p_holm"} & alone.keys()


@pytest.mark.slow
def test_add_checks_a_file_copies_it_and_rewrites_the_tables(tmp_path, capfd):
    docs = tmp_path / "docs"
    for name in ("docs/generate/pages.py", "docs/generate/links.py", "docs/leaderboard.md", "README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (docs / "results").mkdir()
    source = next(path for path in RESULTS if path.stem == "random")
    assert benchmark.main(["add", str(source), "--docs", str(docs)]) == 0
    printed = capfd.readouterr()
    assert "passed" in printed.out
    assert str(docs / "leaderboard" / PROTOCOL.version / "random.json") in printed.err
    assert (docs / "leaderboard" / PROTOCOL.version / "random.json").read_bytes() == source.read_bytes()
    page = (docs / "leaderboard.md").read_text(encoding="utf-8")
    assert "`random`" in page
    assert "| `lookahead`" not in page
    first = BUILD.entries()[0]
    other = ResultFile.of(structs.replace(first.card, name="random", author="me"), {}, first.boards)
    other.write(tmp_path / "random.json")
    assert benchmark.main(["add", str(tmp_path / "random.json"), "--docs", str(docs)]) == 1
    assert "'random' by 'minesweeper-env'" in capfd.readouterr().err
    broken = tmp_path / "broken.json"
    broken.write_bytes(source.read_bytes().replace(b'"wins": 0', b'"wins": 9', 1))
    assert benchmark.main(["add", str(broken), "--docs", str(docs)]) == 1
    assert not (docs / "leaderboard" / PROTOCOL.version / "broken.json").exists()


def test_texts_of_an_entry_are_shown_and_not_obeyed():
    hostile = "<img src=x onerror=alert(1)> | a](javascript:x) `b`"
    heading, _, row = overview([entry("mine", [1], author=hostile, links=("https://x.org/a",))]).splitlines()
    assert row.count("|") == heading.count("|")
    assert row.startswith("| [`mine`](https://x.org/a)<br>&#60;img src=x onerror=alert(1)&#62; ")
    assert entry("my agent: v2", [1]).card.file_name == "my_agent__v2.json"
    with pytest.raises(ValueError, match=r"the name of an entry \(--name\)"):
        entry("../mine", [1])
    assert not set("<`[") & set(row.partition("<br>")[2].replace("<br>", ""))


def test_trainings_of_one_entry_have_the_mean_and_the_interval_of_students_t():
    won = [[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 0]]
    cards = [{"training_steps": 10**6 + 1000 * seed, "training_hours": 0.5 + seed} for seed in range(5)]
    entries = [entry(f"mine@{seed}", won[seed], **cards[seed]) for seed in range(5)]
    heading, _, row = overview(entries).splitlines()
    # By hand: deviation of 1, 0.75, 0.5, 0.25 and 0.75 is 0.28504; quantile of t with 4 degrees of freedom 2.77645.
    assert heading == "| entry | at play | track | budget | million steps | core-hours | 5x5/5 |"
    cost = "none | board | 1 million steps<br>5 runs | 1 | 2.5"
    assert row == f"| `mine`<br>me<br>n = 4 | {cost} | 65.0&nbsp;±35.4<br>- |"


@pytest.mark.parametrize(
    ("budget", "steps", "hours"),
    [
        ("", None, None),
        ("100 000 steps", 100_000, 50),
        ("100 000 steps", 101_000, None),
        ("1 million steps", 101_001, 0.5),
        ("1 million steps", 1_010_000, None),
        ("1 core-hour", 1_010_001, 1.0),
        ("open", 1_010_001, 1.01),
        ("open", 1_010_001, None),
    ],
)
def test_the_smallest_budget_that_holds_a_training_is_its_own(budget, steps, hours):
    card = entry("mine", [1], training_steps=steps, training_hours=hours).card
    assert budget_of([card]) == budget
    cheap = entry("mine", [1], training_steps=1, training_hours=1).card
    assert budget_of([cheap, card]) == budget or steps is None


# The page of the coach

coach = load_script("coach")


@pytest.mark.slow
def test_the_blocks_of_the_page_are_what_the_code_prints_and_have_the_marks_of_their_sections():
    page = coach.PAGE.read_text(encoding="utf-8")
    assert {"position", "avoidable"} == set(re.findall("<!-- coach: (\\w+) -->", page))
    assert coach.fill(page) == page
    assert Mark.AVOIDABLE in {turn.mark for turn in coach.review().turns}
