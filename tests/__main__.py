"""Everything that must hold before a change lands: style, types, and the users' stories. Run by `./run test`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
USUAL = (
    "/usr/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
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
    for step in steps(sys.argv[1:]):
        print("—", " ".join(step), flush=True)
        code = subprocess.run(
            [sys.executable, "-m", *step], cwd=ROOT, env=environment, check=False
        ).returncode
        if code:
            return code
    return 0


def steps(chosen: list[str]) -> list[list[str]]:
    """What is run, in order; the browser tests apart, for Playwright keeps an event loop in its process."""
    tests = (
        [["pytest", *chosen]] if chosen else [["pytest", "--ignore=tests/browser"], ["pytest", "tests/browser"]]
    )
    return [["ruff", "check", "."], ["mypy"], *tests]


if __name__ == "__main__":
    sys.exit(main())
