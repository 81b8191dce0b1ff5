#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Summarises a meson testlog.json: what failed, what was skipped and why, and the counts last.

Only a plain pass counts as one; a timeout, a crash, or a test that was expected to fail does not.
Exits with 1 if anything failed or nothing ran.
"""
import json
import os
import re
import sys


def skip_reason(test):
    lines = [line.strip() for stream in ("stdout", "stderr")
             for line in test.get(stream, "").splitlines() if line.strip()]
    named = [line for line in lines if "skip" in line.lower()]
    reason = (named or lines or ["no reason given"])[-1]
    return re.sub(r"^skip\w*[\s:,-]+", "", reason, flags=re.IGNORECASE)


def main(path):
    tests = []
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as log:
            tests = [json.loads(line) for line in log if line.strip()]
    skipped = [test for test in tests if test["result"] == "SKIP"]
    passed = [test for test in tests if test["result"] == "OK"]
    failed = [test for test in tests if test["result"] not in ("OK", "SKIP")]

    print()
    for test in skipped:
        print(f"SKIP {test['name']}: {skip_reason(test)}")
    for test in failed:
        print(f"{test['result']} {test['name']} (log: {os.path.dirname(path)}/testlog.txt)")
    print(f"{len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
