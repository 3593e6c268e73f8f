"""What each person sees: nothing of anybody else's on any page, by any address, in any list; and every page asks."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.clearance import Clearance, kind_of
from core.people import looks
from core.people import service as people
from core.studies import own, service
from pages.components import places, resources
from storage import tables
from storage.store import Store
from tests.pages.conftest import AsPerson, Open, assert_calm, shown

PAGES = Path(__file__).parents[2] / "pages"
OTHERS = "OTHERWORD"  # stands in all that is somebody else's
WHO: dict[str, tuple[dict[str, list[str]], str]] = {
    "counselor": ({"counselor": []}, "T-01"), "supervisor": ({"supervisor": ["T-01"]}, "S-01"),
    "rater": ({"rater": []}, "K-01"), "client": ({"client": []}, "C-01"),
}  # fmt: skip
Address = tuple[str, dict[str, int]]


def session(store: Store, words: str, code: str, **more: Any) -> tables.Session:
    fields: dict[str, Any] = {"title": words, "origin": "imported", "state": "ended", "counselor_code": code} | more
    said = [tables.Turn(session_id=0, position=at, seat=seat, text=f"{words} {at}") for at, seat in enumerate(("client", "counselor"), 1)]
    return store.sessions.add_with_turns(tables.Session(**fields), said)


def live(store: Store) -> tables.Session:
    """A paused session in which another client and the other counselor spoke."""
    client, counselor = (people.begin(store, f"secret {code}", {role: []}, code) for role, code in (("client", "C-09"), ("counselor", "T-02")))
    turns = [
        tables.Turn(session_id=0, position=1, seat="client", text=f"{OTHERS} I cannot sleep.", speaker="person", person_id=client.id),
        tables.Turn(session_id=0, position=2, seat="counselor", text=f"{OTHERS} Since when?", speaker="person", person_id=counselor.id),
    ]
    held = tables.Session(title=OTHERS, origin="live", state="paused", client_person_id=client.id, counselor_person_id=counselor.id)
    return store.sessions.add_with_turns(held, turns)


@pytest.fixture
def world(store: Store) -> dict[str, int]:
    """A session and a report of T-01; all else is somebody else's, and says so. Ids by name."""
    resources.ensure_shipped(store)
    mine, others, talk = session(store, "Mine", "T-01"), session(store, OTHERS, "T-02"), live(store)
    store.reports.add(tables.Report(title="My case", case_brief="My brief.", content_hash="1", counselor_code="T-01"))
    case = store.reports.add(tables.Report(title=f"{OTHERS} case", case_brief=OTHERS, content_hash="2", counselor_code="T-02"))
    role = store.roles.add(tables.RoleCard(title=f"{OTHERS} role", sampling="written", text=OTHERS))
    study = store.studies.add(tables.Study(name=f"{OTHERS} study", state="finished"))
    rater = store.raters.ensure("rules", "Demo rater v1", "h")
    row = store.ratings.add(
        tables.Rating(
            study_id=study.id, rater_id=rater.id or 0, session_id=others.id or 0, instrument="wai-o-s", instrument_version=1,
            language="en", item="Q1", value=4, score=4, reasoning=f"{OTHERS} reasoning",
        )
    )  # fmt: skip
    found = {"mine": mine, "others": others, "live": talk, "case": case, "role": role, "study": study, "rating": row}
    return {name: record.id or 0 for name, record in found.items()}


def addresses(world: dict[str, int]) -> list[Address]:
    """Every page as it opens, and with every address of somebody else's."""
    asked: list[Address] = [
        ("sessions", {"session": world["others"]}), ("sessions", {"session": world["live"]}),
        ("sessions", {"session": world["mine"], "beside": world["others"]}), ("live", {"session": world["live"]}),
        ("live", {"session": world["others"]}), ("live", {"role": world["role"]}), ("reports", {"report": world["case"]}),
        ("roles", {"role": world["role"]}), ("studies", {"study": world["study"]}), ("results", {"study": world["study"]}),
        ("results", {"rating": world["rating"]}),
    ]  # fmt: skip
    return [*((page, {}) for page in all_pages()), *asked]


def all_pages() -> list[str]:
    return sorted(file.stem for file in PAGES.glob("*.py") if file.stem not in ("frame", "browser_routes"))


def everything(at: AppTest) -> str:
    """All that reached the browser: every element as it was sent, and the cells of every table."""
    sent = [str(getattr(element, "proto", "")) for block in (at.main, at.sidebar) for element in elements(block)]
    return "\n".join([*sent, *(frame.value.to_string() for frame in at.dataframe)])


def elements(block: Any) -> Iterator[Any]:
    for child in block.children.values():
        if hasattr(child, "children"):
            yield child
            yield from elements(child)
        else:
            yield child


def go(at: AppTest, page: str, query: dict[str, int]) -> AppTest:
    at.query_params.clear()
    at.switch_page(f"{page}.py")
    for name, value in query.items():
        at.query_params[name] = str(value)
    return at.run()


@pytest.mark.parametrize("who", WHO)
def test_nothing_of_anybody_elses_is_on_any_page(open_page: Open, as_person: AsPerson, world: dict[str, int], who: str) -> None:
    as_person(*WHO[who])
    at = open_page()
    for page, query in addresses(world):
        go(at, page, query)
        assert_calm(at)
        assert OTHERS not in everything(at), (page, query)


def test_the_researcher_sees_it_by_all_these_addresses(open_page: Open, world: dict[str, int]) -> None:
    """What the walk above looks for is there to be found."""
    at = open_page()
    for page, query in addresses(world):
        go(at, page, query)
        assert_calm(at)
        if query:
            assert OTHERS in everything(at), (page, query)


def test_own_is_there(open_page: Open, as_person: AsPerson, world: dict[str, int]) -> None:
    for who in ("counselor", "supervisor"):
        as_person(*WHO[who])
        at = open_page("sessions.py")
        assert list(at.dataframe[0].value["Session"]) == [world["mine"]]
        assert "Mine 1" in everything(go(at, "sessions", {"session": world["mine"]}))


def test_address_of_another_counselors_session_says_so_and_leads_on(open_page: Open, as_person: AsPerson, world: dict[str, int]) -> None:
    as_person(*WHO["counselor"])
    for page, name, id in (("sessions", "session", "others"), ("live", "session", "live"), ("reports", "report", "case")):
        at = open_page(f"{page}.py", **{name: world[id]})
        assert_calm(at)
        words = shown(at)
        assert f"This {name} is not yours" in words and [one.value for one in at.title] == ["This cannot be shown"] and not at.error
        assert "T-02" not in words and "C-09" not in words and "–" not in words, page
        assert at.get("download_button") == [] and not [b for b in at.button if (b.key or "").startswith(f"{page}_")]
        at.button(key="frame_own").click().run()
        assert_calm(at)
        assert "is not yours" not in shown(at), "the button leads to what is one's own"
    at = open_page("sessions.py", session=world["mine"])
    assert "Mine 1" in everything(at)


def test_supervisor_reads_and_changes_nothing(open_page: Open, as_person: AsPerson, world: dict[str, int]) -> None:
    as_person(*WHO["supervisor"])
    at = open_page("sessions.py", session=world["mine"])
    keys = {button.key for button in at.button}
    assert "Mine 1" in everything(at) and not keys & {"sessions_confirm", "sessions_delete", "sessions_rate"}
    assert not at.get("download_button") and not [one for one in at.text_input if "code" in one.label and "Your" not in one.label]


def test_counselor_confirms_changes_and_deletes_their_own(open_page: Open, store: Store, as_person: AsPerson, world: dict[str, int]) -> None:
    as_person(*WHO["counselor"])
    at = open_page("sessions.py", session=world["mine"])
    at.button(key="sessions_confirm").click().run()
    assert kind_of(store, "session", world["mine"]) is Clearance.CONFIRMED
    at = open_page("sessions.py", session=world["mine"])
    at.button(key="sessions_delete").click().run()
    at.button(key="deleting_sure").click().run()
    assert_calm(at)
    assert store.sessions.find(id=world["mine"]) is None and store.sessions.find(id=world["others"]) is not None


def test_a_record_that_is_no_longer_theirs_is_not_deleted(open_page: Open, store: Store, as_person: AsPerson, world: dict[str, int]) -> None:
    """The question is asked when the button is pressed, not only when it is drawn."""
    as_person(*WHO["counselor"])
    at = open_page("sessions.py", session=world["mine"])
    at.button(key="sessions_delete").click().run()
    store.sessions.update(world["mine"], counselor_code="T-02")
    at.button(key="deleting_sure").click().run()
    assert_calm(at)
    assert store.sessions.find(id=world["mine"]) is not None


def test_counselors_import_is_theirs(open_page: Open, store: Store, as_person: AsPerson) -> None:
    as_person(*WHO["counselor"])
    at = open_page("sessions.py")
    at.text_area(key="sessions_pasted").set_value("Client: I cannot sleep.\nCounselor: Since when?").run()
    at.button(key="sessions_import").click().run()
    assert_calm(at)
    assert [one.counselor_code for one in store.sessions.all()] == ["T-01"] and "1 session brought in" in shown(at)


def test_nobody_but_a_researcher_reaches_an_endpoint(open_page: Open, store: Store, as_person: AsPerson, monkeypatch: pytest.MonkeyPatch) -> None:
    """Testing a connection sends a key from the environment to an address that somebody typed."""
    store.endpoints.add(tables.Endpoint(name="Made up", base_url="https://evil.example/v1", model="m", key_env="OPENAI_API_KEY"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert open_page("models.py").button(key="models_test_1")
    for who in WHO.values():
        as_person(*who)
        at = open_page("models.py")
        assert "evil.example" not in everything(at) and not [b for b in at.button if (b.key or "").startswith("models_")]


def test_client_takes_a_free_seat_without_reading_first(open_page: Open, store: Store, as_person: AsPerson) -> None:
    waiting = session(store, OTHERS, "T-02", origin="live", state="paused")
    as_person(*WHO["client"])
    at = open_page("live.py", session=waiting.id)
    assert_calm(at)
    assert OTHERS not in everything(at) and at.button(key="live_take_client")
    assert not [button for button in at.button if button.key == "live_take_counselor"]


def test_counselor_has_an_own_session_rated(open_page: Open, store: Store, as_person: AsPerson, world: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    researcher = as_person()
    counselor = as_person(*WHO["counselor"])
    at = open_page("sessions.py", session=world["mine"])
    assert "No judge is released" in shown(at)
    judge = store.agents.find(name="Demo rater")
    assert judge is not None
    monkeypatch.setattr(own, "REPEATS", 1)
    own.release(store, researcher, judge.id or 0, True)
    started = service.start
    monkeypatch.setattr(service, "start", lambda store, id, keys=None, worker=True: started(store, id, keys, worker=False))
    monkeypatch.setattr(service, "start_worker_if_needed", lambda store: False)
    at = open_page("sessions.py", session=world["mine"])
    assert "no cost" in shown(at)
    at.button(key="sessions_rate").click().run()
    assert_calm(at)
    study = own.of_session(store, world["mine"])[0]
    assert study.person_id == counselor.id
    service.work_off(store)
    at = open_page("sessions.py", session=world["mine"])
    assert_calm(at)
    words = shown(at)
    assert "12 of 12" not in words and "version 1" in words and "Demo engine" in words and "Finished" in everything(at)
    assert at.button(key="sessions_rate").disabled and "would give nothing new" in words
    assert "wai-o-s" not in everything(at) and study.name.startswith(f"Session {world['mine']} · Demo rater · Working")
    assert all(len(asked) > 10 for asked in at.dataframe[0].value["Asked"]) and "From 1 to 5" in words
    assert set(at.dataframe[0].value["n"] + at.dataframe[0].value["Unscored"]) == {own.REPEATS} and "Reasons and quotes" in everything(at)
    as_person()
    assert "asked for by T-01" in everything(open_page("studies.py", study=study.id))


def test_researcher_releases_a_judge(open_page: Open, store: Store) -> None:
    at = open_page("models.py")
    at.segmented_control(key="models_view").select("agents").run()
    judge = store.agents.find(seat="judge")
    assert judge is not None and not judge.released
    at.multiselect(key="models_released").select(judge.id).run()
    at.button(key="models_release").click().run()
    assert_calm(at)
    assert store.agents.get(judge.id or 0).released


def test_looking_is_kept_once_for_each_opening(open_page: Open, store: Store, world: dict[str, int]) -> None:
    at = open_page()

    def kept() -> list[tuple[str, int, str]]:
        return [(look.kind, look.record_id, look.page) for look in store.looks.all()]

    go(at, "sessions", {"session": world["live"]})
    at.run()
    at.run()
    assert kept() == [("session", world["live"], "sessions")]
    go(at, "sessions", {})
    go(at, "sessions", {"session": world["live"], "beside": world["others"]})
    assert sorted(kept()[1:]) == sorted([("session", world["live"], "sessions"), ("session", world["others"], "sessions")])
    go(at, "home", {})
    go(at, "reports", {"report": world["case"]})
    go(at, "results", {"rating": world["rating"]})
    assert kept()[3:] == [("report", world["case"], "reports"), ("session", world["others"], "results")]
    client = store.persons.find(code="C-09")
    assert client is not None and [look.page for look in looks.at_mine(store, client)] == ["sessions", "sessions"]
    assert "Opened 3 times" in everything(go(at, "sessions", {"session": world["live"]}))


# ---- the source ----------------------------------------------------------------------------------------------------

ASKS = {"may", "require", "see", "visible", "own_codes", "is_researcher"}
NOTHING_OF_ANYBODY = {"instruments"}  # scales and prompts as they are shipped


def names_called(tree: ast.AST) -> set[str]:
    return {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}


def asks(tree: ast.AST) -> bool:
    called = names_called(tree)
    return bool(called & {f"resources.{name}" for name in ASKS} | called & {"asked.record", "asked.session"})


def test_every_page_asks() -> None:
    for name in all_pages():
        if name not in NOTHING_OF_ANYBODY:
            assert asks(ast.parse((PAGES / f"{name}.py").read_text("utf-8"))), name


PART_OF = {"results": "results", "agreement": "agreement", "study": "studies", "studies": "studies", "role": "roles", "roles": "roles"}


def researchers_only(file: Path) -> bool:
    """A file of a page that the frame shows to researchers alone, by the first word of its name."""
    page = PART_OF.get(file.stem.split("_")[0])
    return page is not None and places.whose(page) == ["researcher"]


def test_every_download_asks_or_is_on_a_page_of_researchers() -> None:
    """A button that saves a file stands in a function that asks, or on a page nobody else can open."""
    found = 0
    for file in [*PAGES.glob("*.py"), *(PAGES / "components").glob("*.py")]:
        for function in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(function, ast.FunctionDef) or file.stem == "charts":
                continue
            if names_called(function) & {"st.download_button", "charts.csv_button"}:
                found += 1
                assert asks(function) or researchers_only(file), (file.name, function.name)
    assert found >= 5
