# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the command begins: a signal during the imports, which need a moment, ends it as it does later."""

import os
import signal


def main() -> None:
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    from .cli import app
    signal.signal(signal.SIGINT, signal.default_int_handler)
    app()


if __name__ == "__main__":
    main()
