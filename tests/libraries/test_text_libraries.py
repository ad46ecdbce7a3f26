"""Tests of `minesweeper_text` with the real libraries on the loopback; each needs its library."""

import asyncio
import gc
import socket
import threading
import time

import pytest
from support import code_blocks
from support.chat_server import ChatServer, Raw, best_move, completion

from minesweeper_env.text import REWARDS, TextGame
from minesweeper_env.text_tasks import TextTasks

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(autouse=True)
def left_open():
    """Collects the streams that the libraries leave open, while their warnings are ignored."""
    yield
    gc.collect()


def reply_of(messages):
    """Returns nonsense first, then the move of least risk."""
    return "open {} {}".format(*best_move(messages[-1]["content"])) if len(messages) > 2 else "hm"


def call_of(messages):
    row, col = best_move(messages[-1]["content"])
    call = {"id": f"call-{len(messages)}", "type": "function"}
    call["function"] = {"name": "open", "arguments": f'{{"col": {col}, "row": {row}}}'}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def sums_of(seed, replies, **arguments):
    """Returns the sums of the rewards of a game that is played directly."""
    game = TextGame((5, 5), 5, no_guess="exact", **arguments)
    text, _ = game.reset(seed=seed)
    sums = dict.fromkeys(REWARDS, 0.0)
    messages = [{}] * replies
    while not game.over:
        text, _, _, _, info = game.step(reply_of([*messages, {"content": text}]))
        messages += [{}, {}]
        sums = {name: sums[name] + info["rewards"].get(name, 0.0) for name in sums}
    return sums


@pytest.fixture
def episodes_of(tmp_path, monkeypatch):
    """Plays the tasks of an environment of verifiers against a server; returns the episodes."""
    pytest.importorskip("verifiers")
    from verifiers.v1.cli.eval.runner import run_eval
    from verifiers.v1.configs.cli.eval import EvalConfig

    monkeypatch.setenv("OPENAI_API_KEY", "none")

    def play(server, **env):
        client = {"type": "eval", "base_url": server.url, "api_key_var": "OPENAI_API_KEY"}
        folder = str(tmp_path / "out")
        config = EvalConfig(env=env, model="m", client=client, push=False, rich=None, output_dir=folder)
        return asyncio.run(run_eval(config))

    return play


@pytest.mark.parametrize("tools", [False, True])
def test_verifiers_plays_whole_games_and_weighs_the_rewards(tools, episodes_of):
    with ChatServer(call_of if tools else reply_of) as server:
        taskset = {"id": "minesweeper_text", "games": 3, "tools": tools, "sound": 0.1, "risk": 0.5}
        taskset |= {"history": 0, "opened": "middle", "flags": True, "split": "test"} if tools else {}
        episodes = episodes_of(server, taskset=taskset)
    assert len(episodes) == 3
    for episode in episodes:
        assert episode.ok
        (trace,) = episode.traces
        assert trace.metrics["illegal"] == (not tools)
        if not tools:
            sums = sums_of(trace.task.data.seed, 1)
            assert {name: each.score for name, each in trace.rewards.items()} == pytest.approx(sums)
            assert trace.reward == pytest.approx(sums["win"] + 0.5 * sums["risk"] + 0.1 * sums["sound"])
        assert trace.rewards["win"].score == 1.0
    kinds = [[message["role"] for message in request] for request in server.requests]
    assert all(each == ["system", "user"] for each in kinds) == tools


def test_verifiers_scores_the_tasks_of_the_page(episodes_of, tmp_path, monkeypatch):
    code = next(block for block in code_blocks("docs/how-to/grpo.md") if "verifiers" in block).replace("n=100", "n=4")
    (tmp_path / "minesweeper_tasks.py").write_text(code)
    answers = {task["question"]: task["answer"] for task in TextTasks("safe_cell", size=5, mines=5, n=4)[1:]}
    monkeypatch.syspath_prepend(tmp_path)
    with ChatServer(lambda messages: answers.get(messages[-1]["content"], "hm")) as server:
        agent = {"runtime": {"type": "subprocess"}}
        episodes = episodes_of(server, taskset={"id": "minesweeper_tasks"}, agent=agent)
    assert all(episode.ok for episode in episodes)
    assert sorted(trace.reward for episode in episodes for trace in episode.traces) == [0.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("answer", [Raw(400, b"{}"), Raw(200, completion("open 0 0", "length"))])
def test_verifiers_tells_a_broken_server_from_a_lost_game_of_cut_replies(answer, episodes_of):
    with ChatServer(lambda _: answer) as server:
        (episode,) = episodes_of(server, taskset={"id": "minesweeper_text", "games": 1})
    assert episode.ok == (answer.status == 200)
    if episode.ok:
        assert episode.traces[0].rewards["form"].score == 0.0


def test_the_code_of_the_page_plays_a_game_as_text(capsys):
    for block in (*code_blocks("docs/how-to/language-models.md")[:2], code_blocks("docs/how-to/grpo.md")[0]):
        exec(compile(block, "the page", "exec"), {"TextGame": TextGame})
    assert "You opened (2, 2)." in capsys.readouterr().out


def test_openenv_serves_sessions_of_their_own():
    pytest.importorskip("openenv")
    import httpx
    import uvicorn
    from openenv.core import GenericEnvClient

    from minesweeper_text.openenv import app

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="critical"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    url = f"http://127.0.0.1:{port}"
    with GenericEnvClient(base_url=url).sync() as client, GenericEnvClient(base_url=url).sync() as other:
        with pytest.raises(RuntimeError, match="reset"):
            other.step({"reply": "open 0 0"})
        with pytest.raises(RuntimeError, match="mines must be"):
            other.reset(size=5, mines=99)
        with pytest.raises(RuntimeError, match="1 to 32"):
            other.reset(size=[1, 1_000_000], mines=1)
        result = client.reset(seed=3, size=[4, 6], mines=5, no_guess="exact", reward={"win": 1, "sound": 0.1})
        first = other.reset(seed=3, size=[4, 6], mines=5, no_guess="exact")
        assert result.observation["text"] == first.observation["text"]
        assert "4 rows and 6 columns" in result.observation["prompt"]
        result = client.step({"reply": "hm"})
        assert result.observation["illegal"]
        total = result.reward
        while not result.done:
            row, col = best_move(result.observation["text"])
            result = client.step({"reply": f"open {row} {col}"})
            assert not result.observation["illegal"]
            total += result.reward
        assert result.observation["won"]
        state = client.state()
        assert total == pytest.approx(1 + 0.1)
        assert state["step_count"] > 2
        assert "#" in other.step({"reply": "hm"}).observation["text"]
        tasks = httpx.post(f"{url}/minesweeper/task_range", json={"split": "test", "stop": 2}).json()["tasks"]
        texts = [client.reset(split=task["split"], index=task["index"]).observation["text"] for task in tasks]
        assert [other.reset(split="test", index=index).observation["text"] for index in (0, 1)] == texts
        assert texts[0] != texts[1]
        code = code_blocks("docs/how-to/language-models.md")[2].replace("http://127.0.0.1:8000", url)
        exec(compile(code, "the page", "exec"), {})
        assert set(state) == {"episode_id", "step_count"}
        for path, body, word in (("step", {"action": {"reply": "open 0 0"}}, "/ws"), ("reset", {"mines": 99}, "mines")):
            answer = httpx.post(f"{url}/{path}", json=body)
            assert 400 <= answer.status_code < 500
            assert word in answer.json()["detail"]
    server.should_exit = True


def inspect_games(folder, tokens=2, limits=None, calls=False, **arguments):
    """Returns the log of games that Inspect plays, and the number of messages in each request."""
    evaluate = pytest.importorskip("inspect_ai").eval
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from minesweeper_text.inspect_task import minesweeper

    lengths = []

    def answer(messages, *_):
        lengths.append(len(messages))
        content = reply_of([{"content": message.text} for message in messages])
        output = ModelOutput.from_content("mockllm/model", content)
        if calls and content != "hm":
            _, row, col = content.split()
            output = ModelOutput.for_tool_call("mockllm/model", "open", {"row": int(row), "col": int(col)})
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=tokens)
        return output

    model = get_model("mockllm/model", custom_outputs=answer)
    how = {"log_dir": str(folder), "display": "none", "score_display": False} | (limits or {})
    (log,) = evaluate(minesweeper(games=4, **arguments), model=model, **how)
    assert log.status == "success"
    return {score.name: score.metrics["mean"].value for score in log.results.scores}, lengths


def test_inspect_wins_every_game_without_luck(tmp_path):
    # With luck, the game of seed 3 is lost.
    figures, _ = inspect_games(tmp_path, no_guess="no", luck=False)
    assert (figures["win"], figures["unsound"]) == (1.0, 0.0)


@pytest.mark.parametrize("calls", [False, True])
def test_inspect_scores_games(calls, tmp_path):
    figures, lengths = inspect_games(tmp_path, calls=calls, history=1)
    assert figures == {"win": 1.0, "illegal": 1.0, "unsound": 0.0, "excess_risk": 0.0}
    assert set(lengths) == {2, 4}


@pytest.mark.parametrize(("limits", "illegal"), [({"message_limit": 4}, 1.0), ({"token_limit": 1}, 0.0)])
def test_inspect_scores_a_game_that_a_limit_ends_as_not_won(limits, illegal, tmp_path):
    figures, _ = inspect_games(tmp_path, limits=limits)
    assert figures == {"win": 0.0, "illegal": illegal, "unsound": 0.0, "excess_risk": 0.0}
