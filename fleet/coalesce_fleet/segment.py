# SPDX-License-Identifier: LGPL-2.1-or-later
"""One task of the fleet on the machine that does it: plan an item, encode a segment, or finish an output.

Each runs in processes, which are watched. A task returns less than 1 KB; pictures are only in files.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import socket
import sys
import threading
import time

from . import prepare
from .journal import fsync_folder
from .plan import join_job, verify_job
from .probe import Options
from .process import Encoder, Failure, Process, script

LONGEST = 600  # characters of an error's text
SUMS = "SHA256SUMS"


def os_kind(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "disk-full"
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return "read-only"
    return "lost"


class Task:
    """Runs one task; cancel() and `frames` may be used by other threads. `encoder`: of the slot."""

    def __init__(self, task: dict, encoder: Encoder):
        self.task, self.encoder = task, encoder
        self.settings = task["settings"]
        self.process, self.cancelled, self.guard = None, False, threading.Lock()
        self.before = 0  # segments that the encoder process had done

    @property
    def frames(self) -> int:
        """Pictures that the process has encoded so far."""
        return self.process.frames if self.process else 0

    def cancel(self) -> None:
        with self.guard:
            self.cancelled = True
            if self.process:
                self.process.kill()

    def run(self) -> dict:
        started = time.monotonic()
        try:
            result = getattr(self, "_" + self.task["kind"])()
        except Failure as failure:
            result = {"error": failure.kind, "text": str(failure)[:LONGEST], "before": self.before}
        except OSError as error:
            result = {"error": os_kind(error), "text": str(error)[:LONGEST]}
        except Exception as error:  # a task never ends its worker
            result = {"error": "lost", "text": f"{type(error).__name__}: {error}"[:LONGEST]}
        if self.cancelled and "error" in result:
            result["error"] = "cancelled"
        return {**result, "seconds": round(time.monotonic() - started, 3)}

    # The tasks

    def _prepare(self) -> dict:
        job = {key: self.task[key] for key in ("name", "path", "framerate", "work")}
        about = self._gst("about", {"pipeline": self.settings["pipeline"]})
        return self._process([sys.executable, "-m", "coalesce_fleet.prepare"], {**job, **self.settings, **about})

    def _segment(self) -> dict:
        work, container = self.task["work"], self.settings["container"]
        job = prepare.read(work, self.task["number"])
        data, index = prepare.paths(work, self.task["number"], container)
        job["out"], job["index"] = self._temporary(), self._temporary()
        try:
            with self.encoder.process(self.task["fresh"]) as process:
                self.before = process.jobs
                done = self._do(process, job)
                if done["count"] != job["count"]:
                    raise Failure("lost", f"{done['count']} pictures came of {job['count']}")
            # A worker on another machine may have done the same: the bytes are the same.
            if os.path.isdir(data):
                prepare.remove(index)
                prepare.remove(data)
            os.rename(job["out"], data)
            fsync_folder(work)
            os.rename(job["index"], index)
            fsync_folder(work)
        finally:
            prepare.remove(job["out"])
            prepare.remove(job["index"])
        return {**{key: done[key] for key in ("count", "bytes", "sha256")}, "start": round(process.start, 3),
                "before": self.before}

    def _finish(self) -> dict:
        """Joins, verifies and publishes; or only verifies what is published."""
        work, container, out = self.task["work"], self.settings["container"], self.task["out"]
        head, found = prepare.header(work)
        if self.task["published"]:
            return {"frames": head["frames"], "verified": self._verify(found, out), **self._digest(out)}
        pairs = [prepare.paths(work, number, container) for number in range(head["segments"])]
        name = self._temporary()
        result = {"frames": head["frames"], "made_by": head["made_by"]}
        try:
            if container == "jp2":
                self._compare_all(pairs)
                self._stills(pairs, name)
                result.update(self._digest(name))
            else:
                joined = self._join(found, pairs, name)
                result.update({key: joined[key] for key in ("bytes", "sha256")})
                if joined["notes"]:
                    result["notes"] = [["sound", "; ".join(joined["notes"])[:400]]]
            if self.settings["verify"]:
                result["verified"] = self._verify(found, name)
            self._publish(name, out)
        finally:
            prepare.remove(name)
        return result

    def _join(self, found, pairs: list[tuple[str, str]], name: str) -> dict:
        options = Options(self.settings["no_audio"], self.settings["no_timecode"])
        named = os.fsencode(self.task["name"]).decode("utf-8", "backslashreplace")
        try:
            return self._gst("join", join_job(found, self.settings["container"], pairs, name, options, named))
        except Failure as failure:
            if failure.kind in ("lost", "pipeline"):  # segments that changed are one of the reasons
                self._compare_all(pairs)
            raise

    def _compare_all(self, pairs: list[tuple[str, str]]) -> None:
        damaged = [str(number) for number, pair in enumerate(pairs) if not self._compare(*pair)]
        if damaged:
            raise Failure("damaged", ",".join(damaged[:80]))  # those that are left are found next time

    def _verify(self, found, path: str) -> dict:
        try:
            checked = self._gst("verify", verify_job(found, self.settings["pipeline"], self.settings["container"], path,
                                                     self.settings["min_psnr"]))
        except Failure as failure:
            raise Failure(failure.kind, str(failure).replace(path, self.task["out"])) from failure
        return {key: value for key, value in checked.items() if isinstance(value, (int, float, bool))}

    def _compare(self, data: str, index: str) -> bool:
        """Whether the bytes of a segment are those that its encoder wrote."""
        try:
            with open(index, encoding="utf-8") as file:
                entry = json.load(file)
            digest = hashlib.sha256()
            for path in [os.path.join(data, still) for still in _stills(data)] if os.path.isdir(data) else [data]:
                self._add(digest, path)
            if digest.hexdigest() == entry["sha256"]:
                return True
        except (FileNotFoundError, ValueError, KeyError):
            pass
        prepare.remove(index)
        return False

    def _add(self, digest, path: str) -> None:
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
                if self.cancelled:
                    raise Failure("cancelled", "cancelled")

    def _stills(self, pairs: list[tuple[str, str]], folder: str) -> None:
        os.mkdir(folder)
        sums = []
        for data, _ in pairs:
            for still in _stills(data):
                digest = hashlib.sha256()
                self._add(digest, os.path.join(data, still))
                sums.append(f"{digest.hexdigest()}  {still}\n")
                _link(os.path.join(data, still), os.path.join(folder, still))
        with open(os.path.join(folder, SUMS), "w", encoding="utf-8") as file:
            file.writelines(sums)
            file.flush()
            os.fsync(file.fileno())
        fsync_folder(folder)

    def _digest(self, path: str) -> dict:
        """Of an output; that of stills is of their list."""
        digest, listed, size = hashlib.sha256(), path, 0
        if os.path.isdir(path):
            listed = os.path.join(path, SUMS)
            size = sum(entry.stat().st_size for entry in os.scandir(path) if entry.name != SUMS)
        self._add(digest, listed)
        return {"bytes": size or os.path.getsize(path), "sha256": digest.hexdigest()}

    def _publish(self, name: str, out: str) -> None:
        os.makedirs(os.path.dirname(out), exist_ok=True)
        if os.path.isdir(name) and os.path.isdir(out):
            before = self._temporary()
            os.rename(out, before)
            os.rename(name, out)
            prepare.remove(before)
        else:
            os.replace(name, out)
        fsync_folder(os.path.dirname(out))

    def _temporary(self) -> str:
        return os.path.join(self.task["work"], f"tmp-{socket.gethostname()}-{os.getpid()}-{os.urandom(6).hex()}")

    # Processes

    def _gst(self, name: str, job: dict) -> dict:
        return self._process(script(name), job)

    def _process(self, command: list[str], job: dict) -> dict:
        """What a process does that is of this job only."""
        process = Process(command, self.encoder.device)
        try:
            return self._do(process, job)
        finally:
            process.end()

    def _do(self, process: Process, job: dict) -> dict:
        with self.guard:
            if self.cancelled:
                raise Failure("cancelled", "cancelled")
            self.process = process
        return process.do(job, self.settings["stall"])


def _stills(folder: str) -> list[str]:
    """By their numbers, which have more than six digits in long items."""
    return sorted(os.listdir(folder), key=lambda name: (len(name), name))


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without hard links
        shutil.copyfile(source, target)
        with open(target, "rb") as file:
            os.fsync(file.fileno())
