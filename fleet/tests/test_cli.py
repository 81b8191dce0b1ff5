# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line as a user has it: exit codes, JSON, signals, a second driver, disks that are full or read-only."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest

from coalesce_fleet import cli


def command(fleet, *options, to=None):
    return [sys.executable, "-m", "coalesce_fleet", "encode", str(fleet.inputs), "--to", str(to or fleet.to),
            "--pipeline", "fakeenc", "--segment-frames", "4", "--engine", "processes", *options]


def run(fleet, *options, to=None):
    return subprocess.run(command(fleet, *options, to=to), capture_output=True, text=True, timeout=600)


def test_json_lines_and_status(fleet, whole):
    (fleet.inputs / "c.mp4").write_bytes(b"x")
    done = run(fleet, "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1 and done.stderr == ""
    assert events[0]["event"] == "start" and events[-1]["event"] == "summary"
    assert events[-1] == {**events[-1], "exit": 1, "items": 3, "done": 2, "kept": 0, "failed": 1, "frames": 33}
    assert {name: data for name, data in fleet.outputs().items() if name in whole} == whole
    status = subprocess.run([sys.executable, "-m", "coalesce_fleet", "status", str(fleet.to), "--json"],
                            capture_output=True, text=True)
    assert status.returncode == 1
    assert [(item["output"], item["state"], item["segments"]) for item in json.loads(status.stdout)["items"]] == \
        [("a.mxf", "done", 6), ("b.mxf", "done", 3), ("c.mxf", "failed", 0)]


@pytest.mark.slow
def test_plain_lines_without_a_terminal(fleet, whole):
    os.link(fleet.inputs / "a.mp4", os.fsencode(fleet.inputs) + b"/c\xff.mp4")
    done = run(fleet)
    assert done.returncode in (0, 1) and done.stderr == ""
    assert "a.mxf: done, 24 pictures" in done.stdout and "\x1b" not in done.stdout and "Summary" in done.stdout


@pytest.mark.parametrize("options, wanted", [
    (["--framerate", "no"], "framerate no"),
    (["--address", "x:1"], "--address is of a Ray cluster"),
    (["--container", "avi"], "avi"),
    (["--min-psnr", "40"], "--min-psnr 40"),
    (["--verify", "--min-psnr", "nan"], "--min-psnr nan"),
    (["--to", ""], "--to ''"),
    (["--to", __file__], "expected a directory"),
])
def test_wrong_usage(fleet, whole, options, wanted):
    done = run(fleet, *options)
    assert done.returncode == 2 and wanted in done.stderr
    assert not fleet.to.exists() or fleet.outputs() == {}


@pytest.mark.parametrize("name", ["SHA256SUMS", "manifest.json"])
def test_lists_of_others_are_not_replaced(fleet, whole, name):
    fleet.to.mkdir()
    (fleet.to / name).write_text("not of it")
    for _ in range(2):
        done = run(fleet)
        assert done.returncode == 2 and f"{name} exists and is not of coalesce-fleet" in done.stderr
    assert (fleet.to / name).read_text() == "not of it"


def test_without_ray_plain_processes_are_used_and_said(monkeypatch, capsys):
    monkeypatch.setattr(cli.importlib.util, "find_spec", lambda name: None)
    assert cli._executor(None, None, None, 1)[0].name == "processes"
    assert "Ray is not installed" in capsys.readouterr().err
    with pytest.raises(cli.UsageError, match="pip install"):
        cli._executor(None, "auto", None, 1)


@pytest.mark.slow
def test_without_gstreamer_the_packages_are_named(fleet, whole, monkeypatch):
    monkeypatch.setenv("COALESCE_FLEET_PYTHON", "/bin/false")
    done = run(fleet)
    assert done.returncode == 2 and "python3-gi" in done.stdout


def first_segment(process):
    for line in process.stdout:
        if json.loads(line)["event"] == "segment":
            return
    raise AssertionError("no segment")


def test_a_signal_ends_it_with_130_and_a_second_driver_is_refused(fleet, whole):
    fleet.faults({"what": "wait", "first": 8})
    process = subprocess.Popen(command(fleet, "--json"), stdout=subprocess.PIPE, text=True)
    first_segment(process)
    second = run(fleet)
    assert second.returncode == 3 and f"process {process.pid} on " in second.stderr
    process.send_signal(signal.SIGINT)
    rest = [json.loads(line) for line in process.stdout]
    assert process.wait(600) == 130 and rest[-1]["exit"] == 130
    assert fleet.leftovers() == []
    fleet.faults()
    assert run(fleet).returncode == 0
    assert fleet.outputs() == whole


def test_a_signal_during_the_imports(fleet, monkeypatch):
    (fleet.folder / "typer.py").write_text("print('importing', flush=True)\nimport time\ntime.sleep(600)\n")
    monkeypatch.setenv("PYTHONPATH", str(fleet.folder))
    process = subprocess.Popen(command(fleet), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "importing\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=600) == ("", "") and process.returncode == 130


@pytest.mark.slow
def test_killed_its_processes_end_and_it_is_resumed(fleet, whole):
    fleet.faults({"what": "hang", "first": 8})
    process = subprocess.Popen(command(fleet, "--json"), stdout=subprocess.PIPE, text=True)
    first_segment(process)
    while not fleet.log(what="hang"):
        assert process.poll() is None
    process.kill()
    process.wait()
    for entry in fleet.log(script="encode"):  # what hangs, and what has no segment now
        while pathlib.Path(f"/proc/{entry['pid']}/cmdline").exists() and \
                pathlib.Path(f"/proc/{entry['pid']}/cmdline").read_bytes():
            pass
    fleet.faults()
    assert run(fleet).returncode == 0
    assert fleet.outputs() == whole and fleet.leftovers() == []


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 1 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True)
    if mounted.returncode:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.slow
def test_a_disk_that_is_full_and_read_only(fleet, whole, small_disk):
    fleet.faults({"what": "fill", "first": 8})
    done = run(fleet, to=small_disk / "out")
    assert done.returncode == 3 and "disk-full" in done.stdout
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    done = run(fleet, to=small_disk / "out")
    assert done.returncode == 3 and "Read-only" in done.stderr
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    fleet.faults()
    assert run(fleet, to=small_disk / "out").returncode == 0
    fleet.to = small_disk / "out"
    assert fleet.outputs() == whole


@pytest.mark.slow
def test_no_space_from_the_beginning(fleet, whole, small_disk):
    with pytest.raises(OSError):
        with open(small_disk / "full", "wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
    done = run(fleet, to=small_disk / "out")
    assert done.returncode == 3 and "No space left" in done.stdout + done.stderr
    os.unlink(small_disk / "full")
    assert run(fleet, to=small_disk / "out").returncode == 0
    fleet.to = small_disk / "out"
    assert fleet.outputs() == whole
