"""Signs of risk are marked where they stand; figures of speech are not."""

import pytest

from core.sessions import safety


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Some days I just want to die.", "suicide"),
        ("I don’t want to live anymore", "suicide"),
        ("I've thought about killing myself.", "suicide"),
        ("I started cutting myself again", "self_harm"),
        ("I could kill him for what he did", "violence"),
        ("He hits me when he drinks", "abuse"),
        ("Last night I took a whole bottle of pills", "medication"),
        ("I stopped taking my antidepressants", "medication"),
        ("我有时候真的不想活了", "suicide"),
        ("觉得活着没意思", "suicide"),
        ("忍不住想伤害自己", "self_harm"),
        ("我恨不得杀了他", "violence"),
        ("他喝了酒就打我", "abuse"),
        ("我自己把药停了，停了药以后睡不着", "medication"),
        ("我一口气吞了一把安眠药", "medication"),
    ],
)
def test_signs_are_found(text: str, kind: str) -> None:
    found = safety.marks(text)
    assert kind in {mark.kind for mark in found}
    assert all(text[mark.start : mark.end] == mark.phrase for mark in found)


@pytest.mark.parametrize(
    "text",
    [
        "Work is killing me, I was dying to see a film and it was to die for.",
        "I beat myself up about the exam.",
        "We just killed time, and it hit me how tired I was.",
        "I'll shoot him an email.",
        "真是笑死我了，累死了。",
        "他给我打了电话，老师打断了我。",
        "我有强迫症，喜欢打扫。",
        "",
    ],
)
def test_figures_of_speech_are_not(text: str) -> None:
    assert safety.marks(text) == []


def test_offsets_hold_with_either_apostrophe_and_full_width_letters() -> None:
    text = "Ｉ ｄｏｎ’t ｗａｎｔ to live"
    mark = safety.marks(text)[0]
    assert text[mark.start : mark.end] == mark.phrase == "ｄｏｎ’t ｗａｎｔ to live"


def test_only_the_client_is_marked_and_the_limits_are_stated() -> None:
    assert safety.risk_of("counselor", "Do you want to die?") == []
    for language in ("en", "zh"):
        assert safety.limits(language)
        assert all(safety.name_of(kind, language) != kind for kind in safety.KINDS)
