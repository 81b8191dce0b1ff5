# SPDX-License-Identifier: LGPL-2.1-or-later
"""What happened, on disk: JSON lines that are only ever appended, by one driver at a time.

The files say what is whole, since they appear by rename; the journal says which job they belong to.
"""

from __future__ import annotations

import dataclasses
import errno
import fcntl
import json
import os
import socket

from .inputs import STATE


class Locked(Exception):
    """Another driver works on the same directory."""


@dataclasses.dataclass
class Record:
    """The last state of one output: its `done` or `failed` line, and the job that was planned last."""

    done: dict | None = None
    failed: dict | None = None
    planned: dict | None = None
    owned: bool = False
    segments: int = 0


def replay(lines) -> tuple[dict[str, Record], int]:
    """The state by output, and how many lines were damaged."""
    records, damaged = {}, 0
    for line in lines:
        try:
            entry = json.loads(line)
            kind, name = entry["what"], entry.get("output")
        except (ValueError, KeyError, TypeError, AttributeError):
            damaged += 1
            continue
        if name is None:
            continue
        record = records.setdefault(name, Record())
        if kind == "planned":
            record.planned, record.failed, record.segments = entry, None, entry.get("kept", 0)
        elif kind == "segment":
            record.segments += 1
        elif kind == "joining":
            record.owned = True
        elif kind == "done":
            record.done, record.failed = entry, None
        elif kind == "failed":
            record.failed = entry
            if entry.get("void"):
                record.done = None
    return records, damaged


def read(to: str) -> tuple[dict[str, Record], int]:
    """The state in DIR, as far as it is written: without the lock, for `status`."""
    with open(os.path.join(to, STATE, "journal.jsonl"), "rb") as file:
        lines = file.read().split(b"\n")
    return replay(lines[:-1])


def fsync_folder(path: str) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Journal:
    """Holds the lock of DIR while it is open."""

    def __init__(self, to: str):
        self.folder = os.path.join(os.path.abspath(to), STATE)  # the same for workers elsewhere
        self.locked = False
        os.makedirs(self.folder, exist_ok=True)
        self.lock = os.open(os.path.join(self.folder, "lock"), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            self._lock(to)
            self.file = os.open(os.path.join(self.folder, "journal.jsonl"), os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except BaseException:
            os.close(self.lock)
            raise
        with open(os.dup(self.file), "rb") as file:
            content = file.read()
        whole = content.rfind(b"\n") + 1
        if whole != len(content):  # the line that a dying driver was writing
            os.ftruncate(self.file, whole)
        self.fresh = whole == 0
        self.records, self.damaged = replay(content[:whole].split(b"\n")[:-1])
        self.pending = []
        fsync_folder(self.folder)

    def _lock(self, to: str) -> None:
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(self.lock, 200, 0).decode(errors="replace").strip() or "unknown"
            raise Locked(f"{to}: another coalesce-fleet works on it: {holder}") from None
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS):
                raise
            return  # a file system without locks
        self.locked = True
        os.ftruncate(self.lock, 0)
        os.pwrite(self.lock, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)

    def record(self, output: str) -> Record:
        return self.records.setdefault(output, Record())

    def add(self, what: str, **fields) -> None:
        """A line that is on disk after the next commit()."""
        self.pending.append(json.dumps({"what": what, **fields}) + "\n")

    def commit(self) -> None:
        if not self.pending:
            return
        start = os.fstat(self.file).st_size
        data = "".join(self.pending).encode()
        try:
            written = 0
            while written < len(data):
                written += os.write(self.file, data[written:])
            os.fsync(self.file)
        except OSError:
            os.ftruncate(self.file, start)  # no half line, so that the lines after it stay whole
            raise
        self.pending = []

    def close(self) -> None:
        os.close(self.file)
        os.close(self.lock)
