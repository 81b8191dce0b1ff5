#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A virtual environment with coalesce-fleet, Ray and pytest in build-fleet/, made once, and made anew if fleet's
requirements change. fleet/ itself is imported from the checkout.

usage: fleet_env.py     prints the interpreter; exits with 77 and the reason if there cannot be one
"""
import fcntl
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build-fleet"


class CannotInstall(Exception):
    pass


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        errors = re.findall(r"(?:ERROR|error): (\S+ .*)", done.stdout) or lines or ["no reason given"]  # of more than a word
        raise CannotInstall(f"{' '.join(map(str, command[1:4]))}: {errors[0].strip()}")


def interpreter():
    """Its path. Raises CannotInstall."""
    if sys.version_info < (3, 10):
        raise CannotInstall(f"coalesce-fleet requires Python 3.10, this is {sys.version.split()[0]}")
    FOLDER.mkdir(exist_ok=True)
    project = ROOT / "fleet" / "pyproject.toml"
    wanted = hashlib.sha256(project.read_bytes() + sys.version.encode()).hexdigest()
    python, made = FOLDER / "venv" / "bin" / "python", FOLDER / "made-for"
    with open(FOLDER / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two tests may begin at once
        if not (made.exists() and made.read_text() == wanted and python.exists()):
            made.unlink(missing_ok=True)
            shutil.rmtree(FOLDER / "venv", ignore_errors=True)
            run(sys.executable, "-m", "venv", FOLDER / "venv")
            run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout", "20", "--retries", "1",
                "--editable", f"{ROOT / 'fleet'}[ray,test]")
            made.write_text(wanted)
    return python


if __name__ == "__main__":
    try:
        print(interpreter())
    except CannotInstall as reason:
        print(f"skipped: coalesce-fleet cannot be installed here: {reason}")
        sys.exit(77)
