"""Stand-in of the HTTP interface of the Hugging Face hub, as its client `huggingface_hub` calls it."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

TOKEN = "hf_standin"

Files = dict[str, bytes]


@dataclass
class Repository:
    """A repository: its commits, its branches, and who may read it."""

    private: bool = False
    gated: bool = False
    commits: dict[str, Files] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)

    def commit(self, files: Files, branch: str = "main", message: str = "Change files") -> str:
        """Adds files to the newest commit of a branch; returns the hash of the new commit."""
        content = {**self.commits.get(self.branches.get(branch, ""), {}), **files}
        parts = [message, branch, str(len(self.commits)), *sorted(content)]
        commit = hashlib.sha1("\n".join(parts).encode()).hexdigest()
        self.commits[commit], self.branches[branch] = content, commit
        self.messages.append(message)
        return commit

    def find(self, revision: str) -> str | None:
        """Returns the commit of a branch, a commit or its beginning."""
        found = self.branches.get(revision)
        return found or next((each for each in self.commits if each.startswith(revision)), None)


class StandIn:
    """The state of the hub: its repositories by name, stored large files, and the requests that came.

    Attributes:
        sizes: sizes to tell of files in place of the real ones, by path.
        endpoint: address of the hub.
        storage: address of the large files, which is another host, as on the real hub.
    """

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.large: dict[str, bytes] = {}
        self.requests: list[str] = []
        self.sizes: dict[str, int] = {}
        self.endpoint = self.storage = ""

    def add(self, name: str, files: Files, **properties) -> str:
        """Adds a repository with a first commit; returns its hash."""
        self.repositories[name] = Repository(**properties)
        return self.repositories[name].commit(files)


def is_large(path: str) -> bool:
    """Returns whether the hub keeps a file outside of git, as it does with binary files."""
    return not path.endswith((".json", ".md"))


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    hub: StandIn
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.hub.requests.append(f"{self.command} {path}")
        parts = path.strip("/").split("/")
        if parts[0] == "stored":
            self._stored(parts[1])
        elif parts[:2] == ["api", "models"]:
            self._models("/".join(parts[2:4]), parts[4:])
        elif path == "/api/repos/create":
            self._create(json.loads(self.body))
        elif path == "/api/validate-yaml":
            text = json.loads(self.body)["content"]
            self._json({"errors": [], "warnings": []} if text.startswith("---\n") else {"errors": [{"message": "no"}]})
        elif path.endswith(".git/info/lfs/objects/batch"):
            self._batch()
        elif len(parts) > 4 and parts[2] == "resolve":
            self._resolve("/".join(parts[:2]), parts[3], "/".join(parts[4:]))
        else:
            self._error(404, "", "no such page")

    def _readable(self, name: str) -> Repository | None:
        repository = self.hub.repositories.get(name)
        if repository is None or (repository.private and not self._is_writer()):
            self._error(404 if self._is_writer() else 401, "RepoNotFound", "Repository not found")
        elif repository.gated:
            self._error(403, "GatedRepo", f"Access to model {name} is restricted")
        else:
            return repository
        return None

    def _is_writer(self) -> bool:
        return self.headers.get("Authorization") == f"Bearer {TOKEN}"

    def _models(self, name: str, rest: list[str]) -> None:
        if (repository := self._readable(name)) is None:
            return
        action, revision = rest[0] if rest else "revision", "/".join(rest[1:]) or "main"
        if action in ("branch", "preupload", "commit") and not self._is_writer():
            self._error(403, "", "Forbidden: you need the right to write")
        elif action == "branch":
            taken = revision in repository.branches
            repository.branches.setdefault(revision, repository.branches.get("main", ""))
            self._error(409, "", "exists") if taken else self._json({})
        elif action == "preupload":
            modes = {True: "lfs", False: "regular"}
            files = [each["path"] for each in json.loads(self.body)["files"]]
            self._json({"files": [{"path": p, "uploadMode": modes[is_large(p)], "shouldIgnore": False} for p in files]})
        elif action == "commit":
            self._commit(name, repository, revision)
        elif action == "tree":
            files = repository.commits[repository.find(revision) or ""]
            self._json([{"type": "file", "path": p, "size": len(files[p]), "oid": "0"} for p in files])
        else:
            self._info(name, repository, revision)

    def _info(self, name: str, repository: Repository, revision: str) -> None:
        commit = repository.find(revision)
        if commit is None and repository.commits:
            self._error(404, "RevisionNotFound", f"Invalid rev id: {revision}")
            return
        files = repository.commits.get(commit or "", {})
        siblings = [{"rfilename": p, "size": self.hub.sizes.get(p, len(content))} for p, content in files.items()]
        self._json({"_id": "0", "id": name, "modelId": name, "sha": commit, "private": repository.private,
                    "siblings": siblings, "tags": [], "downloads": 0, "likes": 0})  # fmt: skip

    def _resolve(self, name: str, revision: str, path: str) -> None:
        if (repository := self._readable(name)) is None:
            return
        commit = repository.find(revision)
        if commit is None:
            self._error(404, "RevisionNotFound", f"Invalid rev id: {revision}")
            return
        content = repository.commits[commit].get(path)
        if content is None:
            self._error(404, "EntryNotFound", "Entry not found", {"X-Repo-Commit": commit})
            return
        headers = {"X-Repo-Commit": commit}
        if not is_large(path):
            self._send(200, content, headers | {"ETag": f'"{hashlib.sha1(content).hexdigest()}"'})
            return
        digest = hashlib.sha256(content).hexdigest()
        self.hub.large[digest] = content
        linked = {"X-Linked-Size": str(len(content)), "X-Linked-ETag": f'"{digest}"'}
        self._send(302, b"", headers | linked | {"Location": f"{self.hub.storage}/stored/{digest}"})

    def _stored(self, digest: str) -> None:
        if self.command == "PUT":
            assert hashlib.sha256(self.body).hexdigest() == digest
            self.hub.large[digest] = self.body
            self._send(200, b"")
        elif self.command == "POST":
            self._send(200 if digest in self.hub.large else 404, b"")
        else:
            assert "Authorization" not in self.headers, "a token is sent to another host"
            self._send(200, self.hub.large[digest], {"ETag": f'"{digest}"'})

    def _create(self, wanted: dict) -> None:
        name = f"{wanted['organization']}/{wanted['name']}"
        if not self._is_writer():
            self._error(401, "", "Invalid username or password.")
        elif name in self.hub.repositories:
            content = {"error": "You already created this model repo", "url": f"{self.hub.endpoint}/{name}"}
            self._send(409, json.dumps(content).encode())
        else:
            private = bool(wanted.get("private")) or wanted.get("visibility") == "private"
            self.hub.add(name, {".gitattributes": b""}, private=private)
            self._json({"url": f"{self.hub.endpoint}/{name}"})

    def _batch(self) -> None:
        assert "basic" in json.loads(self.body)["transfers"]
        objects = []
        for each in json.loads(self.body)["objects"]:
            known = each["oid"] in self.hub.large
            places = {"upload": self.hub.storage, "verify": self.hub.endpoint}
            actions = {name: {"href": f"{place}/stored/{each['oid']}"} for name, place in places.items()}
            objects.append(each if known else {**each, "actions": actions})
        self._json({"transfer": "basic", "objects": objects})

    def _commit(self, name: str, repository: Repository, branch: str) -> None:
        files, message = {}, ""
        for line in self.body.splitlines():
            entry = json.loads(line)
            kind, value = entry["key"], entry["value"]
            if kind == "header":
                message = value["summary"]
            elif kind == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            else:
                assert kind == "lfsFile"
                files[value["path"]] = self.hub.large[value["oid"]]
        if branch not in repository.branches:
            self._error(404, "RevisionNotFound", f"Invalid rev id: {branch}")
            return
        commit = repository.commit(files, branch, message)
        self._json({"success": True, "commitOid": commit, "commitUrl": f"{self.hub.endpoint}/{name}/commit/{commit}"})

    def _json(self, content: dict | list) -> None:
        self._send(200, json.dumps(content).encode(), {"Content-Type": "application/json"})

    def _error(self, status: int, code: str, message: str, headers: dict[str, str] | None = None) -> None:
        told = {"X-Error-Message": message} | ({"X-Error-Code": code} if code else {})
        self._send(status, json.dumps({"error": message}).encode(), told | (headers or {}))

    def _send(self, status: int, content: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


@contextmanager
def running_hub() -> Iterator[StandIn]:
    """Runs a stand-in without repositories on a free port of this machine."""
    hub = StandIn()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"hub": hub}))
    server.daemon_threads = True
    hub.endpoint, hub.storage = (f"http://{host}:{server.server_address[1]}" for host in ("127.0.0.1", "localhost"))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def client_of(hub: StandIn, cache: Path, token: str | None = None) -> Iterator[pytest.MonkeyPatch]:
    """Lets the client in this process ask the stand-in, with a cache of its own; yields what may patch more of it."""
    from huggingface_hub import constants

    from baselines import hub as hub_cache

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(constants, "ENDPOINT", hub.endpoint)
        template = hub.endpoint + "/{repo_id}/resolve/{revision}/{filename}"
        patch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        patch.setattr(constants, "HF_HUB_CACHE", str(cache))
        patch.setattr(constants, "HF_TOKEN_PATH", str(cache / "token"))
        patch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        patch.delenv("HF_TOKEN", raising=False)
        if token is not None:
            patch.setenv("HF_TOKEN", token)
        hub_cache._resolve.cache_clear()
        yield patch
    hub_cache._resolve.cache_clear()


def client_offline(patch: pytest.MonkeyPatch) -> None:
    """Makes the client in this process behave as with HF_HUB_OFFLINE=1 from its start on."""
    from huggingface_hub import constants

    from baselines import hub as hub_cache

    patch.setattr(constants, "HF_HUB_OFFLINE", True)
    hub_cache._resolve.cache_clear()


def agent_files(folder: Path, seed: int = 0, channels: int = 4) -> Files:
    """Returns the files of a small agent without training, which it writes into a folder."""
    import torch

    from baselines.learned.agents import save_agent
    from baselines.learned.networks import BoardNetwork
    from baselines.learned.settings import NetworkSize

    torch.manual_seed(seed)
    size = NetworkSize(channels, 1)
    kept = {"win_rate": 0.6, "win_rates": {"4x5/2": 0.6}, "games": 50, "first_seed": 1 << 30, "steps": 1200}
    kept |= {"summary": "4x5/2 wins 60.0%"}
    facts = {"algo": "dqn", "trained_on": {"boards": ["4x5/2"], "first_click": "opening"}, "selected_by": kept}
    folder.mkdir(parents=True, exist_ok=True)
    save_agent(folder, BoardNetwork.of_size(size), size, facts)
    return {path.name: path.read_bytes() for path in folder.iterdir()}
