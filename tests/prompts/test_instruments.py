"""A researcher reads, checks and scores with the shipped instruments, or brings a file of their own."""

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel

from core.errors import DataError, PromptError
from core.instruments import Words, catalogue, load, parse
from core.instruments import said as in_language
from core.prompting import load as load_prompt
from core.prompting import render
from tests.prompts import published_runs

IDS = [
    "client-consistency",
    "client-realism",
    "client-receptivity",
    "cpsycoun-extrinsic",
    "cpsycoun-intrinsic",
    "hill",
    "risk",
    "wai-o-s",
    "wai-o-s-published",
]
MINE = {
    "id": "mine",
    "version": 1,
    "kind": "rating",
    "name": {"en": "Mine", "zh": "我的"},
    "purpose": {"en": "p", "zh": "用"},
    "source": "me",
    "licence": "mine",
    "levels": [{"value": 1}, {"value": 2}],
    "dimensions": [
        {
            "id": "d",
            "name": {"en": "D", "zh": "维"},
            "definition": {"en": "d", "zh": "义"},
            "items": [{"id": "a", "text": {"en": "A", "zh": "甲"}}],
        }
    ],
}


def test_all_instruments_of_the_papers_and_our_own_are_there() -> None:
    assert catalogue() == IDS


@pytest.mark.parametrize("name", IDS)
def test_each_states_source_and_licence_and_speaks_both_languages(name: str) -> None:
    instrument = load(name)
    assert instrument.source and instrument.licence and instrument.version >= 1
    texts = [instrument.name, instrument.purpose, *(d.name for d in instrument.dimensions)]
    texts += [item.text for item in instrument.items]
    texts += [level.anchor for item in instrument.items for level in item.levels if level.anchor]
    assert all(re.search(r"[\u4e00-\u9fff]", text.zh) for text in texts)
    assert not any(re.search(r"[\u4e00-\u9fff]", text.en) for text in texts)


@pytest.mark.parametrize("name", [name for name in IDS if name != "hill"])
def test_every_level_of_every_item_has_an_anchor_of_its_own(name: str) -> None:
    for item in load(name).items:
        anchors = [level.anchor for level in item.levels]
        assert all(anchors) and len({anchor.en for anchor in anchors if anchor}) == len(anchors), item.id


def test_the_alliance_has_four_items_a_dimension_with_anchors_that_are_not_shared() -> None:
    wai = load("wai-o-s")
    assert [item.id for item in wai.items] == [f"Q{number}" for number in range(1, 13)]
    assert [len(wai.items_of(name)) for name in ("goal", "approach", "bond")] == [4, 4, 4]
    anchors = [level.anchor.en for item in wai.items for level in item.levels if level.anchor]
    assert len(set(anchors)) == 60
    assert all(item.no_evidence == 3 and not item.reversed for item in wai.items)


def test_published_keying_is_reversed_exactly_once() -> None:
    ours, published = load("wai-o-s"), load("wai-o-s-published")
    assert [item.id for item in published.items if item.reversed] == ["Q1", "Q3"]
    assert [published.scored("Q1", raw) for raw in (1, 2, 3, 4, 5)] == [5, 4, 3, 2, 1]
    assert published.scored("Q2", 4) == ours.scored("Q1", 4) == 4
    best = published.item("Q1").levels[0].anchor
    assert best == ours.item("Q1").levels[-1].anchor


def test_a_dimension_is_the_mean_of_its_readable_items_where_they_are_half() -> None:
    wai = load("wai-o-s")
    scores = {"Q1": 5.0, "Q2": 4.0, "Q3": None, "Q9": 3.0}
    goal, approach, bond = wai.dimension_scores(scores).values()
    assert (goal.value, goal.n, goal.of) == (4.5, 2, 4)
    assert (approach.value, approach.n) == (None, 0)
    assert (bond.value, bond.n) == (None, 1)  # one of four is not enough
    assert wai.total(scores).value is None
    assert wai.total(scores | {f"Q{n}": 3.0 for n in (10, 11, 12)}).value == 3.5


@pytest.mark.parametrize(
    ("name", "most"),
    [("cpsycoun-intrinsic", [2, 4, 3, 1]), ("cpsycoun-extrinsic", [2, 3, 3, 1])],
)
def test_cpsycouns_criteria_add_up_to_its_points(name: str, most: list[float]) -> None:
    rubric = load(name)
    full = {item.id: item.highest for item in rubric.items}
    assert [score.value for score in rubric.dimension_scores(full).values()] == most
    assert rubric.dimension_scores(full | {"2.5": None})["professionalism"].value is None
    whole = load(f"{name}-holistic")
    assert [item.highest for item in whole.items] == most
    assert "(2.6)" in whole.item("professionalism").text.en


def test_the_points_of_professionalism_are_as_published() -> None:
    intrinsic, extrinsic = load("cpsycoun-intrinsic"), load("cpsycoun-extrinsic")
    ids = ["2.1", "2.2", "2.3", "2.4", "2.5", "2.6"]
    assert [intrinsic.item(name).highest for name in ids] == [0.5, 0.5, 0.5, 0.5, 1, 1]
    assert [extrinsic.item(name).highest for name in ids] == [0.25, 0.25, 0.25, 0.25, 1, 1]
    assert "said earlier" in extrinsic.item("3.1").text.en


def test_hill_compares_three_dimensions_a_stage() -> None:
    hill = load("hill")
    assert hill.kind == "comparison"
    stages = [hill.dimension_inputs(d.id, "en")["stage"] for d in hill.dimensions]
    assert stages == ["exploration"] * 3 + ["insight"] * 3 + ["action"] * 3
    assert hill.dimension_inputs("desired_change", "zh")["stage_name"] == "行动"


def test_client_aspects_may_be_not_applicable_and_receptivity_has_in_between_levels() -> None:
    assert all(item.not_applicable for item in load("client-consistency").items)
    assert load("client-consistency").shows_profile and not load("client-realism").shows_profile
    assert [level.value for level in load("client-receptivity").items[0].levels] == [1, 2, 3, 4, 5]


def test_the_setting_decides_which_anchors_a_judge_sees() -> None:
    wai = load("wai-o-s")
    none, general, detailed = (wai.item_inputs("Q5", "en", s) for s in ("none", "general", "detailed"))
    assert {level["anchor"] for level in none["levels"]} == {""}
    assert general["levels"][4] == {"value": 5, "anchor": "Strong evidence for the statement"}
    assert "worked out together" in detailed["levels"][4]["anchor"]
    inputs = {
        "instrument": wai.id,
        "setting": "general",
        "item": general,
        "turns": [],
        "profile": {},
        "sample": 0,
        **wai.about("en"),
    }
    assert "5 = Strong evidence" in render(load_prompt("judge/item", "en"), inputs)[1].content


def test_a_value_off_the_scale_is_refused() -> None:
    with pytest.raises(DataError, match=r"3\.5 is not a level of item Q1"):
        load("wai-o-s").scored("Q1", 3.5)
    with pytest.raises(DataError, match="has no item Q13"):
        load("wai-o-s").scored("Q13", 3)


def test_a_file_of_ones_own_loads_the_same_way() -> None:
    mine = parse(yaml.safe_dump(MINE, allow_unicode=True))
    assert mine.item_inputs("a", "zh")["text"] == "甲"
    assert mine.hash != parse(yaml.safe_dump(MINE | {"version": 2})).hash


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"levels": [{"value": 2}, {"value": 1}]}, "levels must rise"),
        ({"no_evidence": 3}, "no-evidence value is not a level"),
        ({"name": {"en": "only"}}, "name.zh"),
        ({"licence": ""}, "licence"),
        ({"surprise": 1}, "surprise"),
        ({"kind": "comparison"}, "a rating has items"),
        ({"dimensions": MINE["dimensions"] * 2}, "twice"),  # type: ignore[operator]
        ({"id": "../mine"}, "id"),
    ],
)
def test_a_faulty_file_is_refused_with_the_place(change: dict, why: str) -> None:
    with pytest.raises(PromptError, match=why):
        parse(yaml.safe_dump(MINE | change, allow_unicode=True))


@pytest.mark.parametrize(
    "text", ["", "- a", "a: [", "!!python/object:os.system x", "id: x\nvariant_of: none"]
)
def test_a_file_that_is_no_instrument_is_refused_plainly(text: str) -> None:
    with pytest.raises(PromptError):
        parse(text)


def test_an_unknown_instrument_is_said_plainly() -> None:
    for name in ("nothing", "../secrets", "wai-o-s-holistic"):
        with pytest.raises(PromptError):
            load(name)


def wordings(part: object) -> Iterator[Words]:
    """Every text of an instrument in both languages, wherever it stands."""
    if isinstance(part, Words):
        yield part
    elif isinstance(part, BaseModel):
        yield from (text for name in type(part).model_fields for text in wordings(getattr(part, name)))
    elif isinstance(part, Mapping):
        yield from (text for value in part.values() for text in wordings(value))
    elif isinstance(part, tuple):
        yield from (text for value in part for text in wordings(value))


def as_published(name: str) -> list[str]:
    known = published_runs.listed()
    lines = [line for text in wordings(load(name)) for line in (text.en, text.zh)]
    return sorted({run for line in lines for run in published_runs.runs(line) if published_runs.hashed(run) in known})


@pytest.mark.parametrize("name", IDS)
def test_no_line_shares_five_words_or_eight_characters_with_what_is_published(name: str) -> None:
    assert len(list(wordings(load(name)))) >= 12
    assert as_published(name) == []


def test_the_list_knows_published_wording() -> None:
    """The four longest common words of a published item are no run; one more is."""
    known = published_runs.listed()
    assert len(known) > 4000
    for said, found in (("There is agreement about the steps", True), ("agreement about the steps", False)):
        assert any(published_runs.hashed(run) in known for run in published_runs.runs(said)) == found


# sha256 of everything but the words, as it was in version 1: another structure is another id, not another version
STRUCTURES = {
    "client-consistency": "8deb0af7270c",
    "client-realism": "378b908a078d",
    "client-receptivity": "959f843f0f25",
    "cpsycoun-extrinsic": "c8aafdc57e87",
    "cpsycoun-intrinsic": "36a5a2af36fa",
    "hill": "ed11cc7168e6",
    "risk": "f795cf34269a",
    "wai-o-s": "d14eb5e0f3f6",
    "wai-o-s-published": "78a939fc5aa5",
    "cpsycoun-intrinsic-holistic": "03db596df7e1",
    "cpsycoun-extrinsic-holistic": "ebcd3e150a24",
}


def structure(name: str) -> str:
    instrument = load(name)
    items = [(i.id, i.dimension, [level.value for level in i.levels], i.reversed, i.not_applicable, i.no_evidence) for i in instrument.items]
    dimensions = [(dimension.id, dimension.stage) for dimension in instrument.dimensions]
    told = json.dumps([instrument.kind, instrument.scoring, dimensions, items])
    return sha256(told.encode()).hexdigest()[:12]


@pytest.mark.parametrize("name", [*IDS, "cpsycoun-intrinsic-holistic", "cpsycoun-extrinsic-holistic"])
def test_versions_differ_in_words_only(name: str) -> None:
    assert structure(name) == STRUCTURES[name]


def test_a_former_version_has_todays_items_and_none_of_its_words() -> None:
    for name in ("wai-o-s-published", "cpsycoun-intrinsic-holistic", "hill"):
        here, former = load(name), load(name, 7)
        assert former.version == 7 and load(name, here.version) is not former
        assert [(i.id, i.reversed, [at.value for at in i.levels]) for i in former.items] == [
            (i.id, i.reversed, [at.value for at in i.levels]) for i in here.items
        ]
        todays = {text.en for item in here.items for text in wordings((item.text, item.levels))} | {one.definition.en for one in here.dimensions}
        assert not todays & {text.en for text in wordings(former)}
    assert load("wai-o-s-published", 1).scored("Q1", 2) == 4


def test_the_alliance_has_one_word_in_chinese() -> None:
    catalogue_zh = (Path(__file__).parents[2] / "pages/locale/zh/LC_MESSAGES/rapport.po").read_text("utf-8")
    shipped = "".join(text.zh for name in IDS for text in wordings(load(name)))
    assert "工作同盟" in shipped and "工作同盟" in catalogue_zh
    assert "联盟" not in shipped + catalogue_zh


def test_items_without_a_number_have_a_name_for_readers() -> None:
    for name in [*IDS, "cpsycoun-intrinsic-holistic"]:
        for item in load(name).items:
            assert bool(item.name) == (not any(letter.isdigit() for letter in item.id)), (name, item.id)


def test_what_is_for_readers_alone_changes_no_hash() -> None:
    """A name and a translation of the source are told to no judge, so that no answer is asked for again because of them."""
    told = MINE | {"source": {"en": "me", "zh": "我"}, "licence": {"en": "mine", "zh": "我的"}}
    told["dimensions"] = [MINE["dimensions"][0] | {"items": [MINE["dimensions"][0]["items"][0] | {"name": {"en": "N", "zh": "名"}}]}]  # type: ignore[index]
    plain, named = (parse(yaml.safe_dump(one, allow_unicode=True)) for one in (MINE, told))
    assert named.hash == plain.hash and named.item("a").name and in_language(named.licence, "zh") == "我的"
    assert named.item_inputs("a", "zh") == plain.item_inputs("a", "zh") and named.about("zh") == plain.about("zh")
    assert parse(yaml.safe_dump(MINE | {"source": {"en": "you", "zh": "我"}})).hash != plain.hash


def test_a_file_that_names_no_source_in_short_and_no_rule_keeps_its_hash() -> None:
    """The key of an answer holds the hash: what did not change is not asked again."""
    assert load("hill").hash.startswith("0935a18a05fd")
