"""Teach a small transformer Minesweeper from text: imitation of least-risk play, then policy gradient.

    python examples/text_transformer.py imitate --out runs/text/1 --seed 1
    python examples/text_transformer.py learn --out runs/text/1 --seed 1 --reward win
    python examples/text_transformer.py serve --out runs/text/1 --reward win
    python evaluate.py --policy chat:model=tiny,url=http://127.0.0.1:8080/v1 --size 5 --mines 3

The second step sees texts and the rewards of `TextGame` alone. An interrupted command goes on where it stopped.
"""

import argparse
import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from baselines.cli.command import whole_number_from
from minesweeper_env import HIDDEN, MinesweeperVectorEnv
from minesweeper_env.inference import mine_probabilities_batch
from minesweeper_env.text import TextGame, board_text

SIZE, MINES, WIDTH, DEPTH, HEADS = 5, 3, 128, 5, 4
CONTEXT, ANSWER = 104, 10  # characters of the board and, at most, of a reply
GAMES = 64  # games side by side, and positions of a minibatch
TRAINING_SEEDS = 1 << 31  # test games have seeds below 2**30
CPU = getattr(torch.cpu, "get_capabilities", dict)()
BFLOAT16 = bool(CPU.get("avx512_bf16") or CPU.get("amx_bf16"))  # halves the time there; elsewhere it is far slower


class Block(nn.Module):
    """A layer of a transformer; a cache holds the keys and values of earlier characters."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: Tensor, cache: list[Tensor] | None) -> Tensor:
        """Returns the next layer of (N, L, WIDTH)."""
        batch, length, _ = x.shape
        parts = self.qkv(self.norm(x)).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        query, keys, values = parts
        if cache is not None:
            if cache:
                keys, values = torch.cat([cache[0], keys], 2), torch.cat([cache[1], values], 2)
            cache[:] = [keys, values]
        seen = scaled_dot_product_attention(query, keys, values, is_causal=length > 1)
        x = x + self.out(seen.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.mlp(self.norm2(x))


class Transformer(nn.Module):
    """A causal language model over ASCII characters."""

    def __init__(self) -> None:
        super().__init__()
        self.characters, self.places = nn.Embedding(128, WIDTH), nn.Embedding(CONTEXT + ANSWER, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(DEPTH))
        self.head = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 128))

    def forward(self, text: Tensor, caches: list[list[Tensor]] | None = None, begin: int = 0) -> Tensor:
        """Returns the logits of the next character, (N, L, 128), for (N, L) characters from place `begin` on."""
        with torch.autocast("cpu", torch.bfloat16, enabled=BFLOAT16):
            x = self.characters(text) + self.places(torch.arange(begin, begin + text.shape[1]))
            for number, block in enumerate(self.blocks):
                x = block(x, None if caches is None else caches[number])
            return self.head(x).float()

    @torch.no_grad()
    def answer(self, texts: list[str], greedy: bool = False) -> tuple[Tensor, list[str]]:
        """Returns the characters of the texts and their answers, (N, CONTEXT + ANSWER), and the answers as text."""
        known, caches = encode(texts), [[] for _ in self.blocks]
        logits = self(known, caches)[:, -1]
        for place in range(CONTEXT, CONTEXT + ANSWER):
            chosen = logits.argmax(1, keepdim=True) if greedy else torch.multinomial(logits.softmax(1), 1)
            known = torch.cat([known, chosen], 1)
            logits = self(chosen, caches, place)[:, -1]
        replies = [bytes(line).decode("ascii").partition("\n")[0] for line in known[:, CONTEXT:].tolist()]
        return known, replies


def encode(texts: list[str], length: int = CONTEXT) -> Tensor:
    """Returns the boards at the ends of texts, (N, length) int64 characters; spaces fill short ones from the left."""
    codes = [text.rpartition("\n\n")[2][-length:].rjust(length).encode("ascii", "replace") for text in texts]
    return torch.tensor(np.frombuffer(b"".join(codes), np.uint8).reshape(len(texts), length), dtype=torch.int64)


def answer_log_probs(model: Transformer, known: Tensor) -> Tensor:
    """Returns the log-probability of each answer up to its first line break, (N,)."""
    logits = model(known[:, :-1])[:, CONTEXT - 1 :]
    target = known[:, CONTEXT:]
    log_probs = logits.log_softmax(2).gather(2, target.unsqueeze(2)).squeeze(2)
    ended = (target == ord("\n")).cumsum(1) - (target == ord("\n")).long()
    return (log_probs * (ended == 0)).sum(1)


def least_risk_positions(seed: int):
    """Yields minibatches of boards and of cells of least risk, from games that such cells play on and on."""
    random = np.random.default_rng(seed)
    env = MinesweeperVectorEnv(GAMES, SIZE, MINES, moves=("click",))
    boards, _ = env.reset(seed=[TRAINING_SEEDS + GAMES * seed + game for game in range(GAMES)])
    while True:
        covered = (boards == HIDDEN) & ~(boards > HIDDEN).any(axis=(1, 2), keepdims=True)
        usable = covered.any(axis=(1, 2)) & (covered.sum(axis=(1, 2)) > MINES)
        cells = np.zeros(GAMES, np.int64)
        risks = np.where(covered[usable], mine_probabilities_batch(boards[usable], MINES), 2.0).reshape(-1, SIZE**2)
        least = risks < risks.min(axis=1, keepdims=True) + 1e-9
        cells[usable] = (least * random.random(least.shape)).argmax(axis=1)
        yield boards[usable].copy(), cells[usable]
        boards = env.step(cells)[0]


class Run:
    """A network in training and its log, kept in two files that are replaced whole."""

    def __init__(self, folder: Path, name: str, rate: float, start: Path | None = None) -> None:
        """Goes on with the files of the run, or begins with the network of `start`."""
        self.path, self.log = folder / f"{name}.pt", folder / f"{name}.json"
        folder.mkdir(parents=True, exist_ok=True)
        self.model, self.rows = Transformer(), []
        self.optimiser = torch.optim.AdamW(self.model.parameters(), rate, (0.9, 0.95), weight_decay=0.0)
        if self.path.exists():
            state = torch.load(self.path, weights_only=True)
            self.model.load_state_dict(state["model"])
            self.optimiser.load_state_dict(state["optimiser"])
            self.rows = state["rows"]
        elif start is not None:
            self.model.load_state_dict(torch.load(start, weights_only=True)["model"])

    def step(self, loss: Tensor) -> None:
        """Descends the gradient of a loss."""
        self.optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()

    def keep(self, row: dict[str, float]) -> None:
        """Adds a row to the log, and writes both files."""
        self.rows.append({name: float(value) for name, value in row.items()})
        state = {"model": self.model.state_dict(), "optimiser": self.optimiser.state_dict(), "rows": self.rows}
        temporary = self.path.with_suffix(".tmp")
        torch.save(state, temporary)
        temporary.replace(self.path)
        temporary.write_text(json.dumps(self.rows))
        temporary.replace(self.log)
        print(" ".join(f"{name} {value:g}" for name, value in row.items()), flush=True)


def play(model: Transformer, seeds: list[int], reward: str):
    """Plays games side by side; returns the characters of all moves, their returns, and the results of the games."""
    games = [TextGame(SIZE, MINES, max_illegal=3) for _ in seeds]
    texts = [game.reset(seed=seed)[0] for game, seed in zip(games, seeds, strict=True)]
    moves, rewards, illegal = [[] for _ in seeds], [[] for _ in seeds], 0
    won, playing = np.zeros(len(seeds), bool), list(range(len(seeds)))
    while playing:
        known, replies = model.answer([texts[game] for game in playing])
        for game, line, reply in zip(playing, known, replies, strict=True):
            texts[game], won_now, _, _, info = games[game].step(reply)
            moves[game].append(line)
            rewards[game].append(won_now if reward == "win" else float(info.get("sound", False)))
            won[game] |= info["is_success"]
            illegal += info["illegal"]
        playing = [game for game in playing if not games[game].over]
    # The win is to the credit of all moves of a game; soundness judges each move alone.
    returns = [[sum(each)] * len(each) if reward == "win" else each for each in rewards]
    return torch.stack([*chain(*moves)]), torch.tensor([*chain(*returns)]), won, illegal


def imitate(folder: Path, seed: int, steps: int) -> None:
    """Learns to write the moves of least risk."""
    run = Run(folder, "imitate", 3e-4)
    torch.manual_seed(seed + len(run.rows))
    positions = least_risk_positions(seed + 1000 * len(run.rows))
    losses = []
    for step in range(100 * len(run.rows), steps):
        boards, cells = next(positions)
        answers = [f"open {cell // SIZE} {cell % SIZE}\n".ljust(ANSWER) for cell in cells.tolist()]
        texts = [board_text(board, MINES) for board in boards]
        known = torch.cat([encode(texts), encode(answers, ANSWER)], 1)
        loss = -answer_log_probs(run.model, known).mean()
        run.optimiser.param_groups[0]["lr"] = 6e-4 * min(1.0, (step + 1) / 200) * (1 - 0.9 * step / steps)
        run.step(loss)
        losses.append(loss.item())
        if step % 100 == 99:
            won = play(run.model, [TRAINING_SEEDS - 1 - game for game in range(GAMES)], "win")[2]
            run.keep({"step": step + 1, "loss": np.mean(losses[-100:]), "wins": won.mean()})


def learn(folder: Path, seed: int, reward: str, games: int) -> None:
    """Learns from its own games by policy gradient."""
    run = Run(folder, reward, 1e-4, folder / "imitate.pt")
    torch.manual_seed(seed + len(run.rows))
    for batch in range(len(run.rows), games // GAMES):
        first = TRAINING_SEEDS + 10_000_000 * seed + GAMES * batch
        run.optimiser.param_groups[0]["lr"] = 1e-4 * (1 - GAMES * batch / games)  # so that the last network is settled
        known, returns, won, illegal = play(run.model, list(range(first, first + GAMES)), reward)
        advantages = (returns - returns.mean()) / (returns.std() + 1e-6)
        for part in torch.randperm(len(known)).split(2 * GAMES):
            run.step(-(advantages[part] * answer_log_probs(run.model, known[part])).mean())
        run.keep({"games": GAMES * (batch + 1), "wins": won.mean(), "moves": len(known), "illegal": illegal})


def serve(folder: Path, name: str, port: int = 8080) -> None:
    """Answers chat completions with characters that the network draws, or, at temperature 0, the most likely ones."""
    model = Run(folder, name, 0.0).model

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = model.answer([request["messages"][-1]["content"]], request.get("temperature") == 0)[1][0]
            choices = [{"index": 0, "message": {"role": "assistant", "content": reply}, "finish_reason": "stop"}]
            usage = {"prompt_tokens": CONTEXT, "completion_tokens": len(reply)}
            content = json.dumps({"object": "chat.completion", "choices": choices, "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    print(f"serving {name} at http://127.0.0.1:{port}/v1", flush=True)
    HTTPServer(("127.0.0.1", port), Handler).serve_forever()


def main() -> None:
    """Does what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", choices=["imitate", "learn", "serve"])
    parser.add_argument("--out", type=Path, default=Path("runs/text/1"), help="folder of the network")
    parser.add_argument("--seed", type=whole_number_from(0), default=1)
    parser.add_argument("--steps", type=whole_number_from(1), default=1000, help="minibatches to imitate")
    parser.add_argument("--games", type=whole_number_from(1), default=12_800, help="games to learn from")
    parser.add_argument("--reward", choices=["win", "sound", "imitate"], default="sound")
    options = parser.parse_args()
    needed = {"learn": "imitate", "serve": options.reward}.get(options.work)
    if needed and not (options.out / f"{needed}.pt").exists():
        parser.error(f"there is no {options.out}/{needed}.pt; imitate writes the first, and learn that of its --reward")
    torch.set_num_threads(1)
    works = {
        "imitate": lambda: imitate(options.out, options.seed, options.steps),
        "learn": lambda: learn(options.out, options.seed, options.reward, options.games),
        "serve": lambda: serve(options.out, options.reward),
    }
    works[options.work]()


if __name__ == "__main__":
    main()
