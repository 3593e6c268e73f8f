"""Reports in the shapes people save them in, and files that cannot be read."""

import io
from pathlib import Path

import pytest

from core.errors import DataError
from core.reports.components import PARTS, find_components, heading, read_cases
from core.reports.parsing import text_of

BRIEF = "A teacher came because she could not sleep at all since the move to another town and was worn out."
PROCESS = "We met eight times and talked about the nights, and what she did when she lay awake."
ENGLISH = {
    "markdown": f"# The move\n\n## Type\nInsomnia\n## Method\nCBT\n## Case brief\n{BRIEF}\n## Consultation process\n{PROCESS}\n## Experience and thoughts\nPace.",
    "numbered capitals": f"1. TITLE\nThe move\n2. TYPE\nInsomnia\n3. METHOD\nCBT\n4. CASE BRIEF\n{BRIEF}\n5. CONSULTATION PROCESS\n{PROCESS}\n6. EXPERIENCE AND THOUGHTS\nPace.",
    "labels": f"Title: The move\nType: Insomnia\nMethod: CBT\nCase brief: {BRIEF}\nConsultation process: {PROCESS}\nReflections: Pace.",
    "bold": f"**Title:** The move\n**Type:** Insomnia\n**Method**: CBT\n\n**Case brief**\n{BRIEF}\n**Process**\n{PROCESS}\n**Reflections:** Pace.",
    "roman": f"The move\nI. Type\nInsomnia\nII. Approach\nCBT\nIII. Background\n{BRIEF}\nIV. Course of counseling\n{PROCESS}\nV. Discussion\nPace.",
    "underlined": f"Title\n=====\nThe move\nType\n----\nInsomnia\nMethod\n----\nCBT\nCase brief\n-----\n{BRIEF}\nConsultation process\n----\n{PROCESS}\nConclusions\n----\nPace.",
    "windows lines": f"Title: The move\r\nType: Insomnia\r\nMethod: CBT\r\nCase brief:\r\n{BRIEF}\r\nConsultation process:\r\n{PROCESS}\r\nThoughts:\r\nPace.",
}
CHINESE = {
    "numerals": "一、标题：走进考场\n二、类型：焦虑\n三、方法\n认知\n四、案例简介\n（一）基本情况\n女，高三。\n（二）主诉\n失眠。\n五、咨询过程\n1. 咨询目标\n安心。\n2. 方法\n放松。\n六、经验感想\n慢一点。",
    "brackets": "【标题】走进考场\n【类型】焦虑\n【咨询方法】认知\n【案例简介】\n女，高三。\n【咨询过程】\n谈了六次。\n【经验感想】\n慢一点。",
    "labels": "标题：走进考场\n类型：焦虑\n方法：认知\n案例简介：女，高三。\n咨询过程：谈了六次。\n咨询感悟：慢一点。",
    "parts": "第一部分 标题\n走进考场\n第二部分 类型\n焦虑\n第三部分 方法\n认知\n第四部分 个案简介\n女，高三。\n第五部分 辅导过程\n谈了六次。\n第六部分 总结与反思\n慢一点。",
}


@pytest.mark.parametrize("shape", ENGLISH)
def test_english_headings_in_many_shapes(shape: str) -> None:
    case = find_components(text_of("a.txt", ENGLISH[shape].encode()))
    assert case.missing == () and case.language == "en"
    assert (case.parts["title"], case.parts["type"], case.parts["method"]) == ("The move", "Insomnia", "CBT")
    assert case.parts["case_brief"] == BRIEF and case.parts["consultation_process"] == PROCESS
    assert case.parts["experience_thoughts"] == "Pace."


@pytest.mark.parametrize("shape", CHINESE)
def test_chinese_headings_in_many_shapes(shape: str) -> None:
    case = find_components(CHINESE[shape])
    assert case.missing == () and case.language == "zh"
    assert (case.parts["title"], case.parts["type"], case.parts["method"]) == ("走进考场", "焦虑", "认知")
    assert "高三" in case.parts["case_brief"] and case.parts["experience_thoughts"] == "慢一点。"


def test_stretches_lead_back_to_the_text() -> None:
    case = find_components(ENGLISH["labels"])
    for part in PARTS:
        assert " ".join(case.text[a:b].strip() for a, b in case.where[part]) == case.parts[part]


def test_words_inside_a_component_open_nothing() -> None:
    text = ENGLISH["markdown"].replace(PROCESS, f"{PROCESS}\nTechnique: breathing\nAssessment: better\n### Goals\nSleep.")
    case = find_components(text)
    assert "breathing" in case.parts["consultation_process"] and "Sleep." in case.parts["consultation_process"]
    assert case.parts["method"] == "CBT" and heading("She told me her history.") == ("", "", "")


def test_missing_components_are_named_and_no_headings_too() -> None:
    assert find_components(f"Title: The move\nCase brief: {BRIEF}").missing == ("type", "method", "consultation_process", "experience_thoughts")
    bare = find_components(f"{BRIEF}\n{PROCESS}")
    assert not bare.headed and bare.parts["case_brief"] == f"{BRIEF}\n{PROCESS}"


@pytest.mark.parametrize("line", ["Case {n}: A move", "## Case {n}", "**Client {n}**", "案例{n}：走进考场", "Report No. {n}"])
def test_several_cases_are_split(line: str) -> None:
    text = "\n".join(f"{line.format(n=n)}\nType: x\nCase brief: {BRIEF}\nProcess: {PROCESS}" for n in (1, 2))
    reading = read_cases("two.txt", text)
    assert len(reading.cases) == 2 and all(case.parts["case_brief"] == BRIEF for case in reading.cases)


def test_several_cases_without_a_mark_are_refused() -> None:
    text = "\n".join(f"Case brief\n{BRIEF}\nConsultation process\n{PROCESS}" for _n in (1, 2))
    with pytest.raises(DataError, match="several cases"):
        read_cases("two.txt", text)
    assert len(read_cases("two.txt", "\n".join(f"Title: {n}\n" + text[: len(text) // 2] for n in "ab")).cases) == 2


def test_a_sentence_about_a_case_splits_nothing() -> None:
    text = f"Title: Two\nCase brief: {BRIEF}\nCase one said that it was hard and case two agreed with that.\nClient 2 came late.\nProcess: {PROCESS}"
    assert len(read_cases("one.txt", text).cases) == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030", "big5"])
def test_encodings_are_told(encoding: str) -> None:
    text = (Path(__file__).parents[3] / "examples" / "走进考场之前.txt").read_text("utf-8")
    if encoding == "big5":
        text = "標題：考試\n類型：焦慮\n案例簡介：來訪者說他的情緒不好，這個時候他不想去學校，也不想說話。\n諮詢過程：我們談了他的問題。"
    assert text_of("a.txt", text.encode(encoding)) == text.strip()


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("empty.txt", b"", "is empty"),
        ("blank.md", b" \n\n", "is empty"),
        ("locked.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "password"),
        ("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "not a kind of file"),
        ("renamed.docx", b"just text", "not a Word document"),
        ("renamed.txt", b"PK\x03\x04" + b"\0\1\2" * 90, "not a text file"),
        ("broken.pdf", b"%PDF-1.4 nothing more", "not a PDF"),
        ("noise.txt", bytes(range(128, 256)) * 9, "cannot be told"),
        ("photo.png", b"\x89PNG", "not a kind of file"),
    ],
)
def test_broken_files_get_a_sentence(name: str, data: bytes, says: str) -> None:
    with pytest.raises(DataError, match=says) as told:
        text_of(name, data)
    assert name in str(told.value) and "saved" in str(told.value)


def test_word_headings_and_tables_are_read() -> None:
    from docx import Document

    document = Document()
    document.add_heading("The move", 0)
    table = document.add_table(rows=2, cols=2)
    for row, (head, words) in zip(table.rows, [("Type", "Insomnia"), ("Method", "CBT")], strict=True):
        row.cells[0].text, row.cells[1].text = head, words
    document.add_heading("Case brief", 1)
    document.add_paragraph(BRIEF)
    document.add_heading("Consultation process", 1)
    document.add_paragraph(PROCESS)
    box = io.BytesIO()
    document.save(box)
    case = find_components(text_of("a.docx", box.getvalue()))
    assert case.missing == ("experience_thoughts",) and case.parts["title"] == "The move" and case.parts["method"] == "CBT"


def test_a_title_is_one_line() -> None:
    case = read_cases("a.txt", "Title: A long winter\nClient: a nurse.\nCase Brief\nShe came in autumn.\nProcess\nWe met.")
    assert case.cases[0].parts["title"] == "A long winter"
    assert case.cases[0].parts["case_brief"] == "Client: a nurse.\nShe came in autumn."
