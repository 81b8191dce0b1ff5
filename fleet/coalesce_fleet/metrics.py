# SPDX-License-Identifier: LGPL-2.1-or-later
"""Metrics of the driver: through Ray's for Prometheus, where Ray runs the tasks."""

from __future__ import annotations


class Metrics:
    """Counts nothing."""

    def segment(self, frames: int, size: int, seconds: float, device: str) -> None:
        pass

    def retry(self, kind: str) -> None:
        pass

    def item(self, state: str) -> None:
        pass

    def running(self, tasks: int, slots: int) -> None:
        pass


class RayMetrics(Metrics):
    def __init__(self):
        from ray.util.metrics import Counter, Gauge, Histogram
        self.frames = Counter("coalesce_fleet_frames", "Pictures encoded", ("device",))
        self.bytes = Counter("coalesce_fleet_bytes", "Bytes of codestreams", ("device",))
        self.seconds = Histogram("coalesce_fleet_segment_seconds", "Time of a segment",
                                 [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], ("device",))
        self.retries = Counter("coalesce_fleet_retries", "Tasks that were tried again", ("kind",))
        self.items = Counter("coalesce_fleet_items", "Items that ended", ("state",))
        self.tasks = Gauge("coalesce_fleet_tasks", "Tasks that run")
        self.slots = Gauge("coalesce_fleet_slots", "Tasks that can run at once")

    def segment(self, frames: int, size: int, seconds: float, device: str) -> None:
        self.frames.inc(frames, {"device": device})
        self.bytes.inc(max(1, size), {"device": device})
        self.seconds.observe(seconds, {"device": device})

    def retry(self, kind: str) -> None:
        self.retries.inc(1, {"kind": kind})

    def item(self, state: str) -> None:
        self.items.inc(1, {"state": state})

    def running(self, tasks: int, slots: int) -> None:
        self.tasks.set(tasks)
        self.slots.set(slots)
