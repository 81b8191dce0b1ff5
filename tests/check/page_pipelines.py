#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every command of a page as a reader would who copies it, and compares an element's page with the
element.

usage: page_pipelines.py PAGE [ELEMENT]

Commands are lines of ```sh blocks, and code in the text, that start with gst-launch-1.0 or
opj_decompress. They run one after the other in a folder that has the files of FILES, and RIG. Windows are
replaced by a fakesink, and ends in hardware by what the table of docs/cookbook.md has for them; the text before
such a command says so. opj_decompress is left out where it is not installed. Files that a command names
after location= or -o are not empty afterwards. A block after <!-- not run: REASON --> is left out.

Tables whose header is | property | default | ... | example | have the properties of ELEMENT, all of
them and no others, with their defaults. Each example runs in the command of the page that has the word
EXAMPLE in its place, and sets all properties of its row. The row of a property that can only be read
says "read-only" in place of the default."""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

COMMANDS = ("gst-launch-1.0 ", "opj_decompress ")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILES = {
    "cameras.txt": f"filesrc location={ROOT}/tests/fuzz/corpus/calibration/cameras",
    "pair.yml": f"filesrc location={ROOT}/tests/fuzz/corpus/calibration/two-files",
    "picture.png": "videotestsrc num-buffers=1 ! video/x-raw,format=RGB ! pngenc",
    "film.y4m": "videotestsrc num-buffers=10 ! video/x-raw,format=I420 ! y4menc",
    **dict.fromkeys(("film.mp4", "left.mp4", "right.mp4", "a.mp4", "b.mp4", "c.mp4"), "videotestsrc num-buffers=10 ! openh264enc ! h264parse ! mp4mux"),
    "recording.ts": "videotestsrc num-buffers=10 ! openh264enc ! h264parse ! mpegtsmux",
    "frame_1920x1080.uyvy": "videotestsrc num-buffers=1 ! "
                            "video/x-raw,format=UYVY,width=1920,height=1080",
}
# Three cameras in a row, for pictures of 320x240.
RIG = "\n".join(f"1000 0 159.5 {x}\n0 1000 119.5 0\n0 0 1 0\n" for x in (0, -100000, -200000))
# The base classes' and GStreamer's. The README has the former.
SHARED = {"name", "parent", "qos", "backend", "cuda-device-id", "n-threads", "active-backend", "stats",
          "emit-signals", "force-live", "latency", "min-upstream-latency", "start-time", "start-time-selection"}
NOT_RUN_THERE = "[not run on its hardware]"
CODE = re.compile(r"`([^`\n]+)`")


def hardware_ends():
    with open(f"{ROOT}/docs/cookbook.md", encoding="utf-8") as file:
        return dict(re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", file.read(), re.MULTILINE))


def without_hardware(command, ends, before):
    """The command with other ends; the text before it has to say so."""
    parts = []
    for part in re.split(r"(\s+!\s+| (?=\w+src )|'| (?=\w+\. !))", command):
        name = re.split(r",(?=\w+=)", part)[0] if re.match(r"(video|image)/", part) else part.split(" ")[0]
        if name in ends:
            if NOT_RUN_THERE not in before:
                fail(command, f"{name} is replaced: a link {NOT_RUN_THERE} is required before the command")
            part = ends[name] + (part[len(name):] if part.startswith("video/") else "")
        parts.append(part)
    return "".join(parts)


def commands(text):
    pattern = r"(<!-- not run: [^>]* -->\n)?```sh\n(.*?)```|`([^`\n]+)`"
    ends, end = hardware_ends(), 0
    for match in re.finditer(pattern, text, re.DOTALL):
        left_out, block, inline = match.groups()
        before = text[end:match.start()]
        for command in (block.replace("\\\n", " ").splitlines() if block else [inline]):
            if command.startswith(COMMANDS):
                if left_out:
                    print(f"{left_out.strip()} {command}")
                else:
                    yield without_hardware(command, ends, before)
        if block:
            end = match.end()


def fail(command, why):
    sys.exit(f"{command}\n{why}")


def run(command):
    words = shlex.split(command)
    if shutil.which(words[0]) is None:
        print("left out, not installed:", command)
        return
    words = ["fakesink" if word == "autovideosink" else word for word in words]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        fail(command, "runs for more than 300 seconds")
    said = done.stdout + done.stderr
    if done.returncode != 0 or re.search("ERROR|WARN|CRITICAL", said):
        fail(command, f"exit status {done.returncode}\n{said}")
    for name in re.findall(r"\bfilesink location=(\S+)|-o (\S+)", command):
        name = "".join(name)
        if not os.path.exists(name) or os.path.getsize(name) == 0:
            fail(command, f"{name} is missing or empty")


def properties(element):
    """Names and defaults, as gst-inspect-1.0 has them."""
    done = subprocess.run(["gst-inspect-1.0", element], capture_output=True, text=True, check=True)
    found = {}
    for name, text in re.findall(r"^  ([a-z0-9-]+) +: (.*?)(?=^  \S|\Z)", done.stdout,
                                 re.MULTILINE | re.DOTALL):
        if name in SHARED:
            continue
        default = re.search(r"Default: *(?:\S+, )?(.*?) *$", text, re.MULTILINE)
        if "writable" not in text:
            found[name] = "read-only"
        elif default:
            found[name] = default.group(1) or '""'
    return found


def table_rows(page, text):
    """Names, default and examples of each row of the tables of properties."""
    tables = re.findall(r"^\| property \| default \|.*\| example \|\n\|[-|]+\n((?:\|.*\n)+)", text,
                        re.MULTILINE)
    if not tables:
        sys.exit(f"{page}: no table of properties")
    for row in "".join(tables).splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
        yield CODE.findall(cells[0]), cells[1], CODE.findall(cells[-1])


def check_table(page, text, element):
    """Returns the examples."""
    actual, described, examples = properties(element), set(), []
    for names, default, row_examples in table_rows(page, text) if actual or "| property |" in text else []:
        described.update(names)
        for name in names:
            if name not in actual:
                sys.exit(f"{page}: {element} has no property {name}")
            # Code is the default itself; other text describes it.
            written = CODE.findall(default)
            shown = written[0].strip('"') if written else actual[name].strip('"')
            if shown != actual[name].strip('"') or \
                    (default == "read-only") != (actual[name] == "read-only"):
                sys.exit(f"{page}: the default of {name} is {actual[name]}, not {default}")
            if default != "read-only" and not any(f"{name}=" in example for example in row_examples):
                sys.exit(f"{page}: no example sets {name}")
        examples += row_examples
    if missing := actual.keys() - described:
        sys.exit(f"{page}: the table lacks {', '.join(sorted(missing))}")
    return examples


def main():
    page, element = os.path.abspath(sys.argv[1]), (sys.argv[2:] or [None])[0]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    examples = check_table(page, text, element) if element else []
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, pipeline in FILES.items():
            if name in text:
                run(f"gst-launch-1.0 {pipeline} ! filesink location={name}")
        if "rig.txt" in text:
            with open("rig.txt", "w", encoding="utf-8") as file:
                file.write(RIG)
        for command in commands(text):
            filled = [command.replace("EXAMPLE", e) for e in examples] if "EXAMPLE" in command else [command]
            for one in filled:
                run(one)
            count += len(filled)
        os.chdir("/")
    if count < max(1, len(examples)):
        sys.exit(f"{page}: {count} commands, {len(examples)} examples")
    print(f"{count} commands")


main()
