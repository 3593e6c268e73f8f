"""The worker's log: what went wrong and where, never a text, a parameter or an address; short, and private."""

import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path

from core.errors import place_of

MOST_BYTES = 500_000  # of the log, and as many of the one before it
QUIET = ("httpx", "httpx2", "httpcore", "openai", "aiohttp", "urllib3")  # they name addresses and headers
FORMAT = "%(asctime)s %(name)s %(levelname)s %(message)s"


class WithoutWords(logging.Formatter):
    """Writes where an error came from, and not what it says: that may quote a transcript."""

    def formatException(self, ei: object) -> str:
        error = ei[1] if isinstance(ei, tuple) else None
        return place_of(error, whole=True) if isinstance(error, BaseException) else ""


def begin(file: Path | None) -> None:
    """Log warnings and worse, to a file of limited length that only this account reads, or to the terminal."""
    handler: logging.Handler = logging.StreamHandler()
    if file is not None:
        os.umask(0o077)
        handler = RotatingFileHandler(file, maxBytes=MOST_BYTES, backupCount=1, encoding="utf-8")
    handler.setFormatter(WithoutWords(FORMAT))
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.WARNING)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.ERROR)
