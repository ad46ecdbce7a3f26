"""Result files: atomic replacement, links and devices, temporary files, and the lock of a folder."""

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from unittest.mock import Mock

import pytest
from support.processes import full_disk

from baselines.files import check_writable, hold_folder, is_empty, read_bounded, replace_file

WRITE = "from pathlib import Path; from baselines.files import replace_file; "


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "results.json", tmp_path / "link.json"
    link.symlink_to("there/results.json")
    for content in (b"one", b"two"):
        check_writable(link)
        replace_file(link, content, follow=True)
        assert link.is_symlink()
        assert target.read_bytes() == content
    assert names(tmp_path / "there") == ["results.json"]


def test_a_file_that_its_user_protects_cannot_be_written(tmp_path, monkeypatch):
    path = tmp_path / "results.json"
    path.write_bytes(b"one")
    path.chmod(0o444)
    # The superuser may write everything.
    monkeypatch.setattr(os, "access", lambda each, _: bool(os.stat(each).st_mode & stat.S_IWUSR))
    with pytest.raises(ValueError, match="cannot be written"):
        check_writable(path)


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="a folder of users below /dev")
def test_a_link_to_a_file_below_dev_is_no_open_file():
    with TemporaryDirectory(dir="/dev/shm") as folder:
        link = Path(folder, "link")
        link.symlink_to("results.json")
        for content in (b"one", b"two"):
            replace_file(link, content, follow=True)
            assert link.read_bytes() == content


def test_a_link_that_the_user_did_not_choose_is_replaced(tmp_path):
    (tmp_path / "victim").write_bytes(b"one")
    for target in ("victim", "nothing", "link", "/dev/null", "/dev/stdout"):
        link = tmp_path / "link"
        link.symlink_to(target)
        replace_file(link, b"two")
        assert not link.is_symlink()
        assert link.read_bytes() == b"two"
        link.unlink()
    assert (tmp_path / "victim").read_bytes() == b"one"
    assert names(tmp_path) == ["victim"]


def test_a_device_and_a_pipe_are_written_in_place(tmp_path):
    pipe, received = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    before = os.stat("/dev/null")
    for path in (Path("/dev/null"), pipe):
        check_writable(path)
        replace_file(path, b"content", follow=True)
    reader.join(10)
    with pytest.raises(OSError, match="named pipe"):
        read_bounded(pipe)
    assert received == [b"content"]
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    after = os.stat("/dev/null")
    assert (after.st_mode, after.st_ino, after.st_rdev) == (before.st_mode, before.st_ino, before.st_rdev)


@pytest.mark.parametrize("name", ["/dev/stdout", *(["/proc/self/fd/1"] if sys.platform == "linux" else [])])
def test_an_open_file_of_the_process_is_appended_to(tmp_path, name):
    out = tmp_path / "out.txt"
    code = WRITE + f"print('table', flush=True); replace_file(Path({name!r}), b'json\\n', follow=True)"
    with out.open("wb") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert out.read_bytes() == b"table\njson\n"


def test_a_replaced_file_keeps_its_permissions_and_a_new_one_follows_the_mask_of_the_process(tmp_path):
    private, new = tmp_path / "private", tmp_path / "new"
    private.touch()
    private.chmod(0o600)
    mask = os.umask(0o027)
    try:
        replace_file(private, b"content")
        replace_file(new, b"content")
    finally:
        os.umask(mask)
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert stat.S_IMODE(new.stat().st_mode) == 0o640


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_fails_keeps_the_old_content_and_leaves_nothing(tmp_path, monkeypatch, error):
    path = tmp_path / "results.json"
    replace_file(path, b"before")
    monkeypatch.setattr(os, "fsync", Mock(side_effect=error))
    with pytest.raises(type(error)):
        replace_file(path, b"after")
    assert path.read_bytes() == b"before"
    assert names(tmp_path) == ["results.json"]


def test_a_file_that_the_disk_cannot_hold_leaves_nothing(tmp_path):
    """The system refuses to write again when the file is closed."""
    with full_disk(10):
        with pytest.raises(OSError, match=r"results\.json"):
            replace_file(tmp_path / "results.json", b"content" * 10)
        with TemporaryFile() as file, pytest.raises(OSError, match="/dev/fd"):
            replace_file(Path(f"/dev/fd/{file.fileno()}"), b"content" * 10, follow=True)
    assert names(tmp_path) == []


def killed_while_writing(folder, name="run.json"):
    """Kills a process in the middle of its first write into a folder."""
    code = f"import os, signal; os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL); {WRITE}"
    code += f"replace_file(Path({str(folder / name)!r}), b'content')"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL


def test_only_the_holder_of_the_lock_sweeps_what_killed_writes_left_and_no_file_of_anyone_else(tmp_path):
    folder, theirs = tmp_path / "run", tmp_path / "theirs"
    for each in (folder / "games", folder / "locked", folder / "deep" / "er", theirs):
        each.mkdir(parents=True)
        killed_while_writing(each, "00000000.npz")
    assert is_empty(folder / "games")
    assert not is_empty(folder)
    (left,) = names(theirs)
    own = [".draft.2024.tmp", ".notes.tmp", ".run.json.0123456789abcdef.tmp", left.removeprefix(".")]
    for name in own:
        (folder / name).touch()
    (folder / "link").symlink_to(theirs)
    killed_while_writing(folder)
    with hold_folder(folder), pytest.raises(BlockingIOError, match="another process is writing"), hold_folder(folder):
        pass
    assert len(names(folder / "games")) == 1
    with hold_folder(folder / "locked"), hold_folder(folder) as sweep:
        sweep(1)
    assert names(folder) == sorted([*own, "deep", "games", "link", "locked"])
    assert [len(names(folder / each)) for each in ("games", "locked", "deep/er", "link")] == [0, 1, 1, 1]
    with hold_folder(folder) as sweep:
        sweep(2)
    assert names(folder / "deep" / "er") == []


def test_a_folder_that_cannot_be_locked_keeps_what_another_process_may_be_writing(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    killed_while_writing(tmp_path)
    left = names(tmp_path)
    monkeypatch.setattr(fcntl, "flock", Mock(side_effect=OSError(errno.ENOLCK, "No locks available")))
    with hold_folder(tmp_path) as sweep:
        sweep(1)
    assert names(tmp_path) == left


def test_the_lock_of_a_folder_that_was_replaced_meanwhile_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "run"
    folder.mkdir()
    opened = os.open

    def open_and_replace(path, *arguments):
        handle = opened(path, *arguments)
        folder.rmdir()
        folder.mkdir()
        return handle

    monkeypatch.setattr(os, "open", open_and_replace)
    with pytest.raises(FileNotFoundError, match="another process has replaced it"), hold_folder(folder):
        pass
