# SPDX-License-Identifier: LGPL-2.1-or-later
"""The loop of the driver: which task runs next, and what follows from what came of it.

The state is one small object for each item that is open; items are opened as slots run out of segments.
"""

from __future__ import annotations

import collections
import dataclasses
import hashlib
import heapq
import json
import math
import os
import time
import urllib.parse

from . import __version__, manifest, prepare
from .events import Events
from .executors import Done, Executor, Slot
from .inputs import Item, UsageError, output
from .journal import Journal
from .metrics import Metrics
from .plan import CAPS
from .segment import SUMS, os_kind

# What trying again does not change: the item ends.
ENDS_ITEM = {"corrupt-input", "refused", "pipeline", "missing-element", "verify"}
# What no other item would escape: the run ends, and is resumed once there is space.
ENDS_RUN = {"disk-full", "read-only"}
KINDS = ("finish", "prepare", "segment")  # in the order of urgency
ALL_DONE, SOME_FAILED, WRONG_USAGE, CANNOT_GO_ON, INTERRUPTED = 0, 1, 2, 3, 130
LONGEST_PAUSE = 60.0  # seconds between attempts at most
NO_WORKERS = 600.0  # seconds without any slot, after which the run ends
TICK = 1.0  # seconds between looks at the progress


@dataclasses.dataclass
class Settings:
    """What the tasks need to know of the run."""

    pipeline: str
    container: str = "mxf"
    segment_frames: int = 960
    no_audio: bool = False
    no_timecode: bool = False
    verify: bool = False
    min_psnr: float | None = None
    stall: float = 120.0

    def task(self) -> dict:
        return dataclasses.asdict(self)

    def job(self, identity: str, item: Item) -> str:
        """A digest of what the user chose. The places of the cuts are not among it, and versions are not: what is done
        stays after an upgrade."""
        text = json.dumps([identity, item.name, item.framerate, self.pipeline, self.container,
                           CAPS[self.container], self.no_audio, self.no_timecode])
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


@dataclasses.dataclass
class Open:
    """An item of which tasks may run."""

    order: int
    item: Item
    output: str
    job: str
    identity: str
    size: int
    work: str
    segments: int = 0
    frames: int = 0
    whole: int = 0
    frames_whole: int = 0
    ended: bool = False
    bytes: int = 0
    check: dict | None = None  # the output of before, which is only to be verified
    attempts: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    def copied(self, container: str) -> int:
        """Bytes that joining writes: stills are linked."""
        return 0 if container == "jp2" or self.check else self.bytes


class Engine:
    def __init__(self, settings: Settings, items: list[Item], to: str, executor: Executor, journal: Journal,
                 events: Events, metrics: Metrics, retries: int = 3, pause: float = 1.0):
        self.settings, self.items, self.to = settings, items, os.path.abspath(to)
        self.executor, self.journal, self.events, self.metrics = executor, journal, events, metrics
        self.retries, self.pause = retries, pause
        self.waiting = collections.deque(enumerate(items))
        self.open: dict[str, Open] = {}
        self.ready: dict[str, list] = {kind: [] for kind in KINDS}  # heaps of (order, number, a unique number, item)
        self.later: list = []  # a heap of (time, a unique number, kind, number, item)
        self.tasks: dict[int, tuple[Open, Slot]] = {}  # by its number
        self.joining = 0  # bytes of the items that are joined now
        self.fewer: dict[str, int] = {}  # by device: the last task before it had a slot less, for lack of memory
        self.halted: tuple[int, str] | None = None
        self.proved = False
        self.unfit = ""  # why a segment was refused, in case none is not
        self.next = 0
        self.kept = self._kept()
        self.alive = time.monotonic()
        self.signalled = False

    # The loop

    def interrupt(self, *_) -> None:
        """For signal handlers. The second signal does not wait: the processes end with the driver."""
        if self.signalled:
            os._exit(INTERRUPTED)
        self.signalled = True
        self.executor.reports.put(None)

    def run(self) -> int:
        try:
            self.journal.add("run", version=__version__, pid=os.getpid(), time=int(time.time()), items=len(self.items),
                             **self.settings.task())
            self.journal.commit()
            self.events.start(len(self.items), sum(map(_size, self.items)), self.executor.name, self.settings,
                              self.journal.damaged)
            while not self.halted:
                self._dispatch()
                if not (self.tasks or self.later or self.waiting or any(self.ready.values())):
                    break
                self._wait()
        except OSError as error:
            self._halt(CANNOT_GO_ON, f"{os_kind(error)}: {error}")
        except UsageError as error:
            self._halt(WRONG_USAGE, str(error))
        return self._end()

    def _wait(self) -> None:
        seconds = min([TICK] + [max(0.0, self.later[0][0] - time.monotonic())] if self.later else [TICK])
        for done in self.executor.wait(seconds):
            self._ended(done)
        self.journal.commit()
        if self.signalled:
            self._halt(INTERRUPTED, "interrupted")
        now = time.monotonic()
        if self.executor.slots:
            self.alive = now
        elif now - self.alive > NO_WORKERS:
            self._halt(CANNOT_GO_ON, f"no worker for {NO_WORKERS:g} s")
        while self.later and self.later[0][0] <= now:
            _, _, kind, number, item = heapq.heappop(self.later)
            self._push(kind, item, number)
        self._tick()

    def _tick(self) -> None:
        running = self.executor.frames()
        devices = collections.Counter()
        by_item = collections.Counter()
        for number, frames in running.items():
            slot = self.executor.slots.get(number)
            if slot and slot.task and slot.task["kind"] == "segment" and slot.task["id"] in self.tasks:
                devices[slot.device] += frames
                by_item[self.tasks[slot.task["id"]][0].output] += frames
        self.events.tick(sum((item.frames_whole + by_item[item.output]) / max(1, item.frames) * item.size
                             for item in self.open.values()), devices, len(self.tasks))
        self.metrics.running(len(self.tasks), len(self.executor.slots))

    def _halt(self, code: int, text: str) -> None:
        if not self.halted:
            self.halted = (code, text)

    def _end(self) -> int:
        """Ends what runs, writes the manifest and the summary."""
        if self.unfit and not self.proved and not self.events.done + self.events.kept:
            self._halt(WRONG_USAGE, self.unfit)
        code = self.halted[0] if self.halted else SOME_FAILED if self.events.failed else ALL_DONE
        self.executor.cancel()
        deadline = time.monotonic() + 30
        while self.halted and self.tasks and self.executor.slots and time.monotonic() < deadline:
            for done in self.executor.wait(1.0):
                self._ended(done)
        try:
            if self.halted:
                self.journal.add("halt", exit=code, text=self.halted[1])
                self.events.halt(code, self.halted[1])
            self.journal.add("end", exit=code)
            self.journal.commit()
            manifest.write(self.to, self.journal.records)
        except OSError as error:
            if not self.halted:
                code = CANNOT_GO_ON
                self.events.halt(code, f"{os_kind(error)}: {error}")
        self.events.summary(code)
        return code

    # Submitting

    def _push(self, kind: str, item: Open, number: int = 0) -> None:
        self.next += 1
        heapq.heappush(self.ready[kind], (item.order, number, self.next, item))

    def _dispatch(self) -> None:
        idle = [slot for slot in self.executor.slots.values() if slot.task is None]
        if not idle:
            return
        self._open_items()
        busy = collections.Counter(slot.device for _, slot in self.tasks.values())
        idle.sort(key=lambda slot: busy[slot.device])
        for slot in idle:
            for kind in KINDS:
                entry = self._pop(kind) if kind in slot.kinds else None
                if entry:
                    self._submit(slot, kind, *entry)
                    break

    def _open_items(self) -> None:
        """Opens items until there are enough tasks for the slots, so that the state stays small."""
        enough = 2 * len(self.executor.slots)
        while self.waiting and len(self.later) + sum(map(len, self.ready.values())) < enough:
            self._open(*self.waiting.popleft())

    def _pop(self, kind: str) -> tuple[Open, int] | None:
        heap = self.ready[kind]
        while heap:
            _, number, _, item = heap[0]
            if not item.ended and kind == "finish" and not self._has_space(item):
                return None
            heapq.heappop(heap)
            if not item.ended:
                return item, number
        return None

    def _has_space(self, item: Open) -> bool:
        """Whether the item can be joined beside those that are. A join alone is tried, and may find the disk full."""
        if not self.joining:
            return True
        disk = os.statvfs(self.to)
        return disk.f_bavail * disk.f_frsize > self.joining + item.copied(self.settings.container)

    def _submit(self, slot: Slot, kind: str, item: Open, number: int) -> None:
        self.next += 1
        task = {"id": self.next, "kind": kind, "work": item.work, "number": number, "name": item.item.name,
                "settings": self.settings.task()}
        if kind == "prepare":
            task.update(path=item.item.path, framerate=item.item.framerate)
        if kind == "segment":
            task.update(fresh=item.attempts[kind, number] > 0)
            slot.encodes = True
        if kind == "finish":
            self.joining += item.copied(self.settings.container)
            task.update(out=os.path.join(self.to, item.output), published=item.check is not None)
            self.journal.add("joining", output=item.output, job=item.job)
            self.journal.commit()
            self.journal.record(item.output).owned = True
        self.tasks[self.next] = item, slot
        self.executor.submit(slot, task)

    # Items

    def _kept(self) -> dict[str, list[str]]:
        """Folders of unfinished work by output."""
        found = collections.defaultdict(list)
        for name in os.listdir(self.journal.folder):
            if "." in name and os.path.isdir(os.path.join(self.journal.folder, name)):
                found[name.rsplit(".", 1)[0]].append(name)
        return found

    def _open(self, order: int, item: Item) -> None:
        name = output(item, self.settings.container)
        try:
            identity, size = item.identity()
        except (OSError, ValueError) as error:
            self._fail_early(item, name, f"{error}")
            return
        job = self.settings.job(identity, item)
        record = self.journal.records.get(name)
        target, check = os.path.join(self.to, name), None
        if record and record.done and record.done["job"] == job and _is_there(target, record.done):
            if not self.settings.verify or self._is_verified(record.done.get("verified")):
                self.events.item(name, "kept", size, record.done["frames"])
                self._remove_work(name, None)
                return
            check = record.done
        elif record and record.done:
            self.events.note("anew", name, "its input, pipeline or options are other than before"
                             if record.done["job"] != job else "the output of before is gone or was changed")
        if os.path.lexists(target) and not (record and record.owned):
            self._fail_early(item, name, f"{target} exists and is not of coalesce-fleet: move it, or choose another --to")
            return
        key = f"{__version__} {job} {self.settings.segment_frames}"
        folder = f"{_quoted(name)}.{hashlib.sha256(key.encode()).hexdigest()[:16]}"
        if self._remove_work(name, folder):
            self.events.note("anew", name, "its input, pipeline, options or segments, or coalesce-fleet, are other than "
                             "before: the segments of before are not used")
        work = os.path.join(self.journal.folder, folder)
        os.makedirs(work, exist_ok=True)
        self.open[name] = Open(order, item, name, job, identity, size, work, check=check)
        self._push("prepare", self.open[name])

    def _is_verified(self, before: dict | None) -> bool:
        """The comparison of an earlier run is enough."""
        least = self.settings.min_psnr
        return before is not None and (least is None or before.get("psnr", math.inf) >= least)

    def _fail_early(self, item: Item, name: str, text: str) -> None:
        self.journal.add("failed", output=name, input=item.path, kind="refused", text=text)
        self.events.item(name, "failed", 0, 0, "refused", text)
        self.metrics.item("failed")

    def _remove_work(self, name: str, keep: str | None) -> int:
        others = [folder for folder in self.kept.pop(_quoted(name), []) if folder != keep]
        for folder in others:
            prepare.remove(os.path.join(self.journal.folder, folder))
        return len(others)

    def _close(self, item: Open) -> None:
        item.ended = True
        self.open.pop(item.output, None)

    # What came of tasks

    def _ended(self, done: Done) -> None:
        item, slot = self.tasks.pop(done.task["id"])
        if done.task["kind"] == "finish":
            self.joining -= item.copied(self.settings.container)
        if item.ended:
            return
        if "error" in done.result:
            self._failed(item, done, slot)
        else:
            for about, text in done.result.get("notes", ()):
                self.events.note(about, item.output, text)
            {"prepare": self._prepared, "segment": self._encoded, "finish": self._finished}[done.task["kind"]](item, done, slot.device)

    def _prepared(self, item: Open, done: Done, device: str) -> None:
        result = done.result
        item.segments, item.frames, item.bytes = result["segments"], result["frames"], result["bytes"]
        names = set(os.listdir(item.work))
        missing = [] if item.check else [number for number in range(item.segments) if f"segment-{number:06d}.json" not in names]
        item.whole = item.segments - len(missing)
        item.frames_whole = round(item.frames * item.whole / item.segments)
        self.journal.add("planned", output=item.output, input=item.item.path, job=item.job, segments=item.segments,
                         frames=item.frames, kept=item.whole, work=os.path.basename(item.work))
        self.events.planned(item.output, item.size, item.frames, item.segments, item.whole, item.frames_whole)
        for number in missing:
            self._push("segment", item, number)
        if not missing:
            self._push("finish", item)

    def _encoded(self, item: Open, done: Done, device: str) -> None:
        result = done.result
        self.proved = True
        item.whole += 1
        item.bytes += result["bytes"]
        item.frames_whole = min(item.frames, item.frames_whole + result["count"])
        self.journal.add("segment", output=item.output, number=done.task["number"], frames=result["count"],
                         bytes=result["bytes"], sha256=result["sha256"], device=device,
                         seconds=result["seconds"])
        self.events.segment(item.output, done.task["number"], result, device)
        self.metrics.segment(result["count"], result["bytes"], result["seconds"], device)
        if item.whole == item.segments:
            self._push("finish", item)

    def _finished(self, item: Open, done: Done, device: str) -> None:
        result = done.result
        try:
            changed = item.item.identity()[0] != item.identity
        except (OSError, ValueError):
            changed = True
        target = os.path.join(self.to, item.output)
        if changed:
            self._fail(item, "corrupt-input", f"{item.item.path}: changed while it was encoded")
            return
        entry = {"output": item.output, "input": item.item.path, "job": item.job, "frames": result["frames"],
                 "bytes": result["bytes"], "sha256": result["sha256"], "pipeline": self.settings.pipeline,
                 "container": self.settings.container,
                 "made_by": (item.check or result).get("made_by"), "verified": result.get("verified"),
                 "changed": _changed(target)}
        self.journal.add("done", **entry)
        self.journal.commit()  # before the work is removed
        self.journal.record(item.output).done = entry
        prepare.remove(item.work)
        self._close(item)
        self.events.item(item.output, "done", item.size, result["frames"], bytes=result["bytes"],
                         sha256=result["sha256"], verified=result.get("verified"))
        self.metrics.item("done")

    def _fail(self, item: Open, kind: str, text: str) -> None:
        void = kind == "verify" and item.check is not None  # the published output is not what it should be
        self.journal.add("failed", output=item.output, input=item.item.path, job=item.job, kind=kind, text=text,
                         void=void)
        if void:
            self.journal.record(item.output).done = None
        self._close(item)
        self.events.item(item.output, "failed", item.size, 0, kind, text)
        self.metrics.item("failed")

    def _failed(self, item: Open, done: Done, slot: Slot) -> None:
        kind, text = done.result["error"], done.result["text"]
        task, number = done.task["kind"], done.task["number"]
        slot.encodes = slot.encodes and task != "segment"
        if kind == "cancelled":
            return
        if kind in ENDS_RUN:
            self._halt(CANNOT_GO_ON, f"{kind}: {text}")
            return
        # What an encoder process fails at that has done segments before may be its own state: another tries it.
        used = done.result.get("before", 0) > 0
        if kind in ENDS_ITEM and not used:
            if kind in ("pipeline", "missing-element") and task != "finish" and not self.proved:
                self._halt(WRONG_USAGE, f"{item.output}: {text}")
            if kind == "refused" and task == "segment":
                self.unfit = self.unfit or f"{item.output}: {text}"
            self._fail(item, kind, text)
            if kind == "verify":
                prepare.remove(item.work)
            return
        if kind == "gpu-memory" and not used and self._fewer(done.task, slot):
            self._push(task, item, number)
            return
        item.attempts[task, number] += 1
        attempts = item.attempts[task, number]
        what = f"segment {number}" if task == "segment" else task
        if attempts > max(self.retries, used):
            self._fail(item, kind, f"{what}: {text} (attempt {attempts}, the last)")
            return
        shown = f"segments {text} changed on disk" if kind == "damaged" else text
        self.journal.add("retry", output=item.output, task=what, kind=kind, text=shown, attempt=attempts,
                         device=slot.device)
        self.events.retry(item.output, what, kind, shown, attempts, slot.device)
        self.metrics.retry(kind)
        if kind == "damaged":  # the segments that changed on disk, which come before the next attempt
            damaged = [int(number) for number in text.split(",")]
            item.whole -= len(damaged)
            for number in damaged:
                self._push("segment", item, number)
            return
        if used:  # at once, in the process that takes the place of this one
            self._push(task, item, number)
            return
        pause = min(LONGEST_PAUSE, self.pause * 2 ** (attempts - 1))
        self.next += 1
        heapq.heappush(self.later, (time.monotonic() + pause, self.next, task, number, item))

    def _fewer(self, task: dict, slot: Slot) -> bool:
        """Takes the slot of a task away whose device is out of memory; False if no other encodes there. Tasks that ran then,
        and may fail for the same reason, take no more away."""
        if task["id"] <= self.fewer.get(slot.device, 0):
            return True
        others = [other for other in self.executor.slots.values() if other.device == slot.device and other != slot]
        if not any(other.encodes for other in others) or slot.number not in self.executor.slots:
            return False
        self.executor.retire(slot)
        self.fewer[slot.device] = self.next
        self.journal.add("fewer", device=slot.device, tasks=len(others))
        self.events.fewer(slot.device, len(others))
        return True


def _size(item: Item) -> int:
    try:
        return item.identity()[1]
    except (OSError, ValueError):
        return 0


def _quoted(name: str) -> str:
    """One component of a path, different for different names."""
    quoted = urllib.parse.quote(os.fsencode(name), safe=" ")
    return quoted if len(quoted) < 180 else quoted[:160] + hashlib.sha256(os.fsencode(name)).hexdigest()[:16]


def _changed(path: str) -> int:
    return os.stat(os.path.join(path, SUMS) if os.path.isdir(path) else path).st_mtime_ns


def _is_there(path: str, done: dict) -> bool:
    """The output is the one that was written: its size and time of change are the same. Stills are older than their list."""
    try:
        if os.path.isdir(path):
            stills = [entry.stat() for entry in os.scandir(path) if entry.name.endswith(".jp2")]
            return (_changed(path) == done["changed"] and sum(still.st_size for still in stills) == done["bytes"]
                    and all(still.st_mtime_ns <= done["changed"] for still in stills))
        status = os.stat(path)
        return status.st_size == done["bytes"] and status.st_mtime_ns == done["changed"]
    except OSError:
        return False
