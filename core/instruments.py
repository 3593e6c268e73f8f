"""Instruments: scales and rubrics as versioned data files; loading, checking and scoring them.

A file under ``prompts/instruments`` states source, licence, dimensions, items, levels with anchors,
reverse-keyed items and scoring, in English and Chinese side by side. A *variant* reuses another file and
changes only the keying of some items; ``<id>-holistic`` is the form with one number a dimension.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from core.errors import DataError, PromptError

FOLDER = Path(__file__).parent.parent / "prompts" / "instruments"
HOLISTIC = "-holistic"
NOT_APPLICABLE = "not applicable"  # why a rating has no value where the item does not apply
SETTINGS = ("none", "general", "detailed", "reasoning")
CLOSE = 1e-9


class Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Words(Data):
    """One text in both languages."""

    en: str = Field(min_length=1)
    zh: str = Field(min_length=1)

    def of(self, language: str) -> str:
        return self.zh if language == "zh" else self.en


Text = Annotated[str, Field(min_length=1)] | Words  # in one language, or in both


def said(text: Text, language: str = "en") -> str:
    """A text in this language where it is there in both, else as it is."""
    return text.of(language) if isinstance(text, Words) else text


class Level(Data):
    value: float
    anchor: Words | None = None


class Item(Data):
    """One thing to rate. ``no_evidence`` is the value without evidence for or against, if the scale has one.

    ``name`` is what readers see in place of an id that is no number; no judge is told it.
    """

    id: str = Field(min_length=1)
    name: Words | None = None
    dimension: str
    text: Words
    levels: tuple[Level, ...] = Field(min_length=2)
    reversed: bool = False
    not_applicable: bool = False
    no_evidence: float | None = None

    @property
    def lowest(self) -> float:
        return self.levels[0].value

    @property
    def highest(self) -> float:
        return self.levels[-1].value

    @model_validator(mode="after")
    def _levels_make_a_scale(self) -> "Item":
        values = [level.value for level in self.levels]
        if values != sorted(set(values)):
            raise ValueError(f"item {self.id}: levels must rise")
        if self.no_evidence is not None and self.no_evidence not in values:
            raise ValueError(f"item {self.id}: the no-evidence value is not a level")
        if self.reversed and any(self.lowest + self.highest - value not in values for value in values):
            raise ValueError(f"item {self.id}: its levels cannot be reversed")
        return self


class Dimension(Data):
    """What some items measure together, or what a comparison is about."""

    id: str = Field(min_length=1)
    name: Words
    definition: Words
    stage: str = ""


class Instrument(Data):
    """A whole instrument; ``items`` is empty for a comparison."""

    id: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    version: int = Field(ge=1)
    kind: Literal["rating", "comparison"]
    name: Words
    purpose: Words
    source: Text
    cite: Words | None = None  # the source as a judge is told it, in a few words
    licence: Text
    note: Words | None = None
    rule: Words | None = None  # how to come to a rating, where the source has a rule for it
    scoring: Literal["mean", "sum"] = "mean"
    shows_profile: bool = False
    general: tuple[Level, ...] = ()
    stages: Mapping[str, Words] = Field(default_factory=dict)
    dimensions: tuple[Dimension, ...] = Field(min_length=1)
    items: tuple[Item, ...] = ()

    @model_validator(mode="after")
    def _parts_fit(self) -> "Instrument":
        for what, ids in (
            ("dimension", [d.id for d in self.dimensions]),
            ("item", [i.id for i in self.items]),
        ):
            if len(ids) != len(set(ids)):
                raise ValueError(f"a {what} id occurs twice")
        known = {dimension.id for dimension in self.dimensions}
        if lost := {item.dimension for item in self.items} - known:
            raise ValueError(f"items belong to unknown dimensions {sorted(lost)}")
        if (self.kind == "rating") != bool(self.items):
            raise ValueError("a rating has items, a comparison has none")
        if any(dimension.stage and dimension.stage not in self.stages for dimension in self.dimensions):
            raise ValueError("a dimension names a stage that is not listed")
        return self

    @property
    def hash(self) -> str:
        """sha256 of everything a rating can depend on, whatever the file's layout.

        What is there for readers alone, names of items and translations of source and licence, changes no hash.
        """
        newer: dict[str, Any] = {name: True for name in ("cite", "rule") if getattr(self, name) is None}  # files without them keep their hash
        told = self.model_copy(update={"source": said(self.source), "licence": said(self.licence)})
        return hashlib.sha256(told.model_dump_json(exclude=newer | {"items": {"__all__": {"name"}}}).encode()).hexdigest()

    def item(self, item_id: str) -> Item:
        return cast(Item, self._named(self.items, "item", item_id))

    def dimension(self, dimension_id: str) -> Dimension:
        return cast(Dimension, self._named(self.dimensions, "dimension", dimension_id))

    def items_of(self, dimension_id: str) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.dimension == dimension_id)

    def range_of(self, items: Sequence[Item]) -> tuple[float, float]:
        """The lowest and the highest score these items can have together, by mean (of any of them) or sum."""
        lowest, highest = [item.lowest for item in items], [item.highest for item in items]
        return (sum(lowest), sum(highest)) if self.scoring == "sum" else (min(lowest), max(highest))

    def about(self, language: str) -> dict[str, str]:
        """What a judge is told of the instrument as a whole: ``source``, and its ``rule`` (empty where it has none)."""
        return {
            "source": self.cite.of(language) if self.cite else " ".join(said(self.source).split()),
            "rule": self.rule.of(language) if self.rule else "",
        }

    def item_inputs(self, item_id: str, language: str, setting: str = "reasoning") -> dict[str, Any]:
        """An item as an input of ``judge/item``; the setting decides which anchors are shown.

        ``none`` shows values only; ``general`` the one evidence scale for all items (an instrument
        without one shows its own anchors); ``detailed`` and ``reasoning`` the item's anchors.
        """
        item = self.item(item_id)
        levels = self.general if setting == "general" and self.general else item.levels
        told = setting != "none"
        shown = [
            {"value": plain(at.value), "anchor": at.anchor.of(language) if at.anchor and told else ""}
            for at in levels
        ]
        return {
            "id": item.id, "dimension": item.dimension, "text": item.text.of(language), "levels": shown,
            "reversed": item.reversed, "no_evidence": plain(item.no_evidence),
            "not_applicable": item.not_applicable,
        }  # fmt: skip

    def dimension_inputs(self, dimension_id: str, language: str) -> dict[str, Any]:
        """A dimension as an input of ``judge/compare``."""
        dimension = self.dimension(dimension_id)
        stage = self.stages[dimension.stage].of(language) if dimension.stage else ""
        return {
            "id": dimension.id, "stage": dimension.stage, "stage_name": stage,
            "name": dimension.name.of(language), "definition": dimension.definition.of(language),
        }  # fmt: skip

    def allows(self, item_id: str, value: float) -> bool:
        """Whether a raw value is one of the item's levels."""
        return any(abs(level.value - value) < CLOSE for level in self.item(item_id).levels)

    def scored(self, item_id: str, raw: float) -> float:
        """The score of a raw value: lowest + highest − raw for a reverse-keyed item, else as it is.

        Call it once for each rating, where the rating is made; everything stored as a score has been
        through it.

        Raises:
            DataError: the value is not a level of the item.
        """
        item = self.item(item_id)
        if not self.allows(item_id, raw):
            raise DataError(
                "{value} is not a level of item {item} of {instrument}. Use one of {levels}; nothing was saved.",
                value=raw, item=item_id, instrument=self.id,
                levels=", ".join(str(plain(level.value)) for level in item.levels),
            )  # fmt: skip
        return item.lowest + item.highest - raw if item.reversed else float(raw)

    def dimension_scores(self, scores: Mapping[str, float | None]) -> dict[str, "Score"]:
        """Scores of all dimensions from the *scored* values of one session's items (missing: ``None``)."""
        return {
            dimension.id: self._together([scores.get(item.id) for item in self.items_of(dimension.id)])
            for dimension in self.dimensions
        }

    def total(self, scores: Mapping[str, float | None]) -> "Score":
        """The score over all items, from *scored* values."""
        return self._together([scores.get(item.id) for item in self.items])

    def _named(self, parts: Iterable[Item | Dimension], what: str, name: str) -> Item | Dimension:
        for part in parts:
            if part.id == name:
                return part
        raise DataError(
            "The instrument {instrument} has no {what} {name}. Choose one of its own; nothing was saved.",
            instrument=self.id, what=what, name=name,
        )  # fmt: skip

    def _together(self, values: list[float | None]) -> "Score":
        """The mean or sum of the readable values, where they are ``enough``."""
        there = [value for value in values if value is not None]
        if len(there) < enough(len(values), self.scoring):
            return Score(None, len(there), len(values))
        total = sum(there)
        return Score(total if self.scoring == "sum" else total / len(there), len(there), len(values))


def enough(items: int, scoring: str) -> int:
    """How many of so many items must be readable for a score: of a mean half of them, of a sum every one.

    Source: half as for the judged dimensions of a role (ESC-Judge).
    """
    return items if scoring == "sum" else max(1, -(-items // 2))


@dataclass(frozen=True)
class Score:
    """A mean or sum with the number of readable items ``n`` of the ``of`` that there are."""

    value: float | None
    n: int
    of: int


def load(instrument_id: str, version: int | None = None, folder: Path = FOLDER) -> Instrument:
    """The shipped instrument of this id, or one of another folder; ``<id>-holistic`` gives one number a dimension.

    Args:
        version: the one something was judged with. Versions of an instrument differ in their words and in nothing
            else, so in place of words that are not here any more it says so (``worded_otherwise``).
    Raises:
        PromptError: there is none, or its file does not keep the form.
    """
    base = instrument_id.removesuffix(HOLISTIC)
    path = folder / f"{base}.yaml"
    if Path(base).name != base or not path.is_file():
        raise PromptError(
            "There is no instrument {name}. Choose one that is listed under Instruments and prompts.",
            name=instrument_id,
        )
    found = _read(path, path.stat().st_mtime_ns, base)
    if instrument_id.endswith(HOLISTIC):
        found = holistic(found)
    return found if version in (None, found.version) else worded_otherwise(found, version)


def worded_otherwise(instrument: Instrument, version: int) -> Instrument:
    """An instrument as it was in another version: same items, levels, keying and scoring, and none of today's wording.

    For figures and for reading stored replies again, never for asking.
    """
    said = Words(en=f"(worded otherwise in version {version})", zh=f"（第 {version} 版的措辞不同）")
    items = tuple(
        item.model_copy(update={"text": said, "levels": tuple(Level(value=at.value) for at in item.levels)})
        for item in instrument.items
    )
    dimensions = tuple(one.model_copy(update={"definition": said}) for one in instrument.dimensions)
    return instrument.model_copy(update={"version": version, "items": items, "dimensions": dimensions, "general": (), "rule": None})


@lru_cache(maxsize=64)
def _read(path: Path, changed_ns: int, instrument_id: str) -> Instrument:
    return parse(path.read_text("utf-8"), instrument_id, path.parent)


def files_of(instrument_id: str, folder: Path = FOLDER) -> list[Path]:
    """Every file that is needed to read this instrument: its own, or of a holistic form that of its items, and the file
    that a variant varies. Empty where there is none of this id."""
    base = instrument_id.removesuffix(HOLISTIC)
    path = folder / f"{base}.yaml"
    if Path(base).name != base or not path.is_file():
        return []
    data = yaml.safe_load(path.read_text("utf-8"))
    varied = data.get("variant_of", "") if isinstance(data, dict) else ""
    return [path, *(files_of(str(varied), folder) if varied and varied != base else [])]


def catalogue() -> list[str]:
    """Ids of the shipped instruments, in alphabetical order (holistic forms not counted)."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def parse(text: str, instrument_id: str = "", folder: Path = FOLDER) -> Instrument:
    """An instrument from the text of its file (a shipped one, or a person's own, e.g. a licensed wording).

    Args:
        folder: where the instrument that a variant varies lies.

    Raises:
        PromptError: the file does not keep the form; the reason is named.
    """
    try:
        data = yaml.safe_load(text)
        if not isinstance(data, dict):
            raise ValueError("it has no fields")
        instrument = _variant(data, folder) if "variant_of" in data else Instrument.model_validate(_filled(data))
        if instrument_id and instrument.id != instrument_id:
            raise ValueError(f"its id says {instrument.id}")
    except (ValidationError, yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise PromptError(
            "The instrument {name} cannot be used: {why}. Correct the file and try again; nothing was changed.",
            name=instrument_id or "given",
            why=_reason(error),
        ) from error
    return instrument


def _filled(data: dict[str, Any]) -> dict[str, Any]:
    """The file's short form written out: items stand under their dimensions, common levels stand once."""
    common = {key: data.pop(key) for key in ("levels", "no_evidence") if key in data}
    items: list[dict[str, Any]] = []
    dimensions: list[dict[str, Any]] = []
    for dimension in data.get("dimensions", []):
        own = dict(dimension)
        for item in own.pop("items", []):
            points = item.pop("points", None)
            shared = common | ({"levels": _points(common["levels"], points)} if points else {})
            items.append(shared | item | {"dimension": own["id"]})
        dimensions.append(own)
    return data | {"dimensions": dimensions, "items": items}


def _points(levels: list[dict[str, Any]], points: float) -> list[dict[str, Any]]:
    """Levels given as shares of 1, as points of a criterion."""
    return [level | {"value": level["value"] * points} for level in levels]


def _variant(data: dict[str, Any], folder: Path) -> Instrument:
    """Another instrument with some items worded and keyed the other way round; anchors follow."""
    base = load(data.pop("variant_of"), folder=folder)
    turned: dict[str, Any] = data.pop("reverse")
    if lost := set(turned) - {item.id for item in base.items}:
        raise ValueError(f"it reverses items that {base.id} does not have: {sorted(lost)}")
    items = [
        item.model_copy(update=_turned(item, turned[item.id])) if item.id in turned else item
        for item in base.items
    ]
    return Instrument.model_validate(
        base.model_dump() | data | {"items": [item.model_dump() for item in items]}
    )


def _turned(item: Item, text: Any) -> dict[str, Any]:
    """The item's fields when it is keyed the other way: the same anchors on the opposite values."""
    pairs = zip(item.levels, reversed(item.levels), strict=True)
    levels = tuple(Level(value=level.value, anchor=other.anchor) for level, other in pairs)
    return {"text": Words.model_validate(text), "reversed": not item.reversed, "levels": levels}


def holistic(instrument: Instrument) -> Instrument:
    """The form with one number a dimension, from 0 to its points in steps of a half (CPsyCoun's own way).

    Raises:
        PromptError: the instrument is not scored in points.
    """
    if instrument.scoring != "sum":
        raise PromptError(
            "The instrument {name} has no holistic form, because it is not scored in points. Use its items.",
            name=instrument.id,
        )
    items = tuple(_whole(instrument, dimension) for dimension in instrument.dimensions)
    return instrument.model_copy(update={"id": instrument.id + HOLISTIC, "items": items})


def _whole(instrument: Instrument, dimension: Dimension) -> Item:
    parts = instrument.items_of(dimension.id)
    most = sum(item.highest for item in parts)

    def told(language: str, mark: str) -> str:
        criteria = " ".join(f"({item.id}) {item.text.of(language)}" for item in parts)
        return f"{dimension.name.of(language)}{mark}{dimension.definition.of(language)} {criteria}"

    return Item(
        id=dimension.id,
        name=dimension.name,
        dimension=dimension.id,
        text=Words(en=told("en", ": "), zh=told("zh", "：")),
        levels=tuple(Level(value=step / 2) for step in range(round(most * 2) + 1)),
    )


def plain(value: float | None) -> float | int | None:
    """3 rather than 3.0, as it is shown to people and models."""
    return int(value) if value is not None and float(value).is_integer() else value


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return f"{where}: {first['msg']}" if where else str(first["msg"])
    return str(error)
