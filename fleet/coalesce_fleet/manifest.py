# SPDX-License-Identifier: LGPL-2.1-or-later
"""manifest.json and SHA256SUMS of DIR, from the journal. They depend on the outputs only, not on when or how often."""

from __future__ import annotations

import json
import os

from .inputs import STATE
from .segment import SUMS

NAMES = ("manifest.json", SUMS)
FIELDS = ("output", "input", "frames", "bytes", "sha256", "pipeline", "container", "made_by", "verified")


def write(to: str, records: dict) -> None:
    done = [records[name].done for name in sorted(records) if records[name].done]
    items = [{field: entry.get(field) for field in FIELDS} for entry in done]
    _replace(to, "manifest.json", json.dumps({"items": items}, indent=1) + "\n")
    # A folder of stills has a list of its own, which the entry is of.
    _replace(to, SUMS, "".join(f"{entry['sha256']}  {_listed(entry)}\n" for entry in done))


def _listed(entry: dict) -> str:
    return os.path.join(entry["output"], SUMS) if entry["container"] == "jp2" else entry["output"]


def _replace(to: str, name: str, text: str) -> None:
    temporary = os.path.join(to, STATE, f"tmp-{name}")
    with open(temporary, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, os.path.join(to, name))
