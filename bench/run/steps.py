# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the layers share: steps, and rows of ours beside peers."""

import typing


class Step(typing.NamedTuple):
    kind: str        # whose steps take as long as they were estimated, more or less
    title: str
    estimate: float  # seconds
    run: typing.Callable


def beside(base, ours, peers):
    """A row for each peer, by name, with our figures in each; or one of ours alone."""
    rows = [base | ours | {'peer': name} | fields for name, fields in peers.items()]
    return rows or [base | ours]
