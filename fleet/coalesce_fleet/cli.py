# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line."""

from __future__ import annotations

import enum
import importlib.util
import json
import os
import signal
import sys
from typing import List, Optional

import typer
from rich.console import Console
from rich.table import Table

from . import __version__, manifest
from .engine import ALL_DONE, CANNOT_GO_ON, INTERRUPTED, SOME_FAILED, WRONG_USAGE, Engine, Settings
from .events import events
from .executors import Processes
from .inputs import UsageError, items
from .journal import Journal, Locked, read
from .metrics import Metrics

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False,
                  help="Encodes archives to JPEG 2000 on the GPUs and CPUs of one machine or many.")


class Container(str, enum.Enum):
    mxf = "mxf"
    mj2 = "mj2"
    jp2 = "jp2"


class EngineName(str, enum.Enum):
    ray = "ray"
    processes = "processes"


def _say(text: str) -> None:
    print("coalesce-fleet: " + text.replace("\n", "\\n"), file=sys.stderr, flush=True)


def _executor(engine: Optional[EngineName], address: Optional[str], per_gpu: Optional[int], stall: float):
    installed = importlib.util.find_spec("ray") is not None
    if address and engine == EngineName.processes:
        raise UsageError("--address is of a Ray cluster: leave out --engine processes")
    if not installed and (address or engine == EngineName.ray):
        raise UsageError("Ray is not installed: pip install 'coalesce-fleet[ray]', or --engine processes on one machine")
    if not installed and engine is None:
        _say("Ray is not installed: tasks run as plain processes of this machine (--engine processes)")
    if engine == EngineName.processes or not installed:
        return Processes(per_gpu), Metrics()
    from .metrics import RayMetrics
    from .ray_executor import Ray
    return Ray(address, per_gpu, stall), RayMetrics()


@app.command()
def encode(
        inputs: List[str] = typer.Argument(help="Video files, directories, image patterns (a_%04d.png), or manifests "
                                           "(.csv, .json with the fields input, name, framerate)."),
        to: str = typer.Option(help="The directory of the outputs, the same for all machines."),
        pipeline: str = typer.Option(help="GStreamer elements from raw video to JPEG 2000, e.g. 'j2kenc bpp=2'."),
        container: Container = typer.Option(Container.mxf, help="One file (mxf, mj2) or a folder of numbered stills (jp2)."),
        address: Optional[str] = typer.Option(None, help="A Ray cluster, e.g. auto or HOST:6379; else this machine."),
        engine: Optional[EngineName] = typer.Option(None, help="processes: without Ray, on this machine."),
        segment_frames: int = typer.Option(960, min=1, help="Pictures of a segment, about."),
        per_gpu: Optional[int] = typer.Option(None, min=1, help="Encoders at once on each GPU, or on a machine without one."),
        retries: int = typer.Option(3, min=0, help="Further attempts at a task that fails."),
        framerate: str = typer.Option("25/1", help="Pictures a second of image sequences, e.g. 24 or 30000/1001."),
        no_audio: bool = typer.Option(False, "--no-audio", help="Leave out audio, e.g. what the container cannot carry."),
        no_timecode: bool = typer.Option(False, "--no-timecode", help="Leave out timecode."),
        verify: bool = typer.Option(False, "--verify", help="Decode each output with OpenJPEG, and compare before it appears."),
        min_psnr: Optional[float] = typer.Option(None, help="With --verify: least PSNR in dB of a lossy output."),
        as_json: bool = typer.Option(False, "--json", help="Events as JSON lines.")) -> None:
    """Encodes INPUTS into the directory --to. The same command again resumes."""
    raise typer.Exit(_encode(**locals()))


def _encode(inputs, to, pipeline, container, address, engine, segment_frames, per_gpu, retries, framerate, no_audio,
            no_timecode, verify, min_psnr, as_json) -> int:
    settings = Settings(pipeline, container.value, segment_frames, no_audio, no_timecode, verify, min_psnr)
    sys.stdout.reconfigure(errors="backslashreplace")  # names of files may be any bytes
    sys.stderr.reconfigure(errors="backslashreplace")
    journal = executor = None
    try:
        found = items(inputs, framerate, to, container.value)
        if min_psnr is not None and not (verify and min_psnr >= 0):
            raise UsageError(f"--min-psnr {min_psnr:g}: expected decibels from 0, and --verify")
        try:
            os.makedirs(to, exist_ok=True)
        except (FileExistsError, FileNotFoundError, NotADirectoryError) as error:
            raise UsageError(f"--to {to!r}: {error.strerror}: expected a directory") from None
        journal = Journal(to)
        for name in manifest.NAMES if journal.fresh else ():
            if os.path.lexists(os.path.join(to, name)):
                raise UsageError(f"{os.path.join(to, name)} exists and is not of coalesce-fleet: move it, or choose "
                                 "another --to")
        shown = events(as_json)
        executor, metrics = _executor(engine, address, per_gpu, settings.stall)
        run = Engine(settings, found, to, executor, journal, shown, metrics, retries)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, run.interrupt)
        return run.run()
    except UsageError as error:
        _say(str(error))
        return WRONG_USAGE
    except KeyboardInterrupt:  # while Ray was starting
        return INTERRUPTED
    except (Locked, OSError) as error:
        _say(str(error))
        return CANNOT_GO_ON
    finally:
        if executor:
            executor.close()
        if journal:
            journal.close()


@app.command()
def status(to: str = typer.Argument(help="The directory of the outputs."),
           as_json: bool = typer.Option(False, "--json", help="One JSON object.")) -> None:
    """What is done in DIR, while a run goes on or after it. 0: all is done; 1: some are not."""
    try:
        records, damaged = read(to)
    except (FileNotFoundError, NotADirectoryError):
        _say(f"{to}: nothing of coalesce-fleet is there")
        raise typer.Exit(WRONG_USAGE) from None
    except OSError as error:
        _say(str(error))
        raise typer.Exit(CANNOT_GO_ON) from None
    rows = []
    for name, record in sorted(records.items()):
        state = "failed" if record.failed else "done" if record.done else "open"
        planned = (record.planned or {}).get("segments", 0)
        rows.append({"output": name, "state": state, "segments": planned if state == "done" else record.segments,
                     "of": planned, "text": (record.failed or {}).get("text", "")})
    if as_json:
        print(json.dumps({"items": rows, "damaged_lines": damaged}))
    else:
        table = Table("output", "state", "segments", "")
        for row in rows:
            table.add_row(row["output"], row["state"], f"{row['segments']}/{row['of']}", row["text"])
        Console(markup=False, highlight=False).print(table)
    raise typer.Exit(ALL_DONE if all(row["state"] == "done" for row in rows) else SOME_FAILED)


@app.command()
def version() -> None:
    """The version."""
    print(__version__)
