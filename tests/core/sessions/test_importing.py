"""Transcripts come in from many formats; each session is accepted, warned about or refused, with the reason."""

import json
from pathlib import Path

import pytest

from core.clearance import Clearance, kind_of
from core.sessions.importing import Brought, import_transcripts
from storage.store import Store

ZH = "来访者：我最近睡不好。\r\n\r\n心理咨询师：多久了？\r\n\r\n来访者：半年了。"
SHARED = Path(__file__).parents[4] / "shared" / "data"


def bring(store: Store, name: str, text: str | bytes) -> Brought:
    return import_transcripts(store, name, text.encode() if isinstance(text, str) else text)


def said(store: Store, brought: Brought, at: int = 0) -> list[tuple[str, str]]:
    return [(t.seat, t.text) for t in store.sessions.turns(brought.saved[at])]


def messages(brought: Brought) -> str:
    return " ".join(str(m) for m in brought.messages)


def test_labelled_chinese_text(store: Store) -> None:
    done = bring(store, "case_1.txt", ZH)
    assert (done.status, done.messages) == ("accepted", ())
    assert said(store, done) == [
        ("client", "我最近睡不好。"),
        ("counselor", "多久了？"),
        ("client", "半年了。"),
    ]
    session = store.sessions.get(done.saved[0])
    assert (session.language, session.origin, session.engine) == ("zh", "imported", "imported")
    assert kind_of(store, "session", done.saved[0]) is Clearance.UNCONFIRMED


def test_irregular_text_is_taken_apart_and_every_change_is_said(store: Store) -> None:
    text = (
        "案例记录\n来访者（姚先生）：我很累。\n心理咨询师：您可以：\n1. 深呼吸：慢一点。\n2. 散步。\n（一段时间后）\n"
        "心理咨询师：现在呢？\n母亲：他不听话。\n来访者：好一些。\n母亲：是的。\n父亲：嗯。\n心理咨询师：好。"
    )
    done = bring(store, "case.txt", text)
    assert done.status == "warned"
    assert said(store, done)[1] == (
        "counselor", "您可以：\n1. 深呼吸：慢一点。\n2. 散步。\n现在呢？"
    )  # fmt: skip
    for piece in ("lines 1", "姚先生", "lines 6", "母亲", "at 8, 10", "父亲", "joined (turn 2)"):
        assert piece in messages(done), piece


def test_english_labels_bold_and_several_sessions(store: Store) -> None:
    text = "**Therapist:** Hello.\n**Client:** Hi: there.\n---\nT: How are you?\nC: Fine.\n"
    done = bring(store, "two.md", text)
    assert len(done.saved) == 2 and said(store, done)[1] == ("client", "Hi: there.")
    assert said(store, done, 1) == [("counselor", "How are you?"), ("client", "Fine.")]


def test_list_of_labelled_strings(store: Store) -> None:
    done = bring(store, "1.json", json.dumps(["求助者：我很孤单。", "支持者：谢谢您说出来。"]))
    assert said(store, done) == [("client", "我很孤单。"), ("counselor", "谢谢您说出来。")]


def test_support_chats_with_scores_say_what_is_not_brought_in(store: Store) -> None:
    chats = [
        {
            "problem_type": "job crisis",
            "survey_score": {"seeker": {"empathy": "3"}},
            "dialog": [
                {"speaker": "speaker", "annotation": {}, "content": "Hello"},
                {"speaker": "listener", "annotation": {"strategy": "Questions"}, "content": "Hi."},
                {"speaker": "listener", "annotation": {}, "content": "How are you?"},
            ],
        },
        {"dialog": [{"speaker": "listener", "content": "Nobody there?"}]},
    ]
    done = bring(store, "chats.json", json.dumps(chats))
    assert done.status == "warned" and len(done.saved) == 1
    assert said(store, done) == [("client", "Hello"), ("counselor", "Hi.\nHow are you?")]
    assert "survey scores, strategy labels" in messages(done) and "chats · 2" in messages(done)
    assert store.sessions.get(done.saved[0]).topic == "job crisis"


def test_table_with_many_sessions_out_of_order(store: Store) -> None:
    rows = [
        "transcript_id,mi_quality,utterance_id,interlocutor,utterance_text",
        '1,high,1,client,"Sure, ok."',
        "1,high,0,therapist,May we talk?",
        "2,low,0,therapist,You drink.",
        "2,low,1,client,",
        "2,low,2,client,No.",
    ]
    done = bring(store, "mi.csv", "\ufeff" + "\n".join(rows))
    assert said(store, done) == [("counselor", "May we talk?"), ("client", "Sure, ok.")]
    assert said(store, done, 1) == [("counselor", "You drink."), ("client", "No.")]
    assert all(w in messages(done) for w in ("order column", "quality label", "empty: utterances at 5"))


def test_lines_of_json_as_sessions_or_messages(store: Store) -> None:
    lines = [
        {"title": "One", "client_code": "C1", "number": 3, "turns": [{"seat": "client", "text": "Hi"},
                                                                     {"seat": "counselor", "text": "Hello"}]},
        {"messages": [{"role": "system", "content": "Be kind"}, {"role": "user", "content": "I am sad"},
                      {"role": "assistant", "content": "Tell me"}]},
    ]  # fmt: skip
    done = bring(store, "s.jsonl", "\n".join([*map(json.dumps, lines), "{broken"]))
    first = store.sessions.get(done.saved[0])
    assert (first.title, first.client_code, first.number) == ("One", "C1", 3)
    assert said(store, done, 1) == [("client", "I am sad"), ("counselor", "Tell me")]
    assert "system message" in messages(done) and "lines 3" in messages(done)


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16"])
def test_other_encodings_are_read_and_named(store: Store, encoding: str) -> None:
    done = bring(store, "old.txt", (ZH * 3).replace("。来", "。\n来").encode(encoding))
    assert said(store, done)[0] == ("client", "我最近睡不好。")
    assert done.status == "warned" and "was read as" in messages(done)


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("empty.txt", b" \n", "is empty"),
        ("photo.txt", bytes(range(256)) * 8, "not text"),
        ("report.docx", b"PK", "read from .txt"),
        ("prose.txt", b"It was a dark night.", "Label the utterances"),
        ("who.txt", b"Speaker 1: Hello\nSpeaker 2: Hi", "not a conversation"),
        ("bad.json", b"{", "does not hold transcripts"),
        ("bad.csv", b"a,b\n1,2\n", "no column for the speaker"),
        ("one.txt", b"Client: Hello\nClient: Hello?", "its speakers are Client"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(
    store: Store, name: str, data: bytes, why: str
) -> None:
    done = bring(store, name, data)
    assert done.status == "refused" and why in messages(done)
    assert store.sessions.count() == 0


def test_the_same_transcript_is_not_saved_twice(store: Store) -> None:
    first = bring(store, "case.txt", ZH)
    again = bring(store, "case.txt", ZH)
    assert again.status == "refused" and f"as session {first.saved[0]}" in messages(again)
    assert store.sessions.count() == 1


def test_risk_signs_are_marked_and_the_result_prints_as_json(store: Store) -> None:
    done = bring(store, "risk.txt", "来访者：我不想活了。\n咨询师：谢谢您告诉我。")
    assert store.sessions.turns(done.saved[0])[0].risk[0]["kind"] == "suicide"
    assert done.plain() == {
        "name": "risk.txt", "status": "accepted", "saved": [{"kind": "session", "id": done.saved[0]}],
        "messages": [],
    }  # fmt: skip


@pytest.mark.skipif(not SHARED.exists(), reason="the shared public samples are not here")
def test_public_samples_all_come_in(store: Store) -> None:
    counts: dict[str, int] = {}
    for pattern in ("cpsycound/*.txt", "cpsycoune/*/*.json", "annomi/*.csv", "esconv/*.json"):
        for path in sorted(SHARED.glob(pattern)):
            done = import_transcripts(store, str(path), path.read_bytes())
            assert done.status != "refused", done
            counts[pattern] = counts.get(pattern, 0) + len(done.saved)
    assert counts == {
        "cpsycound/*.txt": 60, "cpsycoune/*/*.json": 18, "annomi/*.csv": 66, "esconv/*.json": 20
    }  # fmt: skip
