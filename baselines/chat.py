"""Policy that asks a language model for each click, through any server that speaks OpenAI's chat completions."""

import hashlib
import json
import os
import re
import time
import weakref
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from baselines import checks, files, policy
from baselines.transcripts import Answer, Transcripts
from minesweeper_env.config import BoardConfig, one_of, whole_number
from minesweeper_env.text import STYLES, board_text, replies, rules_text

KEY = "OPENAI_API_KEY"
"""The environment variable with the API key; a server without keys needs none."""

LEAST_KEY = 8
"""The smallest number of characters of a key that is kept secret."""

OPENAI = "https://api.openai.com/v1"
"""The default server."""


class ChatError(policy.PolicyError):
    """A chat server cannot be reached, refuses a request, or answers with something else than a chat completion."""


_CUT = (
    *("length", "max_tokens", "model_length", "max_output_tokens", "incomplete", "model_context_window_exceeded"),
    *("context_length_exceeded", "content_filter", "safety", "recitation", "sensitive", "refusal"),
)
"""The values of `finish_reason` for an answer that was cut, most often by a limit of tokens."""

_FAILED = ("error", "abort", "aborted", "network_error", "insufficient_system_resource")
"""The values of `finish_reason` for an answer that ended by a fault of the server."""

_THINKING = ("thinking", "thought", "reasoning")
"""The prefixes of `type` in content parts that hold thinking."""

_MOST_BYTES, _MOST_ERROR_BYTES = 1 << 23, 1 << 16
"""Size of the largest answer that is read, and of the largest error response, in bytes."""

_MALFORMED = (AttributeError, LookupError, TypeError, ValueError, RecursionError)
"""The exceptions that are raised while JSON that is no chat completion is read."""

_TOO_LONG = replies.Reply(None, "The reply was cut before its end: use fewer words.")


class ChatServer:
    """A chat server and the settings of its requests."""

    def __init__(self, model: str, url: str | None, timeout: float, retries: int, **request: Any) -> None:
        """Sends nothing. The API key comes from the environment variable `KEY` alone; `request` are request fields."""
        openai = checks.import_extra("openai", "chat")
        self._key = os.environ.get(KEY, "")
        if url is None and not self._key:
            raise ValueError(f"a policy chat without url asks OpenAI, which needs a key in the variable {KEY}")
        client, limits = _bounded_client(openai, timeout), {"timeout": timeout, "max_retries": retries}
        weakref.finalize(self, client.close)
        self._client = openai.OpenAI(api_key=self._key or "none", base_url=url or OPENAI, http_client=client, **limits)
        self._error_class, self._retries = openai.OpenAIError, retries
        self._request = {"model": model, **{name: value for name, value in request.items() if value is not None}}
        self._name = f"chat server {urlsplit(str(self._client.base_url)).netloc}, model {model}"

    def ask(self, messages: list[dict[str, str]]) -> Answer:
        """Returns the answer to a conversation; raises ChatError, in one line, after the last retry."""
        start = time.perf_counter()
        try:
            completion = self._complete(messages)
            choice, usage = completion["choices"][0], completion.get("usage")
            reply, thinking = map(self._cleaned, _texts(choice["message"]))
            usage = usage if isinstance(usage, dict) else {}
            prompt_tokens, tokens = (_count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens"))
            cut = str(choice.get("finish_reason")).lower() in _CUT
        except (self._error_class, *_MALFORMED) as error:
            problem = " ".join(self._cleaned(f"{type(error).__name__}: {error}").split())[:300]
            raise ChatError(f"{self._name}: no chat completion: {problem}") from None
        seconds = round(time.perf_counter() - start, 3)
        return Answer(messages[-1]["content"], reply, thinking, prompt_tokens, tokens, seconds, cut)

    def _complete(self, messages: list[dict[str, str]]) -> Any:
        """Returns the parsed JSON of the server's completion; retries errors that came with an HTTP status of success.

        The client itself retries errors with other statuses. Its response objects lack fields that some servers add.
        """
        create = self._client.chat.completions.with_streaming_response.create
        for attempt in range(self._retries + 1):
            with create(messages=messages, **self._request) as response:
                completion, problem, code = _read_answer(response)
            if not problem:
                break
            is_permanent = 400 <= code < 500 and code not in (408, 409, 429)
            if attempt == self._retries or is_permanent:
                raise ValueError(problem)
            time.sleep(min(8.0, 0.5 * 2**attempt))
        return completion

    def _cleaned(self, text: str | None) -> str:
        """Returns a text without the key, which a server may repeat, and without lone surrogates.

        A key of a few characters, such as the "1" of a local server, is no secret, and replacing it would spoil moves.
        """
        clean = str.encode(text or "", "utf-8", "replace").decode("utf-8")
        return clean.replace(self._key, "***") if len(self._key) >= LEAST_KEY else clean


def _bounded_client(openai: Any, timeout: float) -> Any:
    """Returns an HTTP client for openai that refuses answers which are too large or take more than `timeout` seconds.

    The default client allows `timeout` seconds for each chunk of an answer, and reads errors of any size.
    """
    # The HTTP library depends on the version of openai: take the library of its public client's base class.
    httpx = import_module(openai.DefaultHttpxClient.__base__.__module__.partition(".")[0])

    class Bounded(httpx.SyncByteStream):  # type: ignore[misc, name-defined]
        def __init__(self, stream: Any, is_error: bool) -> None:
            self._stream, self._is_error = stream, is_error

        def __iter__(self) -> Iterator[bytes]:
            deadline, limit = time.monotonic() + timeout, _MOST_ERROR_BYTES if self._is_error else _MOST_BYTES
            remaining = limit
            for chunk in self._stream:
                remaining -= len(chunk)
                if self._is_error and (remaining < 0 or time.monotonic() > deadline):
                    return  # The HTTP status of an error says enough.
                if remaining < 0:
                    raise ValueError(f"the server sent more than {limit} bytes")
                if time.monotonic() > deadline:
                    raise ValueError(f"the answer was not whole after {timeout:g} seconds")
                yield chunk

        def close(self) -> None:
            self._stream.close()

    def bound(response: Any) -> None:
        response.stream = Bounded(response.stream, response.is_error)

    return openai.DefaultHttpxClient(event_hooks={"response": [bound]})


def _read_answer(response: Any) -> tuple[Any, str, int]:
    """Reads a response as `_read_completion` does, with a problem if it breaks off or has more than `_MOST_BYTES`."""
    try:
        # `_bounded_client` limits the bytes that are received, which may be compressed.
        body = next(response.iter_bytes(_MOST_BYTES + 1), b"")
    except Exception as error:  # The HTTP library, and so its exceptions, depend on the version of openai.
        return None, f"the answer broke off: {error}", 0
    if len(body) > _MOST_BYTES:
        return None, f"the server sent more than {_MOST_BYTES} bytes", 0
    return _read_completion(body.decode("utf-8", "replace"))


def _read_completion(text: str) -> tuple[Any, str, int]:
    """Returns the parsed JSON of a server, its problem or "", and the code of its error or 0."""
    try:
        completion = json.loads(text)
        # Servers send an error in place of the completion, as its field, or as a field of the choice.
        error = completion.get("error") or (completion if completion.get("object") == "error" else None)
        choice = (completion.get("choices") or [{}])[0]
        error = error or choice.get("error")
        if not error and choice.get("message") and str(choice.get("finish_reason")).lower() not in _FAILED:
            return completion, "", 0
    except _MALFORMED:
        completion, error = None, None
    details = error if isinstance(error, dict) else {"message": error or f"the server sent {text[:200]}"}
    return completion, f"{details.get('code', '')} {details.get('message', details)}", _count(details.get("code"))


def _texts(message: dict[str, Any]) -> tuple[str, str]:
    """Returns the reply, with its tool calls, and the thinking of a message; its content may be a list of parts."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    thoughts = [part for part in parts if isinstance(part, dict) and str(part.get("type")).startswith(_THINKING)]
    functions = [call.get("function") for call in message.get("tool_calls") or []] + [message.get("function_call")]
    reply = _joined([part for part in parts if part not in thoughts])
    reply += "".join(replies.tool_call(str(call.get("name")), call.get("arguments")) for call in functions if call)
    return reply, _joined([message.get("reasoning_content") or message.get("reasoning"), *thoughts])


def _joined(part: Any) -> str:
    """Returns the concatenated texts of a content part, or of a list of parts; "" for a part without text."""
    if isinstance(part, dict):
        part = part.get("text") or part.get("thinking") or part.get("reasoning")
    return "".join(map(_joined, part)) if isinstance(part, list) else part if isinstance(part, str) else ""


def _count(value: Any) -> int:
    """Returns a number that a server sent as a whole number, at least 0; 0 for any other value."""
    try:
        return max(0, min(int(float(value)), 1 << 53))
    except (TypeError, ValueError, OverflowError):
        return 0


class ChatPolicy:
    """A language model that plays one game at a time; `baselines.transcripts` stores each answer of the server.

    The model sees the rules, the last exchanges, and the board. After an illegal reply, the model is told the error and
    asked again; `max_illegal` illegal replies give the game up. A reply cut by a limit of tokens is illegal.
    """

    batch_size = 1
    judged = may_resign = True

    def __init__(
        self,
        config: BoardConfig,
        model: str = "",
        url: str | None = None,
        style: str = "grid",
        history: int = 1,
        max_illegal: int = 5,
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float = 120.0,
        retries: int = 3,
        transcripts: str = "runs/chat",
        replay: bool = False,
    ) -> None:
        """Contacts no server.

        docs/how-to/language-models.md explains the options. Raises ValueError for a value that is not allowed.
        """
        if not isinstance(model, str) or not model:
            raise ValueError("the policy chat needs a model, as in chat:model=NAME,url=http://127.0.0.1:8000/v1")
        if config.radius != 1:
            raise ValueError("the policy chat plays boards of radius 1")
        parts = urlsplit(url or "https://")
        if parts.scheme not in ("http", "https") or "@" in parts.netloc or parts.query:
            raise ValueError("url must be http://HOST/... or https://HOST/..., without a user, a password or a key")
        self.config, self._style = config, one_of("style", style, STYLES)
        self._history = whole_number("history", history, 0)
        self._max_illegal = whole_number("max_illegal", max_illegal, 1)
        token_limit = "max_tokens" if url else "max_completion_tokens"
        request = {
            "temperature": None if temperature is None else checks.number_within("temperature", temperature, 0, 100),
            token_limit: None if max_tokens is None else whole_number("max_tokens", max_tokens, 1),
        }
        seconds, retries = checks.number_within("timeout", timeout, 0.001, 1e6), whole_number("retries", retries, 0)
        self._server = ChatServer(model, url, seconds, retries, **request)
        self._prompt = rules_text(config, style, max_illegal)
        settings = {"model": model, "url": url, "history": history, "prompt": self._prompt, **request}
        digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:8]
        model_name = re.sub(r"[^A-Za-z0-9.]+", "-", model)
        folder = Path(transcripts) / f"{model_name}-{digest}" / f"{files.file_name(config.name)}-{config.first_click}"
        self.transcripts = Transcripts(folder, settings, checks.whether("replay", replay))
        names = ("answers", "read", "cut", "illegal", "tokens", "prompt_tokens", "answer_ms")
        self.counters = dict.fromkeys(names, 0)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Begins the game of a seed; the seed names the game's transcript."""
        self._seed = seed
        self._stored: list[Answer] | None = None  # the rest of the transcript; None before it is read
        self._answers: list[Answer] = []
        self._illegal, self._problem = 0, ""

    @policy.checked_act
    def act(
        self,
        observations: NDArray[np.int8],
        action_masks: NDArray[np.int8],  # noqa: ARG002 - the board says which cells are covered
    ) -> NDArray[np.int64]:
        """Returns the click of the model on one board; see `baselines.policy.Policy`."""
        if len(observations) != 1:
            raise policy.PolicyError(f"chat plays one game at a time, not {len(observations)}")
        board = observations[0]
        while self._illegal < self._max_illegal:
            text = board_text(board, self.config.mines, self._style)
            answer = self._answer_to(f"{self._problem}\n\n{text}" if self._problem else text)
            move = _TOO_LONG if answer.cut else replies.parse_reply(answer.reply, board)
            self._count_answer(answer, move)
            if move.action is not None:
                return np.array([move.action])
        return np.array([policy.RESIGN])

    def _answer_to(self, observation: str) -> Answer:
        """Returns the answer to an observation from the transcript, or from the server."""
        if self._stored is None:
            self._stored = self.transcripts.read(self._seed)
        if self._stored and self._stored[0].observation == observation:
            self.counters["read"] += 1
            self._answers.append(self._stored.pop(0))
        else:
            # Once the stored game differs, for example by its first click, the rest of its answers is of no use.
            self._stored = []
            self._answers.append(self._server.ask(self._messages(observation)))
            self.transcripts.write(self._seed, self._answers)
        return self._answers[-1]

    def _messages(self, observation: str) -> list[dict[str, str]]:
        """Returns the conversation: the rules, the last exchanges without their thinking, and the observation."""
        messages = [{"role": "system", "content": self._prompt}]
        for answer in self._answers[-self._history :] if self._history else []:
            # Some servers refuse an empty message; a reply that is all thinking has an empty answer.
            reply = replies.answer_of(answer.reply)
            reply = reply if reply.strip() else "(no answer)"
            messages += [{"role": "user", "content": answer.observation}, {"role": "assistant", "content": reply}]
        return [*messages, {"role": "user", "content": observation}]

    def _count_answer(self, answer: Answer, move: replies.Reply) -> None:
        """Adds an answer to the counters; the error of an illegal move is told to the model with the next board."""
        counts = {"answers": 1, "cut": answer.cut, "illegal": bool(move.error), "tokens": answer.tokens}
        counts |= {"prompt_tokens": answer.prompt_tokens, "answer_ms": round(1000 * answer.seconds)}
        for name, count in counts.items():
            self.counters[name] += count
        self._illegal += bool(move.error)
        self._problem = move.error
