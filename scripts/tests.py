#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Names and results of the tests in Meson build folders.

tests.py names FOLDER PATTERN...      print the names of the tests that match; fail if a pattern matches none
tests.py skip FOLDER SUITE REASON     record the tests of a suite as skipped
tests.py record FOLDER NAME RESULT [OUTPUT]   record a result (OK, FAIL, SKIP) of something that is no Meson test
tests.py summary FOLDER...            print which tests failed, which were skipped and why, and the counts last

Only a plain pass counts as one; a timeout, a crash, or a test that was expected to fail does not. summary
exits with 1 if anything failed or nothing ran.
"""
import difflib
import fnmatch
import json
import os
import re
import subprocess
import sys


def log_path(folder):
    return os.path.join(folder, "meson-logs", "testlog.json")


def all_tests(folder):
    listing = subprocess.run(["meson", "introspect", "--tests", folder], check=True, capture_output=True)
    return json.loads(listing.stdout)


def names(folder, *patterns):
    known = [test["name"] for test in all_tests(folder)]
    for pattern in patterns:
        if not fnmatch.filter(known, pattern):
            like = fnmatch.filter(known, f"*{pattern}*")[:9] or difflib.get_close_matches(pattern, known)
            sys.exit(f"no test has the name {pattern!r}; " + (f"similar: {', '.join(like)}; " if like else "")
                     + f"meson test -C {folder} --list prints the names")
    print("\n".join(name for name in known if any(fnmatch.fnmatch(name, p) for p in patterns)))


def record(folder, name, result, output=""):
    os.makedirs(os.path.dirname(log_path(folder)), exist_ok=True)
    with open(log_path(folder), "a", encoding="utf-8") as log:
        log.write(json.dumps({"name": name, "result": result, "stdout": output}) + "\n")


def skip(folder, suite, reason):
    for test in all_tests(folder):
        if suite in [name.rsplit(":", 1)[-1] for name in test["suite"]]:
            record(folder, test["name"], "SKIP", reason)


def skip_reason(test):
    lines = [line.strip() for stream in ("stdout", "stderr")
             for line in test.get(stream, "").splitlines() if line.strip()]
    named = [line for line in lines if "skip" in line.lower()]
    reason = (named[:1] or lines[-1:] or ["no reason given"])[0]
    return re.sub(r"^skip\w*[\s:,-]+", "", reason, flags=re.IGNORECASE)


def summary(*folders):
    passed, failed, skipped = 0, [], {}
    for folder in folders:
        tests = []
        if os.path.exists(log_path(folder)):
            with open(log_path(folder), encoding="utf-8", errors="replace") as log:
                tests = [json.loads(line) for line in log if line.strip()]
        if not tests:
            failed.append(f"FAIL {folder}: no test ran there")
        for test in tests:
            if test["result"] == "OK":
                passed += 1
            elif test["result"] == "SKIP":
                skipped.setdefault(skip_reason(test), {})[test["name"]] = None
            else:
                failed.append(f"{test['result']} {test['name']} (log: {folder}/meson-logs/testlog.txt)")
    print()
    for reason, tests in skipped.items():
        print(f"SKIP {', '.join(tests)}: {reason}")
    for line in failed:
        print(line)
    print(f"{passed} passed, {len(failed)} failed, {sum(map(len, skipped.values()))} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    commands = {"names": names, "skip": skip, "record": record, "summary": summary}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    sys.exit(commands[sys.argv[1]](*sys.argv[2:]))
