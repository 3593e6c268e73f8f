"""Everything that must hold before a change lands: style, types, and the users' stories. Run by `./run test`."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
USUAL = (
    "/usr/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
)
Step = Sequence[str]
CHECKS: tuple[Step, ...] = (("ruff", "check", "."), ("mypy",))
# Two rows beside each other, about as long; the browser apart from the pages, since Playwright keeps an event loop in its process.
APART = ("tests/core/studies", "tests/core/llm", "tests/storage", "tests/core/test_every_way_out.py")
ROWS: tuple[tuple[Step, ...], ...] = (
    (("pytest", *APART),),
    (
        ("pytest", "tests/browser"),
        ("pytest", "tests", "--ignore=tests/browser", *(f"--ignore={folder}" for folder in APART)),
    ),
)


def browser() -> str:
    """A Chromium or Chrome on this machine, else one that Playwright fetches; empty if there is none."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), "")
    found = found or next((path for path in USUAL if Path(path).exists()), "")
    if found:
        return found
    print("No Chromium or Chrome found; asking Playwright to fetch one …", flush=True)
    fetched = subprocess.run(
        [sys.executable, "-m", "playwright", "install", "chromium"], cwd=ROOT, check=False
    )
    return "playwright" if fetched.returncode == 0 else ""


def main() -> int:
    environment = os.environ | {"RAPPORT_TEST_BROWSER": browser()}
    if not environment["RAPPORT_TEST_BROWSER"]:
        print("No browser could be found or fetched: the browser tests are skipped.", flush=True)
        if environment.get("RAPPORT_REQUIRE_BROWSER"):
            return 1
    for step in CHECKS:
        print("—", *step, flush=True)
        if code := subprocess.run(command(step), cwd=ROOT, env=environment, check=False).returncode:
            return code
    if sys.argv[1:]:
        return subprocess.run(command(["pytest", *sys.argv[1:]]), cwd=ROOT, env=environment, check=False).returncode
    print("— pytest, two rows beside each other; each part is printed when it is done", flush=True)
    with ThreadPoolExecutor(len(ROWS)) as pool:
        codes = [row.result() for row in as_completed([pool.submit(run_row, row, environment) for row in ROWS])]
    return max(codes)


def command(step: Step) -> list[str]:
    return [sys.executable, "-m", *step]


def run_row(row: Sequence[Step], environment: Mapping[str, str]) -> int:
    """The steps of a row one after the other, each printed whole when it has ended; the worst exit code."""
    worst = 0
    for step in row:
        begun = time.monotonic()
        done = subprocess.run(
            command(step), cwd=ROOT, env=environment, check=False, text=True, encoding="utf-8", errors="replace",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        print(f"— {' '.join(step)} ({time.monotonic() - begun:.0f} s)\n{done.stdout}", flush=True)
        worst = max(worst, abs(done.returncode))  # a negative code is the signal that ended it
    return worst


if __name__ == "__main__":
    sys.exit(main())
