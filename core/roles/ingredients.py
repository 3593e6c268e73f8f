"""What roles are made of: stressors, traits, life events, genders and rules, read from ``prompts/roles``."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from core.errors import DataError, PromptError

FOLDER = Path(__file__).parents[2] / "prompts" / "roles"


@dataclass(frozen=True)
class Label:
    """A text in both languages."""

    en: str
    zh: str

    def of(self, language: str) -> str:
        return self.zh if language == "zh" else self.en


@dataclass(frozen=True)
class Stressor:
    """An ongoing challenge: ages it fits (years), and what it asks of family situation and occupation."""

    id: str
    label: Label
    category: str
    category_label: Label
    youngest: int
    oldest: int
    family: tuple[str, ...] = ()
    work: tuple[str, ...] = ()


@dataclass(frozen=True)
class Variant:
    """One variant of a trait sub-category; ``also`` are other names for it in a text."""

    id: str
    subcategory: str
    subcategory_label: Label
    group: str
    group_label: Label
    label: Label
    description: Label
    also: tuple[Label, ...] = ()

    def names(self, language: str) -> tuple[str, ...]:
        return (self.label.of(language), *(other.of(language) for other in self.also))


@cache
def read(name: str) -> Any:
    """The data of ``prompts/roles/<name>.yaml``; treat it as read-only.

    Raises:
        PromptError: the file is missing or not YAML.
    """
    try:
        return yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise PromptError(
            "The ingredients of roles in {path} cannot be read ({why}). Restore the file from the project; "
            "nothing was lost.",
            path=f"prompts/roles/{name}.yaml",
            why=str(error),
        ) from error


@cache
def stressors() -> dict[str, Stressor]:
    """All fifty stressors by id, category after category."""
    return {
        known["id"]: Stressor(
            known["id"], Label(**known["label"]), category["id"], Label(**category["name"]),
            youngest=known["ages"][0], oldest=known["ages"][1],
            family=tuple(known.get("family", ())), work=tuple(known.get("work", ())),
        )
        for category in read("stressors")["categories"]
        for known in category["stressors"]
    }  # fmt: skip


@cache
def traits() -> dict[str, dict[str, Variant]]:
    """Variants by sub-category and id; thirteen sub-categories in the order of the paper."""
    return {
        sub["id"]: {
            known["id"]: Variant(
                known["id"], sub["id"], Label(**sub["name"]), group["id"], Label(**group["name"]),
                Label(**known["label"]), Label(**known["description"]),
                tuple(Label(**other) for other in known.get("also", ())),
            )
            for known in sub["variants"]
        }
        for group in read("traits")["groups"]
        for sub in group["subcategories"]
    }  # fmt: skip


def variant(subcategory: str, code: str) -> Variant:
    """
    Raises:
        DataError: there is no such variant.
    """
    try:
        return traits()[subcategory][code]
    except KeyError as error:
        raise DataError(
            "{code} is not a variant of the trait {subcategory}. Choose one of the list; nothing was changed.",
            code=code,
            subcategory=subcategory,
        ) from error


def stressor(code: str) -> Stressor:
    """
    Raises:
        DataError: there is no such stressor.
    """
    try:
        return stressors()[code]
    except KeyError as error:
        raise DataError(
            "There is no stressor {code}. Choose one of the list; nothing was changed.", code=code
        ) from error


@cache
def genders() -> dict[str, Label]:
    return {known["id"]: Label(**known["label"]) for known in read("genders")["genders"]}


def event_categories(language: str) -> list[str]:
    return [str(Label(**known["name"]).of(language)) for known in read("life_events")["categories"]]


def is_chinese(text: str) -> bool:
    """Whether a text is written in Chinese: more ideographs than Latin words."""
    return len(re.findall(r"[\u4e00-\u9fff]", text)) > len(re.findall(r"[A-Za-z]+", text))
