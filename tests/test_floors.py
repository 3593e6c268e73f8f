"""The floors of the architecture: imports run down only."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Higher floors first; a stage may import its own floor's lower neighbours only where listed.
FLOORS = [
    {"app"},
    {"pages"},
    {"core.cli"},
    {"core.commands"},
    {"core.studies", "core.alliance"},
    {"core.reports", "core.roles", "core.sessions", "core.judging", "core.results"},
    {"core.llm", "core.prompting", "core.instruments"},
    {"core.people"},
    {"core.clearance"},
    {"core.agreement", "core.csv_files", "storage"},
    {"core.consent", "core.files"},
    {"core.errors", "core.cells", "core.private_files", "core.addresses"},
]
SAME_FLOOR = {
    ("core.llm", "core.prompting"),
    ("core.prompting", "core.llm"),  # the seam's plain types
    ("core.instruments", "core.llm"),
    ("core.instruments", "core.prompting"),
    ("core.studies", "core.alliance"),
    ("core.reports", "core.sessions"),  # a rebuilt dialogue is a session, with its signs of risk
}
IMPURE = {"streamlit", "openai", "sqlmodel", "sqlalchemy", "storage", "random", "time", "sqlite3"}


def part(module: str) -> str | None:
    """The part of the house a module lies in."""
    known = [name for floor in FLOORS for name in floor if module == name or module.startswith(name + ".")]
    return max(known, key=len, default=None)


def level(name: str) -> int:
    return next(i for i, floor in enumerate(FLOORS) if name in floor)


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def sources() -> list[Path]:
    folders = [ROOT / name for name in ("core", "pages", "storage")]
    return [
        *ROOT.glob("app.py"),
        *(p for folder in folders for p in sorted(folder.rglob("*.py")) if "versions" not in p.parts),
    ]


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_arrows_run_down(path: Path) -> None:
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    here = part(module)
    if here is None:
        return
    up = {
        there
        for name in imports(path)
        if (there := part(name))
        and there != here
        and (here, there) not in SAME_FLOOR
        and level(there) <= level(here)
    }
    assert not up, f"{module} imports {up}, which does not lie below it"


@pytest.mark.parametrize(
    "path", [p for p in sources() if "pages" not in p.parts and p.name != "app.py"], ids=str
)
def test_no_streamlit_below_the_pages(path: Path) -> None:
    assert not {name for name in imports(path) if name.split(".")[0] in {"streamlit", "pages"}}


@pytest.mark.parametrize("path", sorted((ROOT / "pages").rglob("*.py")), ids=lambda p: p.name)
def test_pages_reach_the_store_and_models_through_services(path: Path) -> None:
    assert not {
        name
        for name in imports(path)
        if name.split(".")[0] in {"sqlalchemy", "sqlmodel", "openai", "sqlite3"}
    }


@pytest.mark.parametrize("path", sorted((ROOT / "core" / "agreement").rglob("*.py")), ids=lambda p: p.name)
def test_statistics_are_pure(path: Path) -> None:
    assert not {name for name in imports(path) if name.split(".")[0] in IMPURE}


def test_neighbours_of_a_service_are_pure() -> None:
    """Beside a service only the named modules may touch the store or wait; the others may hand it on to a question.

    Each module of ``core.people`` is a small service of its own.
    """
    doers = {
        "service.py", "live.py", "importing.py", "worker.py", "export.py", "making.py", "examples.py", "rereading.py", "taking_back.py",
        "agreements.py", "answers.py", "rights.py", "reviews.py", "looks.py",
    }  # fmt: skip
    for service in (ROOT / "core").rglob("service.py"):
        for path in service.parent.glob("*.py"):
            if path.name not in doers and not {"studies", "people"} & set(path.parts):
                reached = {
                    name for name in imports(path) if name.split(".")[0] in {"storage", "sqlmodel", "openai"}
                }
                pure = {"storage", "storage.store", "storage.store.Store", "storage.reviewed", "storage.reviewed.hashed"}
                assert not {n for n in reached - pure if not n.startswith("storage.tables")}, path
                assert not touched(path), f"{path} uses the store"


def touched(path: Path) -> set[int]:
    """The lines on which something of a store is used."""
    return {
        node.lineno for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value).split(".")[-1] == "store"
    }  # fmt: skip


def test_what_decides_over_consent_is_pure() -> None:
    assert not {name for name in imports(ROOT / "core" / "consent.py") if name.split(".")[0] in IMPURE}
