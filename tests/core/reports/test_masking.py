"""What is masked and what is not, on sentences written for it; masking leaves no fragment and can be undone."""

import pytest

from core.reports.marking import add, decide
from core.reports.masking import Span, apply, find, neutral, restore

# Sentences, what must be gone, what must stay. The first of each language are the ones an earlier set of rules got wrong.
ENGLISH = [
    ("Okonkwo said that he had slept badly.", ["Okonkwo"], ["slept badly"]),
    ("She writes as @jane_doe88 and hides it.", ["jane_doe88"], ["hides it"]),
    ("O'Connell told me about the fire.", ["O'Connell", "Connell"], ["the fire"]),
    ("She whispered: my name is sarah, please help.", ["sarah"], ["please help"]),
    ("On Fridays she cannot face the office.", [], ["On Fridays"]),
    ("The earthquake in Sichuan still haunts her.", [], ["Sichuan"]),
    ("She was at a university and then at a hospital.", [], ["a university", "a hospital"]),
    ("Her husband Will drinks, and she will not say so.", ["Will"], ["she will not"]),
    ("Call her on 07700 900123 or write to p.novak@mail.example.", ["900123", "novak"], ["Call her"]),
    ("He lives at 12 Oak Street, Norwich NR1 3AB, with Grace Adeyemi.", ["Oak Street", "NR1", "Adeyemi"], ["He lives at"]),
    ("He has worked at Brightwater Logistics since May.", ["Brightwater"], ["since May"]),
    ("Date of birth: 04/05/1977. SSN 123-45-6789.", ["1977", "6789"], ["Date of birth"]),
    ("Dr Weiss referred Mrs Van der Berg to us in April 2021.", ["Weiss", "Berg"], ["to us in April"]),
    ("She was taught at St Mary's College and hated it.", ["Mary", "College"], ["hated it"]),
    ("Beck's model and CBT were explained; PHQ-9 was 14.", [], ["Beck's model and CBT", "PHQ-9 was 14"]),
    ("Then Priya wept. Priya's mother had died at Easter.", ["Priya"], ["at Easter"]),
    ("In March she read the Bible in English on Monday.", [], ["In March she read the Bible in English on Monday"]),
    ("Crying helped. Breathing exercises did too.", [], ["Crying helped. Breathing exercises did too."]),
    ("His NHS number is 943 476 5919.", ["5919"], ["His"]),
    ("Anne-Marie felt alone; so did her friend Tunde.", ["Anne-Marie", "Tunde"], ["felt alone"]),
]
CHINESE = [
    ("她今年十九岁，刚上大学。", ["十九岁"], ["刚上大学"]),
    ("她在华西医院做护士。", ["华西"], ["做护士"]),
    ("婷婷每天都很晚才睡。", ["婷婷"], ["很晚才睡"]),
    ("每周五她都不想上班。", [], ["每周五她都不想上班"]),
    ("她从四川来到这里，在某大学读书。", [], ["四川", "某大学"]),
    ("小王和同桌李晓明吵架了。", ["小王", "李晓明"], ["吵架了"]),
    ("王医生建议她来，由于老师很忙，她等了两周。", ["王医生"], ["由于老师很忙"]),
    ("她的丈夫陈磊在腾讯工作，电话是１３８００１３８０００。", ["陈磊", "腾讯", "１３８"], ["她的丈夫"]),
    ("身份证号110105194912310021，住在杭州市文三路118号3单元502室。", ["11010519", "文三路", "502"], ["住在"]),
    ("来访者林晓雯，女，17岁。晓雯成绩很好。", ["林晓雯", "晓雯", "17岁"], ["成绩很好"]),
    ("班主任老师介绍她前来，小时候父亲很严厉。", [], ["班主任老师介绍她前来，小时候父亲很严厉"]),
    ("张女士常常觉得高兴，有时又默默流泪。", ["张女士"], ["高兴", "默默流泪"]),
    ("她的微信号是lin_xw2007，邮箱是a.b@qq.com。", ["lin_xw2007", "a.b@qq.com"], ["她的"]),
    ("欧阳娜娜说她从小在福利院长大。", ["欧阳娜娜"], ["从小"]),
    ("他1988年5月3日出生，毕业于青禾市第二中学。", ["1988年5月3日", "第二中学"], ["毕业于"]),
    ("她在医院做检查，医生说没有大碍。", [], ["她在医院做检查，医生说没有大碍"]),
    ("于是她慢慢地安静下来，解释了原因。", [], ["于是她慢慢地安静下来，解释了原因"]),
    ("我叫周小芳，在一家外贸公司上班。", ["周小芳"], ["一家外贸公司"]),
    ("同事老李劝她去看心理医生。", ["老李"], ["心理医生"]),
    ("弗洛伊德和罗杰斯的理论她都读过。", [], ["弗洛伊德和罗杰斯"]),
]


@pytest.mark.parametrize(("text", "gone", "stays"), ENGLISH)
def test_english_sentences(text: str, gone: list[str], stays: list[str]) -> None:
    masked = apply(text, find({"case_brief": text}, "en")["case_brief"])
    assert [word for word in gone if word in masked] == [] and [word for word in stays if word not in masked] == []


@pytest.mark.parametrize(("text", "gone", "stays"), CHINESE)
def test_chinese_sentences(text: str, gone: list[str], stays: list[str]) -> None:
    masked = apply(text, find({"case_brief": text}, "zh")["case_brief"])
    assert [word for word in gone if word in masked] == [] and [word for word in stays if word not in masked] == []


def test_one_person_one_replacement_in_all_components() -> None:
    parts = {"title": "Maria's evenings", "case_brief": "Maria Oyelaran, 47, came with her brother Daniel.", "method": "Listening to Ms Oyelaran"}
    spans = find(parts, "en")
    masked = {part: apply(text, spans[part]) for part, text in parts.items()}
    assert masked["title"] == "Client A's evenings" and "Client A" in masked["method"] and "Person B" in masked["case_brief"]


def test_masking_is_undone_by_its_key() -> None:
    text = "Maria called Daniel. Daniel was cross; Client A is what some say. Maria wept."
    spans = find({"case_brief": text}, "en")["case_brief"]
    key = [(text[s.start : s.end], s.replacement) for s in spans]
    assert all(replacement != "Client A" for _said, replacement in key)
    back = restore(apply(text, spans), key)
    assert back is not None and back[0] == text and back[1] == [(s.start, s.end) for s in spans]
    assert restore("quite another text", key) is None


def test_overlapping_marks_leave_no_fragment() -> None:
    spans = [Span(0, 5, "name", "X"), Span(3, 9, "name", "Y"), Span(20, 99, "other", "Z")]
    assert apply("Anna Marie lives here now", spans) == "Xe lives herZ"


def test_full_width_and_invisible_signs_keep_their_places() -> None:
    text = "电话\u200b：１３８００１３８０００，再见"
    span = find({"case_brief": text}, "zh")["case_brief"][0]
    assert text[span.start : span.end] == "１３８００１３８０００"


def test_a_wrong_checksum_is_masked_all_the_same() -> None:
    found = find({"case_brief": "号码110105194912310021和11010519491231002X。"}, "zh")["case_brief"]
    assert [span.why for span in found] == ["identity number", "identity number, checksum right"]


def test_person_adds_and_keeps() -> None:
    parts = {"case_brief": "She loves Norwich. Norwich is grey.", "title": ""}
    spans = add(parts, find(parts, "en"), "Norwich", "address", "en")
    assert apply(parts["case_brief"], spans["case_brief"]) == "She loves [address 1]. [address 1] is grey."
    kept = decide(parts, spans, "Norwich", "[address 1]", kept=True)
    assert apply(parts["case_brief"], kept["case_brief"]) == parts["case_brief"]


def test_writers_read_no_letters() -> None:
    assert neutral("Client A came. Her brother Person B and Client A met.", "en") == "The client came. Her brother and the client met."
    assert neutral("来访者甲的父亲人物乙来了。", "zh") == "来访者的父亲来了。"
