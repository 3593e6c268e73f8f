"""Sessions, as people use it: the empty library, transcripts brought in, one read, two side by side."""

from core.clearance import Clearance, kind_of
from core.sessions import importing
from storage import tables
from storage.store import Store
from tests.pages.conftest import Open, assert_calm, shown


def test_empty_library_says_where_to_begin(open_page: Open) -> None:
    at = open_page("sessions.py")
    assert_calm(at)
    assert "No session yet" in shown(at) and at.button(key="sessions_empty")


def test_pasted_transcript_is_saved_and_waits_for_review(open_page: Open, store: Store) -> None:
    at = open_page("sessions.py")
    at.text_area(key="sessions_pasted").set_value("Client: I cannot sleep.\nCounselor: Since when?").run()
    at.button(key="sessions_import").click().run()
    assert_calm(at)
    kept = store.sessions.all(origin="imported")
    assert len(kept) == 1 and len(store.sessions.turns(kept[0].id or 0)) == 2
    assert "1 session brought in" in shown(at)
    at = open_page("sessions.py", session=kept[0].id)
    assert "I cannot sleep." in shown(at) and "Not reviewed yet" in shown(at)
    at.button(key="sessions_confirm").click().run()
    assert kind_of(store, "session", kept[0].id or 0) is Clearance.CONFIRMED
    assert "Not reviewed yet" not in shown(at)


def test_words_that_came_after_the_transcript_was_shown_are_not_confirmed(open_page: Open, store: Store, researcher: tables.Person) -> None:
    id = importing.import_transcripts(store, "a.txt", b"Client: I cannot sleep.\nCounselor: Since when?").saved[0]
    at = open_page("sessions.py", session=id)
    store.sessions.add_turn(tables.Turn(session_id=id, position=3, seat="client", text="Since Ann Smith of Leeds left."))
    at.button(key="sessions_confirm").click().run()
    assert_calm(at)
    assert "changed after it was shown" in shown(at) and kind_of(store, "session", id) is Clearance.UNCONFIRMED
    at.button(key="sessions_confirm").click().run()
    assert kind_of(store, "session", id) is Clearance.CONFIRMED and f"Read by {researcher.code}" in shown(at)


def test_unreadable_transcript_gets_a_sentence(open_page: Open, store: Store) -> None:
    at = open_page("sessions.py")
    at.text_area(key="sessions_pasted").set_value("Once upon a time there was nobody.").run()
    at.button(key="sessions_import").click().run()
    assert_calm(at)
    assert "nothing was saved" in shown(at) and store.sessions.count() == 0


def test_library_lists_and_filters(open_page: Open, store: Store, a_session: tables.Session) -> None:
    store.sessions.add(tables.Session(title="Exam nerves", origin="imported", language="zh"))
    at = open_page("sessions.py")
    assert "2 of 2 sessions" in shown(at)
    assert list(at.dataframe[0].value["Turns"]) == [0, 4]
    at.text_input(key="sessions_search").set_value("job").run()
    assert "1 of 2 sessions" in shown(at) and list(at.dataframe[0].value["Title"]) == ["Job loss"]


def test_session_shows_what_raters_said(open_page: Open, store: Store, a_session: tables.Session) -> None:
    rater = store.raters.ensure("person", "K-03")
    for repeat, value in enumerate((4.0, 5.0, None), 1):
        store.ratings.add(
            tables.Rating(
                rater_id=rater.id or 0, session_id=a_session.id or 0, instrument="wai-o-s", instrument_version=1,
                language="en", item="Q1", repeat=repeat, value=value, score=value,
            )
        )  # fmt: skip
    at = open_page("sessions.py", session=a_session.id)
    assert_calm(at)
    table = at.dataframe[0].value
    assert list(table["Mean"]) == [4.5] and list(table["n"]) == [2] and list(table["Unscored"]) == [1]
    assert "a person" in shown(at)


def test_a_mean_of_repeats_needs_two_thirds_of_those_asked_for(open_page: Open, store: Store, a_session: tables.Session) -> None:
    """As in Results; a call that failed left no row, and counts. At first one repeat of three was a mean like three."""
    rater = store.raters.ensure("model", "o-mini", "0123456789ab")
    common = {"rater_id": rater.id or 0, "session_id": a_session.id or 0, "instrument": "wai-o-s", "instrument_version": 1, "language": "en", "repeats": 3}
    rows = [
        store.ratings.add(tables.Rating(**common, item=item, repeat=repeat, value=value, score=value))
        for item, values in {"Q1": (4.0, None), "Q2": (4.0, 5.0)}.items()
        for repeat, value in enumerate(values, 1)
    ]
    at = open_page("sessions.py", session=a_session.id)
    assert_calm(at)
    table = at.dataframe[0].value
    assert [None if value != value else value for value in table["Mean"]] == [None, 4.5]
    assert list(table["n"]) == [1, 2] and list(table["Unscored"]) == [2, 1]
    for row, said in ((rows[0], "mean – (1 of 3 readable)"), (rows[2], "mean 4.50 (2 of 3 readable)")):
        at = open_page("results.py", rating=row.id)
        assert_calm(at)
        assert said in shown(at)


def test_an_item_that_does_not_apply_is_not_counted_as_unscored(open_page: Open, store: Store, a_session: tables.Session) -> None:
    rater = store.raters.ensure("model", "Judge", "hash")
    for item, value, reason in (("persona", 4.0, ""), ("beliefs", None, "not applicable"), ("motivation", None, "no JSON")):
        store.ratings.add(
            tables.Rating(
                rater_id=rater.id or 0, session_id=a_session.id or 0, instrument="client-consistency", instrument_version=2,
                language="en", item=item, value=value, score=value, reason=reason,
            )
        )  # fmt: skip
    at = open_page("sessions.py", session=a_session.id)
    assert_calm(at)
    table = at.dataframe[0].value
    assert list(table["Item"]) == ["Persona", "Beliefs", "Motivation"] and list(table["Unscored"]) == [0, 0, 1]
    at = open_page("results.py", section="client-consistency")
    assert_calm(at)
    assert "1 unscored" in shown(at) and "1 not applicable" in shown(at)


def test_session_shows_each_way_of_rating_by_itself(open_page: Open, store: Store, a_session: tables.Session) -> None:
    rater = store.raters.ensure("model", "o-mini", "hash")

    def rated(value: float | None, **more: object) -> None:
        store.ratings.add(
            tables.Rating(
                **{"rater_id": rater.id, "session_id": a_session.id, "instrument": "wai-o-s", "instrument_version": 1, "language": "en",
                   "item": "Q1", "value": value, "score": value, "setting": "reasoning", "prompt": "judge/item", "prompt_version": 1,
                   "way": "item", "engine": "openai", "engine_version": "7"} | more
            )
        )  # fmt: skip

    rated(5)
    rated(None, study_id=None, reason="no JSON")  # asked again: the readable one counts
    rated(4, instrument_version=2)
    rated(3, setting="none")
    rated(2, prompt_version=2)
    rated(1, prompt="judge/instrument", way="instrument")
    at = open_page("sessions.py", session=a_session.id)
    assert_calm(at)
    assert [list(one.value["Mean"]) for one in at.dataframe] == [[5.0], [4.0], [3.0], [2.0], [1.0]]
    assert [list(one.value["Unscored"]) for one in at.dataframe] == [[0]] * 5
    words = shown(at)
    for told in ("instrument 2", "no anchors", "prompt 2", "all items in one call", "version 7", "Not validated here"):
        assert told in words, told


def test_two_sessions_side_by_side(open_page: Open, store: Store, a_session: tables.Session) -> None:
    other = store.sessions.add_with_turns(
        tables.Session(title="Second", origin="simulated"),
        [tables.Turn(session_id=0, position=1, seat="client", text="<i>Hello</i> there.")],
    )
    at = open_page("sessions.py", session=a_session.id, beside=other.id)
    assert_calm(at)
    words = shown(at)
    assert "I keep counting the rent." in words and "&lt;i&gt;Hello&lt;/i&gt; there." in words


def test_series_codes_are_kept(open_page: Open, store: Store, a_session: tables.Session) -> None:
    at = open_page("sessions.py", session=a_session.id)
    next(w for w in at.text_input if w.label == "Client's code").set_value("K-01")
    next(b for b in at.button if b.label == "Save").click().run()
    assert store.sessions.get(a_session.id or 0).client_code == "K-01"


def test_unknown_session_is_said(open_page: Open) -> None:
    at = open_page("sessions.py", session=99)
    assert_calm(at)
    assert "99" in shown(at)


def test_deleting_a_session_returns_to_the_library(open_page: Open, store: Store, a_session: tables.Session) -> None:
    at = open_page("sessions.py", session=a_session.id)
    at.button(key="sessions_delete").click().run()
    at.button(key="deleting_sure").click().run()
    assert_calm(at)
    assert store.sessions.count() == 0 and "5 records were deleted" in shown(at)
