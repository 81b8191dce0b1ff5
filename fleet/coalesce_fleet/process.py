# SPDX-License-Identifier: LGPL-2.1-or-later
"""Processes of this machine that do jobs. A job is a line of JSON on stdin; lines of JSON on stdout say what comes of it.

A process may do one job after another. It keeps what it has loaded, as a GPU's context, which takes seconds.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gst")
PACKAGES = "python3-gi gir1.2-gstreamer-1.0 gir1.2-gst-plugins-base-1.0"
MOVES = 1 << 20  # bytes that a process reads or writes if it works without reporting progress
# What an encoder process may do before another takes its place.
MOST_JOBS = 1000
MOST_GROWTH = 2 << 30  # bytes of memory more than after its first segment


class Failure(Exception):
    """`kind` is of the job protocol, or stalled, damaged, refused, verify, cancelled."""

    def __init__(self, kind: str, text: str):
        super().__init__(text)
        self.kind = kind


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


def script(name: str) -> list[str]:
    """The command of one of the GStreamer processes."""
    return [interpreter(), os.path.join(SCRIPTS, name + ".py")]


class Process:
    """`device`: the only GPU that it sees; None: those that this process sees. It ends with the thread that made it."""

    def __init__(self, command: list[str], device: str | None):
        environment = os.environ | ({} if device is None else {"CUDA_VISIBLE_DEVICES": device})
        self.name, self.said = os.path.basename(command[-1]), tempfile.TemporaryFile()
        self.jobs, self.frames, self.start = 0, 0, 0.0  # jobs done; of this one, pictures and seconds until the first
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said, env=environment,
                                      start_new_session=True)
        os.set_blocking(self.child.stdin.fileno(), False)

    def do(self, job: dict, stall: float) -> dict:
        """The `done` of a job. The process is killed if it has no progress, and reads and writes nothing, for `stall` seconds."""
        self.frames, self.start = 0, 0.0
        message = self._converse(json.dumps(job).encode() + b"\n", stall)
        if message is None:
            raise self._ended()
        if "error" in message:
            raise Failure(message["error"], message.get("text") or message["error"])
        self.jobs += 1
        self.said.seek(0)  # of the process too, which writes at the same place
        self.said.truncate()
        return message["done"]

    def _converse(self, unsent: bytes, stall: float) -> dict | None:
        """The message that ends the job; None if the process ends without one."""
        begun, moved, rest = time.monotonic(), self._moved(), b""
        deadline = begun + stall
        with selectors.DefaultSelector() as selector:
            selector.register(self.child.stdout, selectors.EVENT_READ)
            selector.register(self.child.stdin, selectors.EVENT_WRITE)
            while True:
                ready = [key.fileobj for key, _ in selector.select(max(0, deadline - time.monotonic()))]
                if not ready:
                    before, moved = moved, self._moved()
                    if moved - before < MOVES:
                        self.child.kill()
                        raise Failure("stalled", f"no progress for {stall:g} s after {self.frames} pictures: killed")
                    deadline = time.monotonic() + stall
                if self.child.stdin in ready:
                    unsent = self._send(unsent)
                    if not unsent:
                        selector.unregister(self.child.stdin)
                if self.child.stdout not in ready:
                    continue
                block = os.read(self.child.stdout.fileno(), 1 << 16)
                if not block:
                    return None
                *lines, rest = (rest + block).split(b"\n")
                for message in filter(None, map(_message, lines)):
                    if "done" in message or "error" in message:
                        return message
                    if message.get("progress", self.frames) != self.frames:
                        if self.frames == 0:
                            self.start = time.monotonic() - begun
                        self.frames, deadline = message["progress"], time.monotonic() + stall

    def _send(self, unsent: bytes) -> bytes:
        """What is left to send."""
        try:
            return unsent[os.write(self.child.stdin.fileno(), unsent):]
        except BrokenPipeError:  # its end is seen on stdout
            return b""

    def _ended(self) -> Failure:
        code = self.child.wait()
        self.said.seek(max(0, self.said.seek(0, os.SEEK_END) - 2000))
        last = self.said.read().decode(errors="replace").strip().splitlines()[-1:]
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return Failure("lost", f"{self.name} ended with {how}" + "".join(f": {line}" for line in last))

    def _moved(self) -> int:
        """Bytes that it has read and written."""
        try:
            with open(f"/proc/{self.child.pid}/io", encoding="ascii") as file:
                return sum(int(line.split()[1]) for line in file if line.startswith(("rchar", "wchar")))
        except OSError:
            return 0

    def memory(self) -> int:
        """Bytes."""
        try:
            with open(f"/proc/{self.child.pid}/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            return 0

    def is_alive(self) -> bool:
        return self.child.poll() is None

    def kill(self) -> None:
        """May be called by any thread."""
        self.child.kill()

    def end(self) -> None:
        self.child.kill()
        self.child.wait()
        for stream in (self.child.stdin, self.child.stdout, self.said):
            stream.close()


def _message(line: bytes) -> dict | None:
    """None: of a library that writes to stdout."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None


class Encoder:
    """The encoder process of a slot, which encodes one segment after another. Another takes its place after a failure,
    and after many segments or much growth."""

    def __init__(self, device: str | None):
        self.device, self.current, self.first = device, None, 0
        self.thread = concurrent.futures.ThreadPoolExecutor(1)  # of which the process is a child: it ends with it

    @contextlib.contextmanager
    def process(self, fresh: bool):
        """The process for one more segment. `fresh`: one that has done none."""
        if fresh or self.current and not self.current.is_alive():
            self.end()
        if self.current is None:
            self.current = self.thread.submit(Process, script("encode"), self.device).result()
        try:
            yield self.current
        except BaseException:
            self.end()
            raise
        memory = self.current.memory()
        if self.current.jobs == 1:
            self.first = memory
        if self.current.jobs >= MOST_JOBS or memory - self.first > MOST_GROWTH:
            self.end()

    def end(self) -> None:
        if self.current:
            self.current.end()
            self.current = None

    def close(self) -> None:
        """May be called by any thread, also while a segment is encoded."""
        process = self.current
        if process:
            process.kill()
