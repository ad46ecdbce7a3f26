"""Policy that asks a language model for each click, through any server that speaks OpenAI's chat completions."""

import hashlib
import json
import os
import re
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import numpy as np
from numpy.typing import NDArray

from baselines.checks import import_extra, number_within
from baselines.files import file_name, replace_file
from baselines.policy import RESIGN, PolicyError, checked_act
from minesweeper_env.config import BoardConfig, one_of, whole_number
from minesweeper_env.text import STYLES, Reply, board_text, parse_reply, rules_text

KEY = "OPENAI_API_KEY"
"""The variable of the environment with the key; servers without keys need none."""


class ChatError(PolicyError):
    """A chat server cannot be reached, refuses a request, or answers with something else than a chat completion."""


class Answer(msgspec.Struct, omit_defaults=True):
    """One line of a transcript: what the model was shown, and its answer.

    The thinking is what the server sent apart. The numbers of tokens are 0 if the server did not count them; those of
    the answer include its thinking. The seconds include all retries.
    """

    observation: str
    reply: str
    reasoning: str = ""
    prompt_tokens: int = 0
    tokens: int = 0
    seconds: float = 0.0


class ChatServer:
    """A chat server and the settings of its requests."""

    def __init__(self, model: str, url: str | None, timeout: float, retries: int, **request: Any) -> None:
        """Prepares requests; sends none. The key comes from the variable `KEY` alone."""
        openai = import_extra("openai", "chat")
        self._key = os.environ.get(KEY, "")
        if url is None and not self._key:
            raise ValueError(f"a policy chat without url asks OpenAI, which needs a key in the variable {KEY}")
        self._client = openai.OpenAI(api_key=self._key or "none", base_url=url, timeout=timeout, max_retries=retries)
        self._failure = openai.OpenAIError
        self._request = {"model": model, **{name: value for name, value in request.items() if value is not None}}
        self._name = f"chat server {urlsplit(str(self._client.base_url)).netloc}, model {model}"

    def ask(self, messages: list[dict[str, str]]) -> Answer:
        """Returns the answer to a conversation; raises a ChatError, in one line, after the last retry."""
        begin = time.perf_counter()
        try:
            found = self._client.chat.completions.create(messages=messages, **self._request)
            message, usage = found.choices[0].message, found.usage
            thinking = getattr(message, "reasoning_content", None) or getattr(message, "reasoning", None)
            reply, thinking = self._text(message.content), self._text(thinking)
        # The client returns what is no chat completion as it is.
        except (self._failure, AttributeError, IndexError, TypeError, ValueError) as error:
            problem = " ".join(self._text(f"{type(error).__name__}: {error}").split())[:300]
            raise ChatError(f"{self._name}: no chat completion: {problem}") from None
        prompt_tokens, tokens = (getattr(usage, name, None) or 0 for name in ("prompt_tokens", "completion_tokens"))
        seconds = round(time.perf_counter() - begin, 3)
        return Answer(messages[-1]["content"], reply, thinking, prompt_tokens, tokens, seconds)

    def _text(self, text: str | None) -> str:
        """Returns a text without the key, which a server may repeat, and without what UTF-8 cannot hold."""
        clean = str.encode(text or "", "utf-8", "replace").decode("utf-8")
        return clean.replace(self._key, "***") if self._key else clean


class ChatPolicy:
    """A language model that plays one game at a time; a transcript keeps each answer of the server.

    The model sees the rules, the last exchanges, and the board. An illegal reply is answered by what is wrong with it,
    and `max_illegal` of them give the game up. A game that is played again reads the answers of its transcript before
    it asks the server, so that an interrupted evaluation goes on where it stopped.
    """

    batch_size = 1
    judged = may_resign = True

    def __init__(
        self,
        config: BoardConfig,
        model: str | float = "",
        url: str | None = None,
        style: str = "grid",
        history: int = 1,
        max_illegal: int = 5,
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float = 120.0,
        retries: int = 3,
        transcripts: str = "runs/chat",
    ) -> None:
        """Prepares to play; contacts no server.

        docs/how-to/language-models.md explains the options. A ValueError refuses one that is not allowed.
        """
        if model == "":
            raise ValueError("the policy chat needs a model, as in chat:model=NAME,url=http://127.0.0.1:8000/v1")
        if config.radius != 1:
            raise ValueError("the policy chat plays boards of radius 1")
        parts = urlsplit(url or "https://")
        if parts.scheme not in ("http", "https") or "@" in parts.netloc or parts.query:
            raise ValueError("url must be http://HOST/... or https://HOST/..., without a user, a password or a key")
        self.config, self._style = config, one_of("style", style, STYLES)
        self._history = whole_number("history", history, 0)
        self._max_illegal = whole_number("max_illegal", max_illegal, 1)
        limit = "max_tokens" if url else "max_completion_tokens"
        request = {
            "temperature": None if temperature is None else number_within("temperature", temperature, 0, 100),
            limit: None if max_tokens is None else whole_number("max_tokens", max_tokens, 1),
        }
        seconds, retries = number_within("timeout", timeout, 0.001, 1e6), whole_number("retries", retries, 0)
        self._server = ChatServer(str(model), url, seconds, retries, **request)
        self._prompt = rules_text(config, style, max_illegal)
        settings = {"model": str(model), "url": url, "history": history, "prompt": self._prompt, **request}
        digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:8]
        model_name = re.sub(r"[^A-Za-z0-9.]+", "-", str(model))
        self._folder = Path(transcripts) / f"{model_name}-{digest}" / f"{file_name(config.name)}-{config.first_click}"
        self._settings = settings
        self.counters = {"illegal": 0, "tokens": 0, "prompt_tokens": 0, "answer_ms": 0}
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Begins the game of a seed, which names its transcript."""
        self._path = self._folder / f"{seed}.jsonl"
        self._kept: list[Answer] | None = None
        self._played: list[Answer] = []
        self._illegal, self._problem = 0, ""

    @checked_act
    def act(
        self,
        observations: NDArray[np.int8],
        action_masks: NDArray[np.int8],  # noqa: ARG002 - the board says which cells are covered
    ) -> NDArray[np.int64]:
        """Returns the click of the model on one board; see `baselines.policy.Policy`."""
        if len(observations) != 1:
            raise PolicyError(f"chat plays one game at a time, not {len(observations)}")
        board = observations[0]
        while self._illegal < self._max_illegal:
            text = board_text(board, self.config.mines, self._style)
            answer = self._answer(f"{self._problem}\n\n{text}" if self._problem else text)
            move = parse_reply(answer.reply, board)
            self._note(answer, move)
            if move.action is not None:
                return np.array([move.action])
        return np.array([RESIGN])

    def _answer(self, observation: str) -> Answer:
        """Returns the answer to an observation from the transcript, or from the server."""
        if self._kept is None:
            self._kept = self._read()
        if self._kept and self._kept[0].observation == observation:
            answer = self._kept.pop(0)
        else:
            # The transcript of another game, such as one of other first clicks, ends here.
            self._kept = []
            answer = self._server.ask(self._messages(observation))
        self._played.append(answer)
        return answer

    def _messages(self, observation: str) -> list[dict[str, str]]:
        """Returns the conversation: the rules, the last exchanges without their thinking, and the observation."""
        messages = [{"role": "system", "content": self._prompt}]
        for answer in self._played[-self._history :] if self._history else []:
            reply = answer.reply.rpartition("</think>")[2]
            messages += [{"role": "user", "content": answer.observation}, {"role": "assistant", "content": reply}]
        return [*messages, {"role": "user", "content": observation}]

    def _read(self) -> list[Answer]:
        """Returns the answers of an earlier play of this game."""
        if not self._path.exists():
            return []
        try:
            lines = self._path.read_bytes().splitlines()[1:]
            return [msgspec.json.decode(line, type=Answer) for line in lines]
        except (ValueError, msgspec.DecodeError) as error:
            raise ChatError(f"{self._path} is no transcript ({error}): delete or move it") from None

    def _note(self, answer: Answer, move: Reply) -> None:
        """Counts an answer, and writes the transcript, unless the answer comes from there."""
        self.counters["illegal"] += bool(move.error)
        self.counters["tokens"] += answer.tokens
        self.counters["prompt_tokens"] += answer.prompt_tokens
        self.counters["answer_ms"] += round(1000 * answer.seconds)
        self._illegal += bool(move.error)
        self._problem = move.error
        if not self._kept:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lines = [msgspec.json.encode(self._settings), *map(msgspec.json.encode, self._played)]
            replace_file(self._path, b"\n".join(lines) + b"\n")
