# SPDX-License-Identifier: LGPL-2.1-or-later
"""Time left, rates, and what each kind of display shows."""

import collections
import io

from rich.console import Console

from coalesce_fleet import events as module
from coalesce_fleet.engine import Settings
from coalesce_fleet.events import Events, LiveEvents, duration


def half_way(shown, monkeypatch):
    """After 100 s: of 1000 bytes 200 were done before, and 300 of what is left are done now."""
    now = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    shown.start(3, 1000, "ray", Settings("j2kenc"), 0)
    shown.item("a.mxf", "kept", 200, 20)
    shown.planned("b.mxf", 400, 40, 4, 0, 0)
    now[0] += 100
    shown.segment("b.mxf", 0, {"count": 30, "bytes": 3_000_000_000, "seconds": 1.0, "start": 0.5, "before": 0}, "host/gpu0")
    shown.tick(300.0, collections.Counter({"host/gpu0": 2, "host/gpu1": 5}), 2)
    return shown


def test_time_left_counts_what_this_run_did(monkeypatch, capsys):
    shown = half_way(Events(), monkeypatch)
    assert shown.through() == 0.5
    assert abs(shown.left() - 100 * 0.5 / 0.3) < 1e-6
    assert "50.0 %, 0.3 frames/s, 3.000 GB written, 0:02:46 left" in capsys.readouterr().out


def test_a_terminal_shows_each_device(monkeypatch):
    shown = LiveEvents()
    shown.screen = Console(file=io.StringIO(), force_terminal=True, width=120, markup=False, highlight=False)
    half_way(shown, monkeypatch)
    shown.item("b.mxf", "failed", 400, 0, "corrupt-input", "[b] is damaged")
    shown.summary(1)
    text = shown.screen.file.getvalue()
    for wanted in ("50.0 %", "0:02:46 left", "host/gpu0", "host/gpu1", "32", "1/3 items", "Summary",
                   "b.mxf: failed (corrupt-input): [b] is damaged"):
        assert wanted in text, wanted


def test_duration():
    assert [duration(seconds) for seconds in (0, 61, 360_000)] == ["0:00:00", "0:01:01", "100:00:00"]
