#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Encodes a small archive with coalesce-fleet, once undisturbed, and once with two Ray workers of which one is killed;
then compares the outputs.

usage: fleet_demo.py BUILD     BUILD: a build folder with gst/libgstcoalesce.so

The archive is in build-fleet/demo: a film of examples/media, a clip with sound, and a sequence of pictures. It exits
with 1 unless the outputs are equal byte by byte and a task died with its worker, and with 77 if the packages cannot be
installed.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fleet_env import FOLDER, ROOT, CannotInstall, interpreter  # noqa: E402

DEMO = FOLDER / "demo"
PIPELINE = "j2kenc bpp=2"


def gst(text):
    subprocess.run(["gst-launch-1.0", "-q", *text.split()], check=True, timeout=120)


def make_archive(folder):
    (folder / "shot").mkdir(parents=True)
    shutil.copy(ROOT / "examples" / "media" / "park-joy_480x270.webm", folder / "park-joy.webm")
    gst(f"videotestsrc num-buffers=150 ! video/x-raw,width=320,height=180,framerate=25/1 ! jpegenc ! queue ! mux. "
        f"audiotestsrc num-buffers=258 samplesperbuffer=1024 ! audio/x-raw,format=S16LE,rate=44100,channels=2 ! queue ! "
        f"qtmux name=mux ! filesink location={folder}/card.mov")
    gst(f"videotestsrc num-buffers=50 pattern=ball ! video/x-raw,format=RGB,width=320,height=180 ! pngenc ! "
        f"multifilesink location={folder}/shot/ball_%04d.png")


def workers(driver):
    """Ray's workers below a process that run a task now."""
    parents, names = {}, {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            names[int(folder.name)] = (folder / "cmdline").read_bytes().split(b"\0")[0].decode(errors="replace")
        except (OSError, IndexError):
            continue  # it ended meanwhile

    def below(process):
        while process in parents:
            process = parents[process]
            if process == driver:
                return True
        return False
    return [process for process, name in names.items() if name.startswith("ray::Worker.run") and below(process)]


def encode(python, environment, to, *options, kill=False):
    """Runs the command, and kills a worker after each of the first segments until a task died with one."""
    command = [python, "-m", "coalesce_fleet", "encode", str(DEMO / "archive"), "--to", str(to), "--pipeline", PIPELINE,
               "--segment-frames", "25", "--per-gpu", "2", "--json", *options]
    print(f"\n$ {' '.join(['coalesce-fleet', *map(str, command[3:])])}", flush=True)
    driver = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    lost = 0
    for line in driver.stdout:
        try:
            event = json.loads(line)
        except ValueError:
            continue  # a line of Ray's
        if event["event"] in ("planned", "done", "failed", "halt", "retry"):
            print("  " + ", ".join(f"{key} {value}" for key, value in event.items() if key in (
                "event", "output", "segments", "frames", "kind", "text", "exit")).replace("event ", "", 1), flush=True)
        if event["event"] == "retry" and event["kind"] == "worker-lost":
            lost += 1
        if kill and event["event"] == "segment" and not lost:
            for worker in workers(driver.pid)[:1]:
                print(f"  kill -9 {worker}: a Ray worker while it encodes", flush=True)
                os.kill(worker, signal.SIGKILL)
                time.sleep(1)  # until the driver has heard of it
    if driver.wait():
        sys.exit(f"fleet_demo.py: coalesce-fleet ended with {driver.returncode}")
    return lost


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    print("Python packages (Ray among them) are installed into build-fleet/venv, once ...", flush=True)
    try:
        python = interpreter()
    except CannotInstall as reason:
        print(f"skipped: coalesce-fleet cannot be installed here: {reason}")
        sys.exit(77)
    environment = dict(os.environ, GST_PLUGIN_PATH=str(build / "gst"))
    shutil.rmtree(DEMO, ignore_errors=True)
    make_archive(DEMO / "archive")
    encode(python, environment, DEMO / "undisturbed", "--engine", "processes")
    lost = encode(python, environment, DEMO / "killed", "--engine", "ray", kill=True)
    sums = [(DEMO / name / "SHA256SUMS").read_text() for name in ("undisturbed", "killed")]
    print(f"\nSHA-256 of the outputs in {DEMO.relative_to(ROOT)}/, undisturbed and with a worker killed:")
    for one, other in zip(sums[0].splitlines(), sums[1].splitlines()):
        digest, name = one.split(maxsplit=1)
        print(f"  {name}: {digest[:16]}... and {other[:16]}...: {'equal' if one == other else 'DIFFERENT'}")
    if sums[0] != sums[1] or not sums[0]:
        sys.exit("fleet_demo.py: the outputs differ")
    if not lost:
        sys.exit("fleet_demo.py: no task died with a worker")
    print(f"Nothing is lost: {lost} task{'s' if lost > 1 else ''} died with a worker and ran again; the outputs are equal.")


if __name__ == "__main__":
    main()
