# SPDX-License-Identifier: LGPL-2.1-or-later
"""The journal survives what a driver and a disk do to it."""

import os
import subprocess
import sys

import pytest

from coalesce_fleet.journal import Journal, Locked, read, replay


def write(to, *entries):
    journal = Journal(str(to))
    for entry in entries:
        journal.add(**entry)
    journal.commit()
    journal.close()
    return to / ".coalesce-fleet" / "journal.jsonl"


DONE = {"what": "done", "output": "a.mxf", "sha256": "0"}


def test_a_torn_last_line_is_as_if_never_written(tmp_path):
    path = write(tmp_path, {"what": "joining", "output": "a.mxf"}, DONE)
    whole = path.read_bytes()
    for length in range(whole.index(b"\n") + 1, len(whole)):
        path.write_bytes(whole[:length])
        assert read(str(tmp_path))[0]["a.mxf"].done is None
        journal = Journal(str(tmp_path))
        assert journal.records["a.mxf"].owned and journal.records["a.mxf"].done is None and journal.damaged == 0
        journal.add(**DONE)
        journal.commit()
        journal.close()
        assert path.read_bytes() == whole


def test_a_damaged_line_is_counted_and_the_rest_is_read(tmp_path):
    path = write(tmp_path, {"what": "joining", "output": "a.mxf"}, DONE)
    path.write_bytes(b"\xff\x00{\n[]\n3\n" + path.read_bytes())
    records, damaged = read(str(tmp_path))
    assert damaged == 3 and records["a.mxf"].done["sha256"] == "0"


def test_failed_then_planned_then_done():
    lines = [b'{"what": "failed", "output": "a", "kind": "lost"}', b'{"what": "planned", "output": "a", "kept": 2}',
             b'{"what": "segment", "output": "a"}']
    record = replay(lines)[0]["a"]
    assert record.failed is None and record.segments == 3
    record = replay([b'{"what": "done", "output": "a"}', b'{"what": "failed", "output": "a", "kind": "verify", "void": true}'])[0]["a"]
    assert record.done is None and record.failed


def test_a_full_disk_leaves_no_half_line(tmp_path, monkeypatch):
    path = write(tmp_path, DONE)
    before = path.read_bytes()
    journal = Journal(str(tmp_path))
    journal.add("note", text="x" * 100)
    usual = os.write
    calls = []

    def full(handle, data):
        calls.append(1)
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        return usual(handle, data[:10])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError):
        journal.commit()
    monkeypatch.undo()
    assert path.read_bytes() == before
    journal.commit()  # what was pending is not lost
    journal.close()
    assert path.read_bytes().count(b"\n") == 2


def test_one_driver_at_a_time(tmp_path):
    holder = subprocess.Popen([sys.executable, "-c", "import sys, time; from coalesce_fleet.journal import Journal; "
                               "j = Journal(sys.argv[1]); print('held', flush=True); time.sleep(1000)", str(tmp_path)],
                              stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Locked, match=f"process {holder.pid} on "):
            Journal(str(tmp_path))
    finally:
        holder.kill()
        holder.wait()
    Journal(str(tmp_path)).close()  # a driver that was killed holds nothing
