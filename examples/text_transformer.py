"""Ask which reward teaches a small transformer Minesweeper as text: imitation, then policy gradient with one reward.

    python examples/text_transformer.py imitate --out runs/text/1 --seed 1
    python examples/text_transformer.py learn --out runs/text/1 --seed 1 --reward win
    python examples/text_transformer.py test --out runs/text/1 --reward win
    python examples/text_transformer.py serve --out runs/text/1 --reward win

`learn` sees texts and the rewards of `TextGame` alone. Its games have layouts of the split "train", those of `test`
have the split "test"; `test --reward imitate` is before any reward. An interrupted command goes on where it stopped.
"""

import argparse
import copy
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from baselines.cli.command import whole_number_from
from baselines.evaluation.intervals import wilson_interval
from baselines.files import hold_folder
from baselines.learned.common.tensor_files import save, saved
from baselines.process import explain
from minesweeper_env import HIDDEN
from minesweeper_env.inference import mine_probabilities
from minesweeper_env.text import TextGame, board_text

WIDTH, DEPTH, HEADS = 64, 4, 4
ANSWER = 9  # characters of a reply such as "open 3 4\n"
MINIBATCH = 64  # replies of a gradient step
GROUP = 8  # games of one layout, which are compared with each other
CANDIDATES = 4  # replies to one board, which are compared with each other
TRAINING_SEEDS = 1 << 31  # test games have seeds below 2**30
RATE = 2e-4  # of policy gradient; with 6e-4 `win` unlearned what it had imitated
PORT = 8080


class Block(nn.Module):
    """A layer of a transformer; a cache, empty at first, holds the keys and values of earlier characters."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: Tensor, cache: list[Tensor] | None) -> Tensor:
        """Maps activations (N, L, WIDTH) to those of the next layer, and appends their keys and values to the cache."""
        query, keys, values = self.qkv(self.norm(x)).unflatten(2, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
        if cache is not None:
            if cache:
                keys, values = torch.cat([cache[0], keys], 2), torch.cat([cache[1], values], 2)
            cache[:] = [keys, values]
        # A single new character sees the whole cache.
        attended = nn.functional.scaled_dot_product_attention(query, keys, values, is_causal=x.shape[1] > 1)
        x = x + self.out(attended.transpose(1, 2).flatten(2))
        return x + self.mlp(self.norm2(x))


class Transformer(nn.Module):
    """A causal language model over ASCII characters."""

    def __init__(self) -> None:
        super().__init__()
        self.characters, self.places = nn.Embedding(128, WIDTH), nn.Embedding(128, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(DEPTH))
        self.head = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 128))

    def forward(self, text: Tensor, caches: list[list[Tensor]] | None = None, begin: int = 0) -> Tensor:
        """Returns the logits of the next character, (N, L, 128), for (N, L) characters from position `begin` on."""
        x = self.characters(text) + self.places(torch.arange(begin, begin + text.shape[1]))
        for number, block in enumerate(self.blocks):
            x = block(x, None if caches is None else caches[number])
        return self.head(x)

    @torch.no_grad()
    def answer(self, texts: list[str], greedy: bool = False) -> tuple[Tensor, list[str]]:
        """Returns the characters of N boards and replies, (N, L + ANSWER), and the replies as text."""
        text, caches = encode(texts), [[] for _ in self.blocks]
        logits = self(text, caches)[:, -1]
        for _ in range(ANSWER):
            characters = logits.argmax(1, keepdim=True) if greedy else torch.multinomial(logits.softmax(1), 1)
            text = torch.cat([text, characters], 1)
            logits = self(characters, caches, text.shape[1] - 1)[:, -1]
        return text, [bytes(line).decode("ascii").partition("\n")[0] for line in text[:, -ANSWER:].tolist()]


def encode(texts: list[str]) -> Tensor:
    """Returns the board at the end of each text as ASCII, (N, L) int64, without its spaces and its last line."""
    boards = [text.rpartition("\n\n")[2].rpartition("\n")[0].replace(" ", "") for text in texts]
    return torch.tensor([[*board.encode("ascii")] for board in boards])


def reply_log_probs(model: Transformer, text: Tensor) -> Tensor:
    """Returns the log-probability of each reply up to its first line break, (N,), for the characters of `answer`."""
    target = text[:, -ANSWER:]
    log_probs = model(text[:, :-1])[:, -ANSWER:].log_softmax(2).gather(2, target.unsqueeze(2)).squeeze(2)
    breaks_before = (target == ord("\n")).cumsum(1) - (target == ord("\n")).long()
    return (log_probs * (breaks_before == 0)).sum(1)


def least_risk_replies(game: TextGame, seed: int) -> Iterator[tuple[str, str]]:
    """Yields boards and replies that open a cell of least risk, from games that these replies play."""
    random, config = np.random.default_rng(seed), game.config
    covered = board_text(np.full((config.rows, config.cols), HIDDEN), config.mines)
    while True:
        game.reset(seed=int(TRAINING_SEEDS + random.integers(TRAINING_SEEDS)))
        yield covered, "open {} {}".format(*game.opened)
        while not game.over:
            risks = np.where(game.codes == HIDDEN, mine_probabilities(game.codes, config.mines), 2.0)
            cell = random.choice(np.argwhere(risks < risks.min() + 1e-9))
            reply = "open {} {}".format(*cell)
            yield game.observation(), reply
            game.step(reply)


class Run:
    """A network in training and its log, kept in one file that is replaced whole."""

    def __init__(self, folder: Path, name: str, setting: dict[str, float]) -> None:
        """Loads the file of the run, or else the network that imitated; raises ValueError if its setting differs."""
        self.path, self.setting = folder / f"{name}.pt", setting
        self.model, self.rows, self.replies, self.start_time = Transformer(), [], 0, time.process_time()
        self.optimiser = torch.optim.AdamW(self.model.parameters(), 0.0, (0.9, 0.95), weight_decay=0.0)
        path = self.path if self.path.exists() else folder / "imitate.pt"
        if path.exists():
            with saved(path) as state:
                if state["setting"] != setting:
                    raise ValueError(f"it belongs to {state['setting']}, not to {setting}")
                self.model.load_state_dict(state["model"])
                if path == self.path:
                    self.optimiser.load_state_dict(state["optimiser"])
                    self.rows, self.replies = state["rows"], state["rows"][-1]["replies"]
                    self.start_time -= 60 * self.rows[-1]["minutes"]

    def descend(self, loss: Tensor, rate: float) -> float:
        """Descends the gradient of a loss, and returns the loss."""
        self.optimiser.param_groups[0]["lr"] = rate
        self.optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        return loss.item()

    def keep(self, replies: int, **figures: float) -> None:
        """Adds a row to the log, with the replies and processor minutes so far and `figures`, and writes the file."""
        self.replies += replies
        self.rows.append({"replies": self.replies, "minutes": (time.process_time() - self.start_time) / 60, **figures})
        trained = {"model": self.model.state_dict(), "optimiser": self.optimiser.state_dict()}
        save(self.path, {**trained, "rows": self.rows, "setting": self.setting})
        print(" ".join(f"{name} {value:.4g}" for name, value in self.rows[-1].items()), flush=True)


def play(model: Transformer, games: list[TextGame], candidates: int = 1) -> dict[str, Tensor]:
    """Plays games, reset before, to their ends; of the candidates for each board, the last one is the move.

    Returns:
        For each reply its characters `text` (M, L), the number of its `game` (M,), its `reward` (M,) and its judgement
        `sound` (M,); for each game whether it was `won`, and its `illegal` replies.
    """
    texts, won = [game.observation() for game in games], torch.zeros(len(games))
    chunks, rows, playing = [], [], list(range(len(games)))
    while playing:
        text, replies = model.answer([texts[number] for number in playing for _ in range(candidates)])
        chunks.append(text)
        for place, number in enumerate(playing):
            answers = replies[place * candidates : (place + 1) * candidates]
            branches = [copy.deepcopy(games[number]) for _ in answers[1:]] + [games[number]]  # the last is the move
            for branch, reply in zip(branches, answers, strict=True):
                texts[number], reward, _, _, info = branch.step(reply)
                rows.append((number, reward, info.get("sound", False)))
            won[number] = info["is_success"]
        playing = [number for number in playing if not games[number].over]
    numbers, rewards, sound = torch.tensor(rows).T
    of_replies = {"text": torch.cat(chunks), "game": numbers.long(), "reward": rewards, "sound": sound}
    return of_replies | {"won": won, "illegal": torch.tensor([float(game.illegal) for game in games])}


def advantages_of(played: dict[str, Tensor], reward: str) -> Tensor:
    """Returns the advantage of each reply, (M,): its reward less the mean of its group, in standard deviations."""
    if reward == "candidates":
        groups, index_of_reply = played["sound"].view(-1, CANDIDATES), slice(None)
    else:  # The return of a game counts for all its replies.
        returns = torch.zeros(len(played["won"])).index_add(0, played["game"], played["reward"])
        groups, index_of_reply = returns.view(-1, GROUP), played["game"]
    advantages = (groups - groups.mean(1, keepdim=True)).flatten()[index_of_reply]
    return advantages / (advantages.std() + 1e-6)


def imitate(run: Run, game: TextGame, options: argparse.Namespace) -> None:
    """Learns to write moves of least risk."""
    torch.manual_seed(options.seed + run.replies)
    examples = least_risk_replies(game, options.seed + run.replies)
    while run.replies < options.replies:
        losses = []
        for step in range(100):
            texts, answers = zip(*[next(examples) for _ in range(MINIBATCH)], strict=True)
            target = torch.tensor([[*f"{answer}\n".ljust(ANSWER).encode()] for answer in answers])
            loss = -reply_log_probs(run.model, torch.cat([encode(texts), target], 1)).mean()
            done = run.replies + step * MINIBATCH
            rate = 2e-3 * min(1.0, (done + 1) / 10_000) * (1 - 0.9 * done / options.replies)  # rises, then falls
            losses.append(run.descend(loss, rate))
        run.keep(100 * MINIBATCH, loss=float(np.mean(losses)))


def learn(run: Run, game: TextGame, options: argparse.Namespace) -> None:
    """Learns from its own games by policy gradient."""
    torch.manual_seed(options.seed + run.replies)
    # What is compared: the candidates for one board, or else the games of one layout, which then follow each other.
    layouts, repeats, candidates = (2 * GROUP, 1, CANDIDATES) if options.reward == "candidates" else (8, GROUP, 1)
    while run.replies < options.replies:
        first_seed = TRAINING_SEEDS + 10_000_000 * options.seed + layouts * repeats * len(run.rows)
        games = [copy.deepcopy(game) for _ in range(layouts * repeats)]
        for number, episode in enumerate(games):
            episode.reset(seed=first_seed + number // repeats)
        played = play(run.model, games, candidates)
        advantages, text = advantages_of(played, options.reward), played["text"]
        rate = RATE * (1 - run.replies / options.replies)  # so that the last network is settled
        for minibatch in torch.randperm(len(text)).chunk(max(1, len(text) // MINIBATCH)):
            run.descend(-(advantages[minibatch] * reply_log_probs(run.model, text[minibatch])).mean(), rate)
        run.keep(len(text), **{name: played[name].mean().item() for name in ("won", "sound", "illegal")})


def test(run: Run, game: TextGame, options: argparse.Namespace) -> None:
    """Prints the means of games of the split "test", with replies that the network draws."""
    torch.manual_seed(0)
    episodes = [copy.deepcopy(game) for _ in range(options.games)]
    for seed, episode in enumerate(episodes):
        episode.reset(seed=seed)
    results = play(run.model, episodes)
    means = {name: results[name].mean().item() for name in ("won", "sound", "illegal")}
    low, high = wilson_interval(int(results["won"].sum()), options.games)
    print(json.dumps({"games": options.games, **means, "low": low, "high": high}))


def serve(run: Run, *_: object) -> None:
    """Answers chat completions with characters that the network draws, or, at temperature 0, the most likely ones."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text, replies = run.model.answer([request["messages"][-1]["content"]], request.get("temperature") == 0)
            choices = [{"index": 0, "message": {"role": "assistant", "content": replies[0]}, "finish_reason": "stop"}]
            usage = {"prompt_tokens": text.shape[1] - ANSWER, "completion_tokens": len(replies[0])}
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps({"object": "chat.completion", "choices": choices, "usage": usage}).encode())

    print(f"serving {run.path} at http://127.0.0.1:{PORT}/v1", flush=True)
    HTTPServer(("127.0.0.1", PORT), Handler).serve_forever()


def main() -> None:
    """Imitates, learns, tests or serves, as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    works = {"imitate": imitate, "learn": learn, "test": test, "serve": serve}  # a function for each command
    parser.add_argument("work", choices=works)
    parser.add_argument("--out", type=Path, default=Path("runs/text/1"), help="folder of the network")
    parser.add_argument("--seed", type=whole_number_from(0), default=1)
    parser.add_argument("--size", type=int, choices=range(4, 10), default=5, help="side of the board")
    parser.add_argument("--mines", type=whole_number_from(1), default=5)
    parser.add_argument("--no-guess", choices=["subset", "exact"], default=False, help="boards that need no guess")
    parser.add_argument("--reward", choices=["win", "sound", "risk", "candidates", "imitate"], default="win")
    parser.add_argument("--replies", type=whole_number_from(1), default=75_000, help="replies to learn from")
    parser.add_argument("--games", type=whole_number_from(1), default=1000, help="games of a test")
    options = parser.parse_args()
    needed = {"learn": "imitate", "test": options.reward, "serve": options.reward}.get(options.work)
    if needed and not (options.out / f"{needed}.pt").exists():
        parser.error(f"there is no {options.out}/{needed}.pt; imitate writes the first, and learn that of its --reward")
    if options.work == "learn" and options.reward == "imitate":
        parser.error("learn needs a --reward: win, sound, risk or candidates")
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    board = {"size": options.size, "mines": options.mines, "no_guess": options.no_guess}
    split = "test" if options.work == "test" else "train"
    name = "imitate" if options.work == "imitate" else options.reward
    reward = name if name in ("sound", "risk") else "win"
    with ExitStack() as stack:
        try:
            game = TextGame(**board, opened="middle", split=split, max_illegal=3, reward=reward)
            if options.work in ("imitate", "learn"):  # Rewards may be learned side by side, each by one process.
                lock = options.out / f".{name}.lock"
                lock.mkdir(parents=True, exist_ok=True)
                stack.enter_context(hold_folder(lock))
            run = Run(options.out, name, board | {"seed": options.seed})
        except (ValueError, OSError) as error:
            parser.error(explain(error))
        works[options.work](run, game, options)


if __name__ == "__main__":
    main()
