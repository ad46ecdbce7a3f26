"""Errors of the client of the Hugging Face hub, in one line each."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

from baselines.hub.names import HubName, is_hub_name
from baselines.support.extras import import_extra
from baselines.support.files import first_line

LOG_IN = "log in with: hf auth login"
_NETWORK = {"httpx", "httpx2", "httpcore", "httpcore2", "requests", "urllib3"}
"""The packages whose errors mean that the hub was not reached; the client's versions use different ones."""


class HubError(ValueError):
    """An agent of the hub cannot be taken or sent; the message is one line."""


class UnreachableHubError(HubError):
    """The hub cannot be reached, or the client is told to stay offline.

    Attributes:
        reason: which of the two.
    """

    def __init__(self, name: HubName, consequence: str, reason: str) -> None:
        """Composes the message."""
        super().__init__(f"{name} {consequence} {reason}")
        self.reason = reason


def client() -> Any:
    """Returns the module `huggingface_hub`.

    Raises:
        MissingExtraError: it is not installed.
    """
    return import_extra("huggingface_hub", "hub")


@contextmanager
def one_line(name: HubName, consequence: str = "is not in the cache, and") -> Generator[None]:
    """Turns the errors of the client within the block into a `HubError`.

    Args:
        name: the agent that the block takes or sends.
        consequence: what follows for the agent where the hub is not reached.

    Raises:
        HubError: the client failed; the message says what to do where that is known.
    """
    try:
        yield
    except HubError:
        raise
    except Exception as error:
        converted = _converted(error, name, consequence)
        if converted is None:
            raise
        raise converted from error


def _converted(error: Exception, name: HubName, consequence: str) -> HubError | None:
    """Returns the error in one line; None for an error that is not of the client."""
    errors = import_extra("huggingface_hub.errors", "hub")
    place = import_extra("huggingface_hub.constants", "hub").ENDPOINT
    offline = (errors.OfflineModeIsEnabled, errors.LocalEntryNotFoundError, ConnectionError, TimeoutError)
    if isinstance(error, errors.GatedRepoError):
        return HubError(f"{name.repository} is gated: ask for access at {place}/{name.repository}, and {LOG_IN}")
    if isinstance(error, errors.RepositoryNotFoundError):
        return HubError(f"{place} has no repository {name.repository}, or a private one; for a private one, {LOG_IN}")
    if isinstance(error, errors.RevisionNotFoundError):
        return HubError(f"{name.repository} has no revision {name.revision!r} on {place}")
    if isinstance(error, errors.HfHubHTTPError):
        return HubError(_refusal(error, place, name))
    if isinstance(error, offline) or type(error).__module__.partition(".")[0] in _NETWORK:
        return UnreachableHubError(name, consequence, _why_offline(errors, error, place))
    if isinstance(error, RuntimeError) and isinstance(error.__cause__, Exception):
        # The client wraps the error of an upload, which says more.
        return _converted(error.__cause__, name, consequence) or HubError(f"{name}: {first_line(error.__cause__)}")
    if isinstance(error, (errors.HFValidationError, OSError, ValueError, RuntimeError)):
        return HubError(f"{name}: {first_line(error)}")
    return None


def _refusal(error: Any, place: str, name: HubName) -> str:
    """Returns what an answer of the hub means, by its status."""
    status = error.response.status_code
    said = " ".join((error.server_message or "").split())
    known = {401: f"asks who you are; {LOG_IN}", 403: "does not allow that with your token"}
    known |= {429: "got too many requests; try again later"}
    meaning = known.get(status, f"answered with status {status}")
    return f"{place} {meaning} ({name.repository}{': ' if said else ''}{said})"


def _why_offline(errors: Any, error: Exception, place: str) -> str:
    if isinstance(error, errors.OfflineModeIsEnabled):
        return "HF_HUB_OFFLINE keeps the client from asking the hub"
    return f"{place} cannot be reached"


def naming(name: str, folder: Path, call: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a callable whose errors name an agent of the hub, where those of `call` name its folder in the cache.

    Args:
        name: name of the agent; with any other name, `call` itself is returned.
        folder: its folder in the cache of the client.
        call: raises ValueErrors with paths of files in the folder.
    """
    if not is_hub_name(name):
        return call

    @wraps(call)
    def renaming(*arguments: Any, **options: Any) -> Any:
        try:
            return call(*arguments, **options)
        except ValueError as error:
            raise ValueError(str(error).replace(str(folder), name)) from error

    return renaming
