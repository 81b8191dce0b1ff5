#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""fleet's own tests: fleet_test.py BUILD [OPTION of pytest...]. Skipped where coalesce-fleet cannot be installed."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from fleet_env import CannotInstall, interpreter  # noqa: E402


def main():
    build, options = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    try:
        python = interpreter()
    except CannotInstall as reason:
        print(f"skipped: coalesce-fleet cannot be installed here: {reason}")
        return 77
    environment = dict(os.environ, GST_PLUGIN_PATH=str(build / "gst"), CUDA_VISIBLE_DEVICES="-1")
    return subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=5", *options],
                          cwd=ROOT / "fleet", env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
