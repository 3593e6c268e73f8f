"""Instruments and prompts: everything can be read, in both languages."""

import pytest

from core import instruments
from core.prompting import catalogue
from tests.pages.conftest import Open, assert_calm, shown


@pytest.mark.parametrize("id", instruments.catalogue())
def test_every_instrument_can_be_read(open_page: Open, id: str) -> None:
    at = open_page("instruments.py")
    at.selectbox(key="instruments_id").set_value(id).run()
    at.segmented_control(key="instruments_wording").set_value("zh").run()
    assert_calm(at)
    found = instruments.load(id)
    assert found.dimensions[0].name.zh in shown(at).replace("\\", "")
    assert instruments.said(found.source, "zh")[:8] in shown(at) and instruments.said(found.licence, "zh")[:8] in shown(at)
    for item in found.items:
        assert not item.name or (f">{item.name.zh}<" in shown(at) and f"“{item.id}”" in shown(at)), item.id


def test_a_prompt_shows_its_words_and_hash(open_page: Open) -> None:
    at = open_page("instruments.py")
    at.segmented_control(key="instruments_view").set_value("prompts").run()
    for id, _languages in catalogue()[:3]:
        at.selectbox(key="instruments_prompt").set_value(id).run()
        assert_calm(at)
        assert "[system]" in at.code[0].value or "[user]" in at.code[0].value
        assert "Hash" in shown(at)
