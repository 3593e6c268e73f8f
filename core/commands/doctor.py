"""What a person can check when something seems wrong with the installation."""

import os
import sys
from importlib import metadata
from typing import Any

from core.errors import StoreError

LIBRARIES = ("streamlit", "openai", "pandas", "plotly", "pingouin", "scikit-learn", "sqlmodel", "jinja2")


def examine() -> dict[str, Any]:
    """Versions, the database, and whether the words can be read; ``good`` is false if anything is amiss."""
    checks = [{"check": "Python", "found": sys.version.split()[0], "good": sys.version_info >= (3, 11)}]
    checks += [
        {"check": name, "found": version(name), "good": version(name) != "missing"} for name in LIBRARIES
    ]
    checks.append(database())
    checks.append(words())
    return {"good": all(check["good"] for check in checks), "checks": checks}


def version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"


def database() -> dict[str, Any]:
    from storage.database import database_url
    from storage.store import open_store

    try:
        open_store().close()
    except StoreError as error:
        return {"check": "database", "found": str(error), "good": False}
    where = database_url().render_as_string(hide_password=True)
    return {"check": "database", "found": f"{where} opens", "good": True}


def words() -> dict[str, Any]:
    from core.errors import PromptError
    from core.prompting import catalogue, load

    try:
        count = len([load(id, language) for id, languages in catalogue() for language in languages])
    except PromptError as error:
        return {"check": "prompts", "found": str(error), "good": False}
    local = os.environ.get("RAPPORT_LOCAL_HOSTS", "")
    return {
        "check": "prompts",
        "found": f"{count} load" + (f"; local hosts: {local}" if local else ""),
        "good": True,
    }
