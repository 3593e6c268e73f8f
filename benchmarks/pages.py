"""How long do the pages take? ``python -m benchmarks.pages --sessions 10000`` makes a throw-away store of so many sessions
and draws every page of a researcher in it: CPU seconds of the server a run, beside those of a plain loop on this machine,
and what is sent to the browser. ``benchmarks.engine --pages`` draws them while the worker has 100 calls in flight.
"""

import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.filled import SECRET, fill
from benchmarks.prepared import ROOT, design, prepare
from tests.servers.handle import Misbehaving

PAGES = ("home", "studies", "sessions", "results", "privacy")
CALLS = 3000
DRAWN = 15
AGAIN = 3
LOOPS = 3_000_000
LONGEST = 0.3  # seconds of CPU a page may take once it was drawn
# what is drawn: page, address, what stands chosen on it
DRAWINGS: dict[str, tuple[str, dict[str, str], dict[str, Any]]] = {
    "Home": ("home.py", {}, {}),
    "Sessions": ("sessions.py", {}, {}),
    "Sessions, one searched": ("sessions.py", {}, {"sessions_search": "family 77"}),
    "Sessions, one of them": ("sessions.py", {"session": "5"}, {}),
    "Studies, one of them": ("studies.py", {}, {}),
    "Studies, new of roles": ("studies.py", {}, {"studies_study": 0}),
    "Studies, new of sessions": ("studies.py", {}, {"studies_study": 0, "studies_source_en": "sessions", "studies_source_zh": "sessions"}),
    "Live session": ("live.py", {}, {}),
    "Results, win rates": ("results.py", {}, {}),
    "Results, ratings": ("results.py", {"section": "wai-o-s"}, {}),
    "Agreement, judge": ("agreement.py", {}, {}),
    "Agreement, people": ("agreement.py", {"section": "people"}, {}),
    "Agreement, comparisons": ("agreement.py", {"section": "verdicts"}, {}),
    "Roles": ("roles.py", {}, {}),
    "Reports": ("reports.py", {}, {}),
    "Data and privacy": ("privacy.py", {}, {}),
    "Models and agents": ("models.py", {}, {}),
    "Instruments": ("instruments.py", {}, {}),
}


def a_browser(language: str = "English") -> Any:
    """A browser of the benchmark's researcher, at the frame."""
    from streamlit.testing.v1 import AppTest

    from core.people import service
    from pages.components import identity, resources, words

    store = resources.store()
    if service.of_secret(store, SECRET) is None:
        service.begin(store, SECRET)
    name = identity.cookie_name(store)
    identity.cookies = lambda: {name: SECRET}
    identity.signed_in = lambda: ""
    words.preferred = lambda: "zh" if language == "中文" else "en"  # AppTest reads the options of widgets outside a run
    app = AppTest.from_file(str(ROOT / "pages" / "frame.py"), default_timeout=600)
    app.session_state["frame_language"] = language
    return app


def timed(runs: list[float]) -> None:
    """Add the CPU seconds of each run of a page to ``runs``: the script alone, without what AppTest does around it."""
    from streamlit.testing.v1.local_script_runner import LocalScriptRunner

    whole = LocalScriptRunner.run

    def run(self: Any, *given: Any, **named: Any) -> Any:
        start = time.process_time()
        try:
            return whole(self, *given, **named)
        finally:
            runs.append(time.process_time() - start)

    LocalScriptRunner.run = run  # type: ignore[method-assign]


def calibrated() -> float:
    """CPU seconds of a plain loop on this machine: what a page's are compared with."""
    times = []
    for _ in range(5):
        start = time.process_time()
        sum(n * n for n in range(LOOPS))
        times.append(time.process_time() - start)
    return statistics.median(times)


def sent(app: Any) -> int:
    """Bytes of the elements on a page, as they go to the browser."""
    waiting, total = [app._tree], 0
    while waiting:
        block = waiting.pop()
        children = getattr(block, "children", None)
        waiting.extend(children.values() if children else ())
        proto = getattr(block, "proto", None)
        total += proto.ByteSize() if proto is not None and not children else 0
    return total


def change() -> None:
    """Write to the store as a study that runs does, by another connection: what pages keep of it is read anew."""
    with closing(sqlite3.connect(os.environ["RAPPORT_DATABASE_URL"].removeprefix("sqlite:///"))) as connection:
        connection.execute("INSERT INTO setting (name, value) VALUES ('benchmark', '1') ON CONFLICT (name) DO UPDATE SET value = value || '1'")
        connection.commit()


def measured(language: str) -> dict[str, Any]:
    """CPU seconds of each drawing, the first time, again, and after a change of the store; and the bytes it sends."""
    found: dict[str, Any] = {"calibrated": calibrated(), "drawings": {}}
    times: list[float] = []
    timed(times)
    for what, (page, query, chosen) in DRAWINGS.items():
        app = a_browser(language)
        app.run()
        for name, value in chosen.items():
            app.session_state[name] = value
        app.switch_page(page)
        times.clear()
        for at in range(1 + 2 * AGAIN):
            if at > AGAIN:
                change()
            for name, value in query.items():
                app.query_params[name] = value
            app.run()
            if app.exception:
                raise SystemExit(f"{what}: {app.exception[0].message}")
        found["drawings"][what] = (times[0], statistics.median(times[1 : 1 + AGAIN]), statistics.median(times[1 + AGAIN :]), sent(app))
    return found


def library(sessions: int, language: str, database: str = "") -> None:
    """Fill a store (unless there is one), draw every page in a process of its own, and print what it took."""
    from storage.store import open_store

    with tempfile.TemporaryDirectory() as folder:
        if not database:
            database = str(Path(folder) / "filled.db")
            store = open_store(database)
            fill(store, sessions)
            store.close()
        found = in_another(database, "--measure", language)
    loop = found["calibrated"]
    print(f"\nPages at {sessions:,} sessions, {language}: CPU of one run; a plain loop of {LOOPS:,} takes {loop:.3f} s")
    print(f"{'':<26} {'first':>8} {'again':>8} {'changed':>8} {'loops':>7} {'sent':>9}")
    for what, (first, again, changed, size) in found["drawings"].items():
        print(f"{what:<26} {first:6.2f} s {again:6.2f} s {changed:6.2f} s {again / loop:7.2f} {size / 1024:6.0f} KB{'  over' if again > LONGEST else ''}")


def in_another(database: str, *given: str) -> dict[str, Any]:
    """What a process of its own measures at this store, as the workbench's server would."""
    command = [sys.executable, "-m", "benchmarks.pages", *given]
    known = os.environ | {"RAPPORT_DATABASE_URL": f"sqlite:///{database}"}
    done = subprocess.run(command, cwd=ROOT, env=known, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit("\n".join(line for line in done.stderr.splitlines() if "ScriptRunContext" not in line)[-2000:])
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


# ---- while the worker runs -----------------------------------------------------------------------------------------


def draw(page: str) -> float:
    """Median seconds of one run of a page in this process, after two to warm up."""
    seconds: list[float] = []
    app = a_browser()
    app.run()
    app.switch_page(f"{page}.py")
    for _ in range(DRAWN + 2):
        start = time.perf_counter()
        app.run()
        seconds.append(time.perf_counter() - start)
        if app.exception:
            raise SystemExit(f"{page}: {app.exception[0].message}")
    return statistics.median(seconds[2:])


def pages(server: Misbehaving, folder: Path) -> None:
    """Idle, then while a study runs at 100 in flight and 2 s latency; prints both and their ratio."""
    from core.studies import service
    from storage.store import open_store

    database = str(folder / "pages.db")
    store = open_store(database)
    server.behave(latency=0.05)
    prepare(store, server.base_url, CALLS // 10)
    service.run_design(store, design(500, 100, "Finished before"))
    idle = in_another(database, "--draw")
    server.behave(latency=2.0, forget=True)
    study: Any = service.begin(store, design(CALLS, 100, "Running") | {"fresh_draws": True})
    service.start(store, study.id or 0)
    while server.seen()["in_flight"] < 100:
        time.sleep(0.1)
    busy = in_another(database, "--draw")
    running = store.studies.get(study.id or 0).state == "running"
    service.stop(store, study.id or 0)
    service.wait_for(store, study.id or 0, longest=30)
    print(f"\nPages while the worker has {server.seen()['most_in_flight']} calls of 2 s in flight\n{'':<44} {'idle':>9} {'busy':>11} {'ratio':>7}")
    for page, before in idle.items():
        print(f"{page:<44} {1000 * before:7.0f} ms  {1000 * busy[page]:7.0f} ms  {busy[page] / before:5.2f}")
    if not running:
        print("The study ended before the last page was drawn; give it more calls.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--language", choices=("English", "中文"), default="中文")
    parser.add_argument("--database", default="", help="a filled store, instead of a new one")
    parser.add_argument("--draw", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--measure", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.draw:
        print(json.dumps({page: draw(page) for page in PAGES}))
    elif given.measure:
        print(json.dumps(measured(given.measure)))
    else:
        library(given.sessions, given.language, given.database)


if __name__ == "__main__":
    main()
