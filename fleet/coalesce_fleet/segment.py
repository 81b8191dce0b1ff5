# SPDX-License-Identifier: LGPL-2.1-or-later
"""One task of the fleet on the machine that does it: plan an item, encode a segment, or finish an output.

Each runs in processes of their own, which are watched. A task returns less than 1 KB; pictures are only in files.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from . import prepare
from .journal import fsync_folder
from .plan import join_job, verify_job
from .probe import Options

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gst")
PACKAGES = "python3-gi gir1.2-gstreamer-1.0 gir1.2-gst-plugins-base-1.0"
LONGEST = 600  # characters of an error's text
SUMS = "SHA256SUMS"
MOVES = 1 << 20  # bytes that a process reads or writes if it works without reporting progress


class Failure(Exception):
    """`kind` is of the job protocol, or stalled, damaged, refused, verify, cancelled."""

    def __init__(self, kind: str, text: str):
        super().__init__(text)
        self.kind = kind


def os_kind(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "disk-full"
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return "read-only"
    return "lost"


_interpreter = None


def interpreter() -> str:
    """The Python that has GStreamer's bindings."""
    global _interpreter
    if _interpreter is None:
        chosen = os.environ.get("COALESCE_FLEET_PYTHON")
        for python in [chosen] if chosen else [sys.executable, "/usr/bin/python3"]:
            try:
                tried = subprocess.run([python, "-c", "import gi; gi.require_version('Gst', '1.0'); "
                                        "from gi.repository import Gst"], capture_output=True, text=True)
            except OSError as error:
                raise Failure("missing-element", f"{python}: {error.strerror}") from error
            if tried.returncode == 0:
                _interpreter = python
                break
        else:
            raise Failure("missing-element", f"no Python with GStreamer's bindings on {socket.gethostname()}: install "
                          f"{PACKAGES} (Debian, Ubuntu), or name one in COALESCE_FLEET_PYTHON")
    return _interpreter


class Task:
    """Runs one task; cancel() and `frames` may be used by other threads."""

    def __init__(self, task: dict, device: str | None = None):
        self.task, self.device = task, device
        self.settings = task["settings"]
        self.frames, self.start = 0, 0.0  # of the process: pictures so far, seconds until the first
        self.process, self.cancelled, self.guard = None, False, threading.Lock()

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
            result = {"error": failure.kind, "text": str(failure)[:LONGEST]}
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
            done = self._gst("encode", job)
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
        return {**{key: done[key] for key in ("count", "bytes", "sha256")}, "start": round(self.start, 3)}

    def _finish(self) -> dict:
        """Joins, verifies and publishes; or only verifies what is published."""
        work, container, out = self.task["work"], self.settings["container"], self.task["out"]
        head, found = prepare.header(work)
        if self.task["published"]:
            return {"frames": head["frames"], "verified": self._verify(found, out), **self._digest(out, container)}
        pairs = [prepare.paths(work, number, container) for number in range(head["segments"])]
        name = self._temporary()
        result = {"frames": head["frames"], "made_by": head["made_by"]}
        try:
            if container == "jp2":
                self._compare_all(pairs)
                self._stills(pairs, name)
            else:
                notes = self._join(found, pairs, name)
                if notes:
                    result["notes"] = [["sound", "; ".join(notes)[:400]]]
            if self.settings["verify"]:
                result["verified"] = self._verify(found, name)
            result.update(self._digest(name, container))
            self._publish(name, out)
        finally:
            prepare.remove(name)
        return result

    def _join(self, found, pairs: list[tuple[str, str]], name: str) -> list[str]:
        options = Options(self.settings["no_audio"], self.settings["no_timecode"])
        named = os.fsencode(self.task["name"]).decode("utf-8", "backslashreplace")
        try:
            return self._gst("join", join_job(found, self.settings["container"], pairs, name, options, named)).get("notes", [])
        except Failure as failure:
            if failure.kind == "lost":  # segments that changed are one of the reasons
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

    def _digest(self, name: str, container: str) -> dict:
        digest, listed = hashlib.sha256(), name
        if container == "jp2":
            listed = os.path.join(name, SUMS)
            size = sum(entry.stat().st_size for entry in os.scandir(name) if entry.name != SUMS)
        else:
            size = os.path.getsize(name)
            with open(name, "rb") as file:
                os.fsync(file.fileno())
        self._add(digest, listed)
        return {"bytes": size, "sha256": digest.hexdigest()}

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

    def _gst(self, script: str, job: dict) -> dict:
        return self._process([interpreter(), os.path.join(SCRIPTS, script + ".py")], job)

    def _process(self, command: list[str], job: dict) -> dict:
        """The `done` of a process. It is killed if it has no progress, and reads and writes nothing, for `stall` seconds."""
        environment = dict(os.environ)
        if self.device is not None:  # the only GPU that the process sees
            environment["CUDA_VISIBLE_DEVICES"] = self.device
        with tempfile.TemporaryFile() as said, open(os.memfd_create("job"), "w+b") as asked:
            asked.write(json.dumps(job).encode())
            asked.seek(0)
            with self.guard:
                if self.cancelled:
                    raise Failure("cancelled", "cancelled")
                self.process = subprocess.Popen(command, stdin=asked, stdout=subprocess.PIPE, stderr=said,
                                                env=environment, start_new_session=True)
            try:
                messages = self._listen(self.process.stdout, self.settings["stall"])
                code = self.process.wait()
            finally:
                self.process.kill()
                self.process.wait()
                self.process.stdout.close()
            said.seek(max(0, said.seek(0, os.SEEK_END) - 2000))
            last = said.read().decode(errors="replace").strip().splitlines()[-1:]
        if messages and "error" in messages:
            raise Failure(messages["error"], messages.get("text") or messages["error"])
        if code or "done" not in messages:
            name = os.path.basename(command[-1])
            how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
            raise Failure("lost", f"{name} ended with {how}" + "".join(f": {line}" for line in last))
        return messages["done"]

    def _listen(self, stream, stall: float) -> dict:
        """The last message that is no progress."""
        self.frames, last, rest = 0, {}, b""
        begun, moved = time.monotonic(), _moved(self.process.pid)
        deadline = begun + stall
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            while True:
                if not selector.select(max(0, deadline - time.monotonic())):
                    before, moved = moved, _moved(self.process.pid)
                    if moved - before >= MOVES:
                        deadline = time.monotonic() + stall
                        continue
                    self.process.kill()
                    raise Failure("stalled", f"no progress for {stall:g} s after {self.frames} pictures: killed")
                block = os.read(stream.fileno(), 1 << 16)
                if not block:
                    return last
                *lines, rest = (rest + block).split(b"\n")
                for line in lines:
                    try:
                        message = json.loads(line)
                    except ValueError:
                        continue  # a library that writes to stdout
                    if not isinstance(message, dict):
                        continue
                    if "progress" in message:
                        if message["progress"] != self.frames:
                            if self.frames == 0:
                                self.start = time.monotonic() - begun
                            self.frames, deadline = message["progress"], time.monotonic() + stall
                    elif "done" in message or "error" in message:
                        last = message
                        deadline = time.monotonic() + stall


def _moved(process: int) -> int:
    """Bytes that a process has read and written."""
    try:
        with open(f"/proc/{process}/io", encoding="ascii") as file:
            return sum(int(line.split()[1]) for line in file if line.startswith(("rchar", "wchar")))
    except OSError:
        return 0


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
