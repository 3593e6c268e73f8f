"""Two clients in one report are noticed and said; it stays one case, and one client is left in peace."""

import pytest

from core.reports import examples
from core.reports.clients import found_in
from core.reports.parsing import text_of
from core.reports.service import take_report
from storage.store import Store

HEAD = "Title: Nights\nType: sleep\nMethod: talk\nCase brief:\n{brief}\nProcess: We met.\nReflections: Slow."
TWO = [
    "Client A, a teacher, cannot sleep. Client B, her colleague, is afraid of her class.",
    "The first client came alone. The second client, a nurse, came in May.",
    "Anna is a 34-year-old woman who cannot sleep. Ben is a 29-year-old man who drinks.",
    "Both clients were seen in the same week by the same counselor.",
    "They came for couple counselling after a year of quarrels.",
    "Name: Anna Berg\nShe cannot sleep.\nName: Ben Marsh\nHe drinks.",
    "来访者甲，教师，失眠。来访者乙，护士，焦虑。",
    "张某，女，35岁，失眠三个月。李某，男，42岁，经常酗酒。",
    "两位来访者先后来到咨询室，分别谈了各自的问题。",
    "姓名：王某\n失眠三个月。\n姓名：李某\n经常酗酒。",
]
ONE = [
    "Anna is a 34-year-old woman. She lives with her husband, a 36-year-old man, and two children.",
    "The client came in May. The client said that her first client at work had left. Client A cannot sleep.",
    "Patient 1 of the ward round was named. She has 2 children and sees two doctors.",
    "来访者林某，女，17岁，高二学生。父亲45岁，工人；母亲43岁，教师。来访者一直失眠。",
    "来访者第一次来访时很紧张，第二次来访时好一些。",
]


@pytest.mark.parametrize("brief", TWO)
def test_two_clients_are_said_and_stay_one_case(store: Store, brief: str) -> None:
    taken = take_report(store, "two.txt", HEAD.format(brief=brief))
    told = [str(message) for message in taken.messages if "more than one client" in str(message)]
    assert len(taken.reports) == 1 and len(told) == 1 and "Looked at" in told[0]


@pytest.mark.parametrize("brief", ONE)
def test_one_client_is_left_in_peace(brief: str) -> None:
    assert found_in(HEAD.format(brief=brief)) == []


def test_the_examples_speak_of_one_client_each() -> None:
    for path in examples.files():
        assert found_in(text_of(path.name, path.read_bytes())) == [], path.name
