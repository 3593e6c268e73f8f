"""The demo study: what every page shows on a fresh machine, made by running it on the demo engine."""

from typing import Any

from core import sentences
from core.errors import DataError
from core.reports import examples
from core.studies import service
from storage.store import Store

NAMES = {"en": "Demo study ({size})", "zh": "演示研究（{size}）"}
SIZES: dict[str, dict[str, Any]] = {
    "small": {"zh": "小", "en": "small", "roles": 6, "counselors": ["Hill-guided", "Plain supportive", "Advice-giving"]},
    "paper": {
        "zh": "论文规模", "en": "paper", "roles": 25,
        "counselors": ["Hill-guided", "Plain supportive", "Advice-giving", "CPsyCoun four-stage"],
    },
}  # fmt: skip
SEED = 20


def load_demo(store: Store, language: str, size: str = "small", wait: bool = False) -> int:
    """Run the demo study in a language and return its id; loaded before, it is found again, and goes on if it stopped.

    Raises:
        DataError: no such size or language; with ``wait``, it stopped before its end.
    """
    if size not in SIZES or language not in NAMES:
        raise DataError(
            "There is no demo study “{size}” in “{language}”. Choose small or paper, and en or zh; nothing was started.",
            size=size, language=language,
        )  # fmt: skip
    name = NAMES[language].format(size=SIZES[size][language])
    study = store.studies.find(name=name, language=language, origin="here")
    if study is None:
        reports, _left_out = examples.take(store, language)  # without one the study has a dialogue less
        study = service.begin(store, demo_design(name, language, size, reports))
    id = study.id or 0
    if study.state != "finished":
        service.start(store, id)
    if wait and service.wait_for(store, id) != "finished":
        raise DataError(
            "The demo study is not finished: {why} Open it on Studies and choose Resume; what was made is saved.",
            why=sentences.english(store.studies.get(id).reason) or store.studies.get(id).state + ".",
        )
    return id


def demo_design(name: str, language: str, size: str, reports: list[int]) -> dict[str, Any]:
    """Roles, sessions, both-order comparisons and repeated ratings; then a dialogue of each example report."""
    judged = [
        {"kind": "comparisons", "instrument": "hill"},
        {"kind": "ratings", "instrument": "wai-o-s", "repeats": 3, "setting": "reasoning"},
    ]
    rebuilt = [{"kind": "dialogues", "reports": reports}] if reports else []
    return {
        "name": name,
        "language": language,
        "seed": SEED,
        "steps": [
            {"kind": "roles", "count": SIZES[size]["roles"]},
            {"kind": "sessions", "counselors": SIZES[size]["counselors"]},
            *judged,
            *rebuilt,
        ],
    }
