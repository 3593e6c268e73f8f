"""The main job in a real browser: a report of one's own through the whole chain, to a quote in a transcript."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

REPORT = {
    "en": """Title: Nothing to say at the dinner table
Client: Hannah Brook, 41, bookkeeper, phone 0161 496 0123.
Case Brief
Hannah Brook came because she hardly speaks to her husband any more. She said that the evenings were silent and that she lay awake until three. Her mother died last spring, and she had not cried since.
Consultation Process
In the first session I listened and said back what I heard. She said she felt ashamed of being so distant. I asked what the silence protected her from. In the fourth session she told me that she was afraid of breaking down. We agreed that she would write a letter to her mother. In the sixth session she read the letter aloud and cried. In the last session she said that she had told her husband about it, and that they had talked until midnight.
Experience and Thoughts
Grief had been standing behind the silence. I could have asked about the mother earlier.
""",
    "zh": """标题：说不出口的晚饭
来访者王秀兰，41岁，会计，电话13800138000。
案例简述
王秀兰来咨询，是因为她和丈夫几乎不说话了。她说晚上家里很安静，自己常常到三点还睡不着。她的母亲去年春天去世，之后她一直没有哭过。
咨询过程
第一次咨询中，我倾听并复述她的话。她说自己这样疏远，觉得很羞愧。我问她沉默在保护什么。第四次咨询时，她告诉我她害怕自己会崩溃。我们商定，由她给母亲写一封信。第六次咨询时，她读了那封信，哭了。最后一次咨询时，她说自己把这些告诉了丈夫，两个人聊到半夜。
经验感想
沉默的背后是哀伤。我本可以早一点问到她的母亲。
""",
}
NAMES = {"en": "Hannah Brook", "zh": "王秀兰"}
DONE = {"en": "Checked against the rules", "zh": "按规则检查的结果"}


def bring_a_report(visitor: Visitor, language: str, folder: Path) -> None:
    """Upload, correct the components, read, confirm; note and dialogue follow."""
    path = folder / f"report-{language}.txt"
    path.write_text(REPORT[language], "utf-8")
    visitor.page.locator(".st-key-reports_files input[type=file]").set_input_files(path)
    visitor.settle()
    visitor.click("reports_read_files")
    visitor.click("reports_to_masking")
    assert NAMES[language] not in visitor.page.locator(".st-key-reports_text").inner_text()
    visitor.page.locator(".st-key-reports_read label").first.click()
    visitor.settle()
    visitor.click("reports_confirm")
    visitor.click("reports_note")
    expect(visitor.page.locator(".st-key-reports_dialogue button")).to_be_visible()
    visitor.click("reports_dialogue")
    visitor.see(DONE[language])
    turns = visitor.body()
    assert len(turns) > 300 and NAMES[language] not in turns


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_report_becomes_note_and_dialogue(
    visit: Callable[..., Visitor], language: str, tmp_path: Path
) -> None:
    visitor = visit(language=language)
    visitor.go("reports")
    bring_a_report(visitor, language, tmp_path)
    assert re.search(r"report=\d+", visitor.page.url)
    visitor.assert_calm()
