"""The main job in a real browser: a report of one's own through the whole chain, to a quote in a transcript."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import QUIET, Visitor

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
CHECK = {"en": "Pipeline check", "zh": "流程检查"}
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


def build_a_role(visitor: Visitor) -> None:
    """Every step of the chain is shown; the finished card opens under its own address."""
    visitor.go("roles")
    visitor.click("roles_build")
    visitor.page.locator(".st-key-roles_save button").wait_for(timeout=60_000)
    for step in ("stressor", "demographics", "life_events", "traits", "text", "checks"):
        expect(visitor.page.locator(f".st-key-roles_step_{step}")).to_be_visible()
    visitor.click("roles_save")
    expect(visitor.page).to_have_url(re.compile(r"role=\d+"))


def watch_a_session(visitor: Visitor) -> None:
    """Both speak word by word; a second tab and a refresh show the same session; it ends by itself."""
    visitor.click("roles_live")
    visitor.page.locator(".st-key-live_turns input").fill("6")
    visitor.page.locator(".st-key-live_turns input").press("Enter")
    visitor.settle()
    visitor.page.locator(".st-key-live_start button").click()
    visitor.page.wait_for_url(re.compile(r"session=\d+"), timeout=30_000)
    visitor.page.locator("#turn-4").wait_for(timeout=60_000)
    visitor.page.reload()
    visitor.page.locator("#turn-7").wait_for(timeout=60_000)
    visitor.page.locator(QUIET).wait_for(timeout=60_000)


def read_the_demo(visitor: Visitor) -> None:
    """One click runs the demo study; from a win score to the reasoning and its quote in the transcript."""
    visitor.go()
    visitor.page.locator(".st-key-home_demo button").click()
    visitor.page.locator(".st-key-home_next button").wait_for(timeout=90_000)
    visitor.go("results")
    visitor.see(CHECK[visitor.language])
    order = visitor.page.locator("[class*=st-key-results_read_] button").first
    order.scroll_into_view_if_needed()
    order.click()
    visitor.settle()
    link = visitor.page.locator("a[href^='#s']:not([href='#stMain'])").first
    target = str(link.get_attribute("href")).split("#")[1]
    link.click()
    quoted = visitor.page.locator(f"#{target}")
    expect(quoted).to_be_visible()
    expect(quoted.locator("mark").first).to_be_visible()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_from_a_report_to_a_quote_in_a_transcript(
    visit: Callable[..., Visitor], language: str, tmp_path: Path
) -> None:
    visitor = visit(language=language)
    visitor.go()
    if visitor.page.locator(".st-key-home_demo").count():
        read_the_demo(visitor)
        visitor.assert_calm()
    visitor.go("reports")
    bring_a_report(visitor, language, tmp_path)
    assert re.search(r"report=\d+", visitor.page.url)
    visitor.assert_calm()
    build_a_role(visitor)
    visitor.assert_calm()
    watch_a_session(visitor)
    visitor.assert_calm()
