"""Do the pages stay quick while the worker runs? Each is drawn several times, idle and with 100 calls in flight."""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.prepared import ROOT, design, prepare
from tests.servers.handle import Misbehaving

PAGES = ("home", "studies", "sessions", "results", "privacy")
CALLS = 3000
DRAWN = 15


def draw(page: str) -> float:
    """Median seconds of one run of a page in this process, after two to warm up."""
    from streamlit.testing.v1 import AppTest

    seconds: list[float] = []
    app = AppTest.from_file(str(ROOT / "pages" / "frame.py"), default_timeout=60)
    app.switch_page(f"{page}.py")
    for _ in range(DRAWN + 2):
        start = time.perf_counter()
        app.run()
        seconds.append(time.perf_counter() - start)
        if app.exception:
            raise SystemExit(f"{page}: {app.exception[0].message}")
    return statistics.median(seconds[2:])


def drawn(database: str) -> dict[str, float]:
    """Every page that there is, drawn in a process of its own, as the workbench's server would."""
    command = [sys.executable, "-m", "benchmarks.pages"]
    known = os.environ | {"RAPPORT_DATABASE_URL": f"sqlite:///{database}"}
    done = subprocess.run(command, cwd=ROOT, env=known, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def pages(server: Misbehaving, folder: Path) -> None:
    """Idle, then while a study runs at 100 in flight and 2 s latency; prints both and their ratio."""
    from core.studies import service
    from storage.store import open_store

    database = str(folder / "pages.db")
    store = open_store(database)
    server.behave(latency=0.05)
    prepare(store, server.base_url, CALLS // 10)
    service.run_design(store, design(500, 100, "Finished before"))
    idle = drawn(database)
    server.behave(latency=2.0, forget=True)
    study: Any = service.begin(store, design(CALLS, 100, "Running") | {"fresh_draws": True})
    service.start(store, study.id or 0)
    while server.seen()["in_flight"] < 100:
        time.sleep(0.1)
    busy = drawn(database)
    running = store.studies.get(study.id or 0).state == "running"
    service.stop(store, study.id or 0)
    service.wait_for(store, study.id or 0, longest=30)
    print(f"\nPages while the worker has {server.seen()['most_in_flight']} calls of 2 s in flight\n{'':<44} {'idle':>9} {'busy':>11} {'ratio':>7}")
    for page, before in idle.items():
        print(f"{page:<44} {1000 * before:7.0f} ms  {1000 * busy[page]:7.0f} ms  {busy[page] / before:5.2f}")
    if not running:
        print("The study ended before the last page was drawn; give it more calls.")


if __name__ == "__main__":
    there = [page for page in PAGES if (ROOT / "pages" / f"{page}.py").exists()]
    print(json.dumps({page: draw(page) for page in there}))
