"""Words of further speakers are nobody else's: left out with a sentence, or the session is refused."""

import json

import pytest

from core.sessions.importing import Brought, import_transcripts
from storage.store import Store

STRANGER = "She steals my money"


def bring(store: Store, text: str, name: str = "talk.txt") -> Brought:
    return import_transcripts(store, name, text.encode())


def words(store: Store, brought: Brought) -> str:
    return " ".join(turn.text for id in brought.saved for turn in store.sessions.turns(id))


def messages(brought: Brought) -> str:
    return " ".join(str(message) for message in brought.messages)


@pytest.mark.parametrize(
    "label", ["Mother", "Client's mother", "Dr. Weiss", "Mr. Brown", "(Father)", "**Husband**", "Anna", "Interpreter", "来访者母亲", "王女士", "丈夫"]
)
def test_a_third_person_who_speaks_once_is_left_out_and_named(store: Store, label: str) -> None:
    done = bring(store, f"Client: I am tired.\nCounselor: Since when?\n{label}: {STRANGER}.\nEvery day.\nClient: No.\nCounselor: I see.")
    assert len(done.saved) == 1 and done.status == "warned"
    assert "steals" not in words(store, done) and "Every day" not in words(store, done)
    assert label.strip("*()") in messages(done)


@pytest.mark.parametrize(
    "text",
    [
        "Client 1: I am tired.\nCounselor: Hm.\nClient 2: He lies.\nCounselor: Hm.\nClient 1: No.",
        "Client: I am tired.\nTherapist 1: Hm.\nTherapist 2: Since when?\nClient: Ever.\nTherapist 1: So.",
        "Client (wife): I am tired.\nCounselor: Hm.\nClient (husband): She lies.\nCounselor: Hm.",
        "Patient: I am tired.\nTherapist: Hm.\nDoctor: Take these.\nPatient: No.",
        "来访者（妻子）：我累。\n咨询师：嗯。\n来访者（丈夫）：我也是。\n咨询师：好。",
        "来访者1：我累。\n咨询师：嗯。\n来访者2：我也是。\n咨询师：好。",
        "Client (Anna): I am tired.\nCounselor: Hm.\nClient (Ben): She lies.\nCounselor: Hm.",
    ],
)
def test_two_people_in_one_seat_refuse_the_session(store: Store, text: str) -> None:
    done = bring(store, text)
    assert done.status == "refused" and "several people speak as the" in messages(done) and store.sessions.count() == 0


@pytest.mark.parametrize(
    "text",
    [
        "Client 1: I am tired.\nCounselor 1: Hm.\nClient 2: Very.\nCounselor 2: Since when?",
        "Client (crying): I am tired.\nCounselor: Hm.\nClient (after a while): Very.\nClient: Yes.",
        "来访者：我累。\n咨询师：嗯。\n来访者：很累。\n心理咨询师：多久了？",
        "来访者（姚先生）：我累。\n咨询师：嗯。\n来访者：很累。\n咨询师：多久了？",
    ],
)
def test_one_person_written_in_several_ways_stays_one(store: Store, text: str) -> None:
    assert len(bring(store, text).saved) == 1


def test_tables_and_chats_keep_people_apart_too(store: Store) -> None:
    table = "speaker,text\nClient 1,I am tired\nCounselor,Hm\nClient 2,He lies\nCounselor,Hm\n"
    assert bring(store, table, "talk.csv").status == "refused"
    chat = [{"role": "user", "name": name, "content": "Hi"} for name in ("Anna", "Ben")] + [{"role": "assistant", "content": "Hello"}]
    assert bring(store, json.dumps(chat), "chat.json").status == "refused"
    chat = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}, {"role": "observer", "content": STRANGER}]
    done = bring(store, json.dumps(chat), "chat.json")
    assert done.status == "warned" and "steals" not in words(store, done) and "observer" in messages(done)


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": "I cannot"}, {"type": "image_url", "image_url": {"url": "x"}}, {"type": "text", "text": "sleep."}],
        [{"type": "thinking", "thinking": "He lies."}, {"type": "text", "text": "I cannot\nsleep."}],
        {"content_type": "text", "parts": ["I cannot", {"asset_pointer": "x"}, "sleep."]},
        [{"text": "He lies.", "thought": True}, {"text": "I cannot"}, {"text": "sleep."}],
        ["I cannot", {"type": "tool_use", "input": {"text": "He lies."}}, "sleep."],
    ],
)
def test_a_message_of_parts_is_read_as_its_text(store: Store, content: object) -> None:
    done = bring(store, json.dumps([{"role": "user", "content": content}, {"role": "assistant", "content": "Since when?"}]), "chat.json")
    turns = store.sessions.turns(done.saved[0])
    assert turns[0].text == "I cannot\nsleep." and "one part of a message" in messages(done)
