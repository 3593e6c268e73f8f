"""The entry: the pages, and the worker for studies that were still running when the workbench was closed."""

import importlib
import importlib.util
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import streamlit as st

from core.errors import WorkbenchError
from core.people.agreements import settle
from pages.browser_routes import routes
from storage.store import open_store

log = logging.getLogger("rapport")


@asynccontextmanager
async def lifespan(_app: Any) -> AsyncIterator[dict[str, Any]]:
    """Start the worker if units wait; a database that cannot be opened is said by the pages instead."""
    try:
        store = open_store()
        settle(store)  # what came in just before a kill follows what was agreed
        if importlib.util.find_spec("core.studies.service") is not None:
            importlib.import_module("core.studies.service").start_worker_if_needed(store)
    except WorkbenchError as error:
        log.error("%s", error)
    yield {}


def calm(error: Exception) -> bool:
    """A bug, in a sentence; its traceback goes to the log of the server."""
    from pages.components.layout import broken

    log.error("A page stopped on an unexpected error", exc_info=error)
    broken()
    return True


app = st.App("pages/frame.py", routes=routes(), lifespan=lifespan, on_script_error=calm)
