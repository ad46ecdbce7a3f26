"""Tests of the policy `chat` against a real server on the loopback."""

import json
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from support.chat_server import ChatServer, Raw, best_move, board_in, completion
from support.commands import refused
from support.processes import run_python

import baselines
from baselines.benchmark.entries import suite_of
from baselines.benchmark.protocol import PROTOCOL
from baselines.benchmark.run import SuiteRun
from baselines.chat import KEY, ChatError
from baselines.cli import evaluate
from baselines.evaluation.evaluate import evaluate_policy
from baselines.evaluation.games import play_games
from baselines.evaluation.seeds import derived_seed
from baselines.policy import PolicyError
from baselines.registry import find_policy
from baselines.transcripts import Transcripts
from baselines.workers import ProcessPool, local_workers
from minesweeper_env import HIDDEN, BoardConfig

pytestmark = pytest.mark.skipif(find_spec("openai") is None, reason="needs the extra chat")

BOARD = BoardConfig(5, 5, 3, moves=("click",))
SECRET = "sk-very-secret"


def scripted(name, games):
    """Returns a reply function that plays as a policy does, with the seeds of an evaluation by single games."""
    policy, begun = find_policy(name)(BOARD), iter(range(games))

    def reply(messages):
        board = board_in(messages[-1]["content"])
        if (board == HIDDEN).all():
            policy.reset(derived_seed(0, next(begun)))
        row, col = divmod(int(policy.act(board[None], (board.reshape(1, -1) == HIDDEN).astype(np.int8))[0]), 5)
        return f"<think>Not open 0 0.</think>I choose <move>open {row} {col}</move>"

    return reply


def chat(server, folder, **options):
    given = {"model": "m", "url": server.url, "transcripts": folder, "retries": 1, "timeout": 5} | options
    return "chat:" + ",".join(f"{name}={value}" for name, value in given.items())


def test_a_policy_with_random_guesses_wins_the_same_games_through_a_server_as_directly(tmp_path):
    games = 25
    direct = evaluate_policy(partial(find_policy("subset"), BOARD), BOARD, range(games), batch_size=1)
    with ChatServer(scripted("subset", games)) as server:
        (found,) = baselines.evaluate(chat(server, tmp_path), 5, 3, games, against=()).policies
    assert [record[:3] for record in found.records] == [record[:3] for record in direct.records]
    assert 0 < found.wins < games
    assert found.counters["illegal"] == 0
    assert found.counters["tokens"] == 7 * len(server.requests)
    assert all(record.diagnosis is not None for record in found.records)
    head, *answers = map(json.loads, next(tmp_path.rglob("*.jsonl")).read_text().splitlines())
    assert head["model"] == "m"
    assert "3 hidden mines" in head["prompt"]
    assert all(answer["reasoning"] == "hm" and answer["tokens"] == 7 and answer["seconds"] > 0 for answer in answers)


def test_illegal_replies_are_told_counted_and_end_the_game(tmp_path):
    answers = iter(["open 2 2", None, "open 2 2", "no idea", "open 9 9"])
    with ChatServer(lambda _: next(answers)) as server:
        policy = find_policy(chat(server, tmp_path, max_illegal=4, history=3))(BOARD)
        (record,) = play_games(policy, BOARD, [1], record=True)
    assert (record.won, record.truncated, record.clicks, len(record.actions)) == (False, True, 1, 2)
    assert policy.counters["illegal"] == 4
    assert "no move" in server.requests[2][-1]["content"]
    assert "open already" in server.requests[3][-1]["content"]
    roles = [[message["role"] for message in request] for request in server.requests]
    assert roles == [["system", *["user", "assistant"] * min(turn, 3), "user"] for turn in range(5)]


def test_any_text_of_a_server_goes_into_the_transcript(tmp_path):
    with ChatServer(lambda _: "\ud800 \x00 开 open 9 9") as server:
        policy = find_policy(chat(server, tmp_path, max_illegal=2))(BOARD)
        (record,) = play_games(policy, BOARD, [1])
    assert record.truncated
    (path,) = tmp_path.rglob("*.jsonl")
    assert [json.loads(line)["reply"] for line in path.read_bytes().splitlines()[1:]] == ["? \x00 开 open 9 9"] * 2


def test_a_killed_evaluation_goes_on_without_asking_again_also_in_a_worker_process(tmp_path, monkeypatch):
    reply = scripted("exact", 12)
    with ChatServer(lambda messages: time.sleep(0.05) or reply(messages)) as server:
        code = f"import baselines; baselines.evaluate({chat(server, tmp_path)!r}, 5, 3, 12, against=())"
        process = subprocess.Popen([sys.executable, "-c", code])
        while len(server.requests) < 20:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        time.sleep(0.2)
        asked = len(server.requests)
        lines = [line for path in tmp_path.rglob("*.jsonl") for line in path.read_text().splitlines()[1:]]
        with monkeypatch.context() as patch:
            # One worker is enough: each takes seconds of imports.
            patch.setattr("baselines.evaluation.evaluate.local_workers", lambda _: closing(ProcessPool(1)))
            (found,) = baselines.evaluate(chat(server, tmp_path), 5, 3, 12, against=(), workers=2).policies
        whole = len(server.requests) - asked + len(lines)
        again = baselines.evaluate(chat(server, tmp_path, replay="true"), 5, 3, 12, against=()).policies[0]
    assert asked - len(lines) <= 1
    assert whole == found.counters["answers"] == sum(record.clicks for record in found.records)
    assert found.counters["read"] == len(lines) > 0
    assert len(server.requests) - asked == whole - len(lines)
    assert (again.records, again.counters) == (found.records, found.counters | {"read": whole})


def test_another_model_at_the_same_address_is_asked_itself(tmp_path):
    is_worst = False
    options = {"no_guess": "exact", "against": ()}
    with ChatServer(lambda messages: f"open {best_move(messages[-1]['content'], 3, is_worst)}") as server:
        first = baselines.evaluate(chat(server, tmp_path), 5, 3, 5, **options)
        is_worst = True
        second = baselines.evaluate(chat(server, tmp_path), 5, 3, 5, **options)
        assert len(server.requests) == sum(each.policies[0].counters["answers"] for each in (first, second))
        asked = len(server.requests)
        read = baselines.evaluate(chat(server, tmp_path, replay="true"), 5, 3, 5, **options)
        assert len(server.requests) == asked
    assert [each.policies[0].wins for each in (first, second, read)] == [5, 0, 0]
    assert "read 0 of " in " ".join(str(second).split())


def test_a_suite_resumes_in_its_folder_and_asks_anew_in_another(tmp_path):
    protocol = replace(PROTOCOL, sizes=((4, 4, 3),), first_clicks=("opening",), least_games=10)

    def reply(messages):
        return Raw(400, b"{}") if len(server.requests) == 15 else f"open {best_move(messages[-1]['content'], 3)}"

    def counters(folder):
        run = SuiteRun(suite, folder, None, 10, "")
        run.play(local_workers(1))
        return run.results()[0][1].counters

    with ChatServer(reply) as server:
        suite = suite_of([chat(server, tmp_path / "chat")], protocol=protocol)
        with pytest.raises(ChatError):
            counters(tmp_path / "one")
        first = counters(tmp_path / "one")
        assert len(server.requests) == first["answers"] + 1
        second = counters(tmp_path / "two")
    assert second == first | {"read": 0, "answer_ms": second["answer_ms"]}


ODD_USAGE = {"completion_tokens": 2.5, "prompt_tokens": -1}
FORMS = {
    "cell": lambda row, col: f"open cell ({row}, {col})",
    "heading": lambda row, col: f"<move>open ROW COL {row} {col}</move>",
    "parts": lambda row, col: [
        {"type": "thinking", "thinking": [{"type": "text", "text": "open 0 0"}]},
        {"type": "text", "text": f"open {row} {col}"},
        {"type": "reasoning_text", "text": "open 0 0"},
    ],
    "tool": lambda row, col: {
        "tool_calls": [{"function": {"name": "open", "arguments": json.dumps({"col": col, "row": row})}}]
    },
    "odd usage": lambda row, col: Raw(200, completion(f"open {row} {col}", usage=ODD_USAGE)),
    "text as usage": lambda row, col: Raw(200, completion(f"open {row} {col}", usage="n/a")),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_perfect_player_wins_every_game_in_each_form(form, tmp_path):
    with ChatServer(lambda messages: FORMS[form](*best_move(messages[-1]["content"], 3))) as server:
        (found,) = baselines.evaluate(chat(server, tmp_path), 5, 3, 5, no_guess="exact", against=()).policies
        read = baselines.evaluate(chat(server, tmp_path, replay="true"), 5, 3, 5, no_guess="exact", against=())
    assert (found.wins, found.counters["illegal"]) == (5, 0)
    assert read.policies[0].counters == found.counters | {"read": found.counters["answers"]}
    assert (found.counters["tokens"] == 0) == (form == "text as usage")
    answers = map(json.loads, next(tmp_path.rglob("*.jsonl")).read_text().splitlines()[1:])
    assert form != "parts" or all(answer["reasoning"] for answer in answers)


def test_a_cut_reply_is_no_move_and_is_counted(tmp_path):
    reasons = iter(["length", "max_output_tokens", "SAFETY", "content_filter"])
    with ChatServer(lambda _: Raw(200, completion("It is safe, so I open 2 1", next(reasons)))) as server:
        results = baselines.evaluate(chat(server, tmp_path, max_illegal=4), 5, 3, 1, against=())
    assert results.policies[0].counters["cut"] == results.policies[0].counters["illegal"] == 4
    assert results.policies[0].records[0].clicks == 0
    assert "cut 4 of 4 answers" in " ".join(str(results).split())
    assert "was cut" in server.requests[1][-1]["content"]


def test_two_processes_do_not_write_one_evaluation(tmp_path):
    first, second = (Transcripts(tmp_path, {}, replay=False) for _ in range(2))
    first.begin("seeds-0-9")
    code = f"from baselines.transcripts import *; Transcripts(Path({str(tmp_path)!r}), {{}}, False).begin('seeds-0-9')"
    result = run_python("-c", code)
    assert (result.returncode, "another process is writing" in result.stderr) == (1, True)
    # An evaluation that an exception ended in this process is resumed in it.
    second.begin("seeds-0-9")
    second.end()
    assert run_python("-c", code).returncode == 0


def error_of(code):
    """Returns an error that comes with the status of success."""
    return Raw(200, json.dumps({"error": {"code": code, "message": "slow down"}}).encode())


@pytest.mark.parametrize(
    ("answer", "asked", "words"),
    [
        (Raw(500, b'{"error": {"message": "broken"}}'), 2, "broken"),
        (Raw(404, b'{"error": {"message": "no such model"}}'), 1, "no such model"),
        (Raw(401, json.dumps({"error": {"message": f"wrong key {SECRET}"}}).encode()), 1, "wrong key ***"),
        *((error_of(code), 2, "slow down") for code in (429, "503", None, "overloaded")),
        (error_of(400), 1, "slow down"),
        (Raw(200, b"{broken"), 2, "no chat completion"),
        (Raw(200, b"<html>hello</html>", kind="text/html"), 2, "no chat completion"),
        (Raw(200, b'{"choices": []}'), 2, "no chat completion"),
        (Raw(200, b'{"choices": [{"message": null}]}'), 2, "no chat completion"),
        (Raw(200, b"[1]"), 2, "no chat completion"),
        (Raw(200, b"[" * 200_000 + b"]" * 200_000), 2, "no chat completion"),
        (Raw(200, completion(json.loads("[" * 900 + "]" * 900))), 1, "no chat completion"),
        (Raw(200, completion("open 0 0") + b" " * (1 << 23)), 2, "8388608 bytes"),
        (Raw(400, b"x" * 100_000), 1, "400"),
        (Raw(400, b"x" * 100, pause=0.2), 1, "400"),
        (Raw(200, b" " * 100, pause=0.2), 2, "not whole after 0.5 seconds"),
        (Raw(200, completion("I might open 0 0", "abort")), 2, "I might"),
        (Raw(200, completion("I might open 0 0", "INSUFFICIENT_SYSTEM_RESOURCE")), 2, "I might"),
        (Raw(200, b"{}", 3.0), 2, "timed out"),
    ],
)
def test_a_server_that_fails_costs_its_retries_and_one_line(answer, asked, words, tmp_path, monkeypatch):
    monkeypatch.setenv(KEY, SECRET)
    with ChatServer(lambda _: answer) as server, pytest.raises(ChatError) as error:
        play_games(find_policy(chat(server, tmp_path, timeout=0.5))(BOARD), BOARD, [1])
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert SECRET not in str(error.value)
    assert len(server.requests) == asked


def test_the_games_before_a_failure_are_kept_and_the_key_is_nowhere(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv(KEY, SECRET)
    play = scripted("exact", 10)

    def reply(messages):
        return play(messages) + SECRET if len(server.requests) < 15 else Raw(400, b"{}")

    with ChatServer(reply) as server:
        with pytest.raises(ChatError):
            baselines.evaluate(chat(server, tmp_path), 5, 3, 10, against=())
        assert server.keys == {f"Bearer {SECRET}"}
    texts = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert sum(len(text.splitlines()) - 1 for text in texts) == 14
    assert not any(SECRET in text for text in (*texts, *map(str, tmp_path.rglob("*")), *capfd.readouterr()))


def test_the_options_of_a_model_are_texts_as_they_are_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with ChatServer(lambda _: "open 2 2") as server:
        for model in ("5.10", "1e3", "true"):
            policy = find_policy(f"chat:model={model},url={server.url},transcripts=2024")(BOARD)
            play_games(policy, BOARD, [1])
    assert server.models == {"5.10", "1e3", "true"}
    assert {path.name.rpartition("-")[0] for path in Path("2024").iterdir()} == {"5.10", "1e3", "true"}


def test_two_policies_with_the_same_answers_are_refused(tmp_path, capsys):
    both = ["chat:model=m,url=http://x/v1", "chat:model=m,url=http://x/v1,retries=1"]
    assert "its own folder" in refused(capsys, evaluate.main, "--policy", *both, "--games", 2)


@pytest.mark.parametrize("content", [b"..", b"\xff\xfe", b"seeds-0-9-20260101-000000-ABCD/../.."])
def test_a_damaged_marker_is_named_and_nothing_is_written(content, tmp_path):
    marker = tmp_path / "run" / "seeds-0-9.unfinished"
    marker.parent.mkdir()
    marker.write_bytes(content)
    with pytest.raises(PolicyError, match=r"seeds-0-9\.unfinished is damaged"):
        Transcripts(marker.parent, {}, False).begin("seeds-0-9")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [marker]


def test_a_transcript_of_other_boards_is_replaced(tmp_path):
    with ChatServer(scripted("exact", 4)) as server:
        policy = find_policy(chat(server, tmp_path, replay="true"))(BOARD)
        for seed in (1, 2, 2):
            policy.reset(5)
            play_games(policy, BOARD, [seed])
        asked = len(server.requests)
        policy.reset(5)
        play_games(policy, BOARD, [2])
    assert len(server.requests) == asked


@pytest.mark.parametrize(
    ("line", "change"),
    [(0, {"model": "other"}), (1, {"tokens": -5}), (1, {"prompt_tokens": 2**80}), (1, {"seconds": 1e308})],
)
def test_a_transcript_of_another_model_or_of_impossible_figures_is_refused_by_its_name(line, change, tmp_path):
    with ChatServer(lambda _: "open 2 2") as server:
        policy = find_policy(chat(server, tmp_path, replay="true"))(BOARD)
        play_games(policy, BOARD, [1])
        (path,) = tmp_path.rglob("*.jsonl")
        lines = [json.loads(each) for each in path.read_text().splitlines()]
        lines[line] |= change
        path.write_text("\n".join(map(json.dumps, lines)))
        policy.reset(0)
        with pytest.raises(PolicyError, match=path.name):
            play_games(policy, BOARD, [1])


def test_wrong_options_are_refused_before_any_request(tmp_path, monkeypatch):
    monkeypatch.delenv(KEY, raising=False)
    for options, word in (
        ("", "needs a model"),
        ("model=m", KEY),
        ("model=m,url=ftp://x", "http://"),
        ("model=m,url=http://me:word@x/v1", "password"),
        ("model=m,url=http://x/v1,style=svg", "style"),
        ("model=m,url=http://x/v1,history=-1", "history"),
        ("model=m,url=http://x/v1,timeout=soon", "timeout"),
        ("model=m,url=http://x/v1,max_tokens=0", "max_tokens"),
        ("model=m,url=5", "http://"),
        ("model=m,url=http://x/v1,replay=1", "replay"),
        ("model=m,url=http://x/v1,key=1", "no option key"),
    ):
        with pytest.raises(ValueError, match=word):
            find_policy(f"chat:{options}" if options else "chat")(BOARD)
    with pytest.raises(ValueError, match="radius"):
        find_policy("chat:model=m,url=http://x/v1")(BoardConfig(5, 5, 3, moves=("click",), radius=2))
    assert not Path("runs/chat").exists()
