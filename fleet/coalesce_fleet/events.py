# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a person or a program sees of a run: JSON lines, plain lines, or a live display."""

from __future__ import annotations

import collections
import json
import os
import sys
import time

from rich.console import Console
from rich.live import Live
from rich.table import Table

PLAIN_PAUSE = 30.0  # seconds between lines of progress without a terminal


def duration(seconds: float) -> str:
    seconds = int(seconds)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


class Events:
    """Counts, and shows plain lines. `as_json`: JSON lines on `stream` instead."""

    def __init__(self, as_json: bool = False, stream=None):
        self.as_json, self.stream = as_json, stream
        self.items, self.done, self.kept, self.failed = 0, 0, 0, 0
        self.frames, self.bytes, self.retries = 0, 0, 0
        self.size, self.size_done, self.size_before = 0, 0.0, 0.0
        self.by_device: collections.Counter = collections.Counter()
        self.failures: list[tuple[str, str]] = []
        self.started = self.shown = time.monotonic()
        self.current = 0

    # What the engine reports

    def start(self, items: int, size: int, executor: str, settings, damaged: int) -> None:
        self.items, self.size = items, size
        self.started = self.shown = time.monotonic()
        self.emit("start", f"{items} items, {size / 1e9:.3f} GB, on {executor}: {settings.pipeline} in "
                  f"{settings.container}", items=items, bytes=size, executor=executor, pipeline=settings.pipeline,
                  container=settings.container)
        if damaged:
            self.emit("note", f"the journal has {damaged} damaged lines, which are ignored", about="journal",
                      text=f"{damaged} damaged lines")

    def planned(self, output: str, size: int, frames: int, segments: int, kept: int, frames_kept: int) -> None:
        self.size_before += size * frames_kept / max(1, frames)
        self.emit("planned", f"{output}: {frames} pictures in {segments} segments" +
                  (f", {kept} of them kept" if kept else ""),
                  output=output, frames=frames, segments=segments, kept=kept)

    def segment(self, output: str, number: int, result: dict, device: str) -> None:
        self.frames += result["count"]
        self.bytes += result["bytes"]
        self.by_device[device] += result["count"]
        self.emit("segment", None, output=output, number=number, frames=result["count"], bytes=result["bytes"],
                  seconds=result["seconds"], start=result["start"], before=result["before"], device=device)

    def item(self, output: str, state: str, size: int, frames: int, kind: str = "", text: str = "", **more) -> None:
        """`state`: done, kept (from before) or failed."""
        setattr(self, state, getattr(self, state) + 1)
        self.size_done += size
        if state == "kept":
            self.size_before += size
        if state == "failed":
            self.failures.append((output, text))
        line = {"done": f"{output}: done, {frames} pictures, {more.get('bytes', 0) / 1e9:.3f} GB",
                "kept": f"{output}: done before", "failed": f"{output}: failed ({kind}): {text}"}[state]
        fields = {"kind": kind, "text": text} if state == "failed" else {"frames": frames, **more}
        self.emit(state, line, output=output, **fields)

    def retry(self, output: str, task: str, kind: str, text: str, attempt: int, device: str) -> None:
        self.retries += 1
        self.emit("retry", f"{output}: {task} again, after attempt {attempt} ({kind}): {text}", output=output,
                  task=task, kind=kind, text=text, attempt=attempt, device=device)

    def fewer(self, device: str, tasks: int) -> None:
        self.emit("fewer", f"{device}: out of memory, {tasks} at once from now on", device=device, tasks=tasks)

    def note(self, about: str, output: str, text: str) -> None:
        self.emit("note", f"{output}: {text}", about=about, output=output, text=text)

    def halt(self, code: int, text: str) -> None:
        self.emit("halt", f"stopped: {text}", exit=code, text=text)

    def tick(self, part: float, devices: dict, running: int) -> None:
        """`part`: bytes of the inputs that the open items are through with. `devices`: pictures under way."""
        self.current = part
        now = time.monotonic()
        if now - self.shown >= PLAIN_PAUSE:
            self.shown = now
            left = self.left()
            self.emit("progress", f"{100 * self.through():.1f} %, {self.rate():.1f} frames/s, "
                      f"{self.bytes / 1e9:.3f} GB written, " + ("time left unknown" if left is None else
                                                                f"{duration(left)} left"),
                      through=round(self.through(), 4), frames=self.frames, frames_per_second=round(self.rate(), 2),
                      bytes=self.bytes, seconds_left=None if left is None else round(left), running=running)

    def summary(self, code: int) -> None:
        seconds = time.monotonic() - self.started
        self.close()
        if self.as_json:
            self.emit("summary", None, exit=code, items=self.items, done=self.done, kept=self.kept,
                      failed=self.failed, frames=self.frames, bytes=self.bytes, retries=self.retries,
                      seconds=round(seconds, 3), frames_per_second=round(self.rate(), 2), devices=dict(self.by_device))
            return
        table = Table("Summary", "")
        table.columns[1].justify = "right"
        for name, value in (("done", self.done), ("done before", self.kept), ("failed", self.failed),
                            ("left", self.items - self.done - self.kept - self.failed), ("frames", self.frames),
                            ("frames/s", f"{self.rate():.1f}"), ("GB", f"{self.bytes / 1e9:.3f}"),
                            ("retries", self.retries), ("time", duration(seconds))):
            table.add_row(name, str(value))
        self.console().print(table)
        if self.by_device:
            table = Table("where", "frames", "frames/s")
            for device, frames in sorted(self.by_device.items()):
                table.add_row(device, str(frames), f"{frames / max(seconds, 1e-3):.1f}")
            self.console().print(table)
        for output, text in self.failures:
            self.line(f"failed: {output}: {text}")

    # Numbers

    def through(self) -> float:
        return min(1.0, (self.size_done + self.current) / self.size) if self.size else 0.0

    def rate(self) -> float:
        return self.frames / max(time.monotonic() - self.started, 1e-3)

    def left(self) -> float | None:
        """Seconds, from the part of the inputs that this run did."""
        before = self.size_before / self.size if self.size else 0.0
        mine = self.through() - before
        if mine <= 0:
            return None
        return (time.monotonic() - self.started) * (1 - self.through()) / mine

    # Showing

    def emit(self, event: str, line: str | None, /, **fields) -> None:
        if self.as_json:
            print(json.dumps({"event": event, "time": round(time.time(), 3), **fields}), file=self.stream, flush=True)
        elif line is not None:
            self.line(line)

    def console(self) -> Console:
        return Console(markup=False, highlight=False)

    def line(self, text: str) -> None:
        print(text, flush=True)

    def close(self) -> None:
        pass


class LiveEvents(Events):
    """A display that is drawn again, for a terminal."""

    def __init__(self):
        super().__init__()
        self.screen = Console(markup=False, highlight=False)
        self.live = None

    def console(self) -> Console:
        return self.screen

    def tick(self, part: float, devices: dict, running: int) -> None:
        self.current = part
        if self.live is None:
            self.live = Live(console=self.screen, auto_refresh=False, transient=True)
            self.live.start()
        self.live.update(self._table(devices, running), refresh=True)

    def _table(self, devices: dict, running: int) -> Table:
        left = self.left()
        table = Table("where", "frames", "frames/s", title=f"{100 * self.through():.1f} %, "
                      f"{'time left unknown' if left is None else duration(left) + ' left'}, {self.rate():.1f} frames/s, "
                      f"{self.bytes / 1e9:.3f} GB written, {running} tasks, "
                      f"{self.done + self.kept}/{self.items} items, {self.failed} failed")
        seconds = max(time.monotonic() - self.started, 1e-3)
        shown = sorted(set(self.by_device) | set(devices))
        for device in shown[:max(4, self.screen.height - 8)]:
            frames = self.by_device[device] + devices.get(device, 0)
            table.add_row(device, str(frames), f"{frames / seconds:.1f}")
        return table

    def line(self, text: str) -> None:
        self.screen.print(text, soft_wrap=True)

    def close(self) -> None:
        if self.live:
            self.live.stop()
            self.live = None


def events(as_json: bool) -> Events:
    if not as_json:
        return LiveEvents() if sys.stdout.isatty() else Events()
    # Libraries write to stdout as well (Ray, of workers that died): that goes to stderr.
    stream = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return Events(True, stream)
