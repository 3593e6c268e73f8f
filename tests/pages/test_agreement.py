"""Agreement, as people use it: what is missing, judge beside people, and tables of one's own."""

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from core import instruments
from storage import tables
from storage.store import Store
from tests import results_story as story
from tests.pages.conftest import Open, assert_calm, shown, table_with

RATINGS = "target,rater,item,score\n" + "\n".join(
    f"S{n},K{k},Q1,{(n * 7 + k * (n % 3)) % 5 + 1}" for n in range(8) for k in (1, 2)
)
HEAD = "role,agent_a,agent_b,dimension,stage,order,verdict\n"


@pytest.fixture
def rated(store: Store) -> list[int]:
    """Sessions that rules rated thrice, and two people once."""
    made = list(story.sessions(store, 12, story.COUNSELORS).values())
    story.rate(store, story.study(store), made)
    for name, seed in (("K-01", 5), ("K-02", 6)):
        story.rate(store, None, made, kind="person", rater=name, repeats=1, seed=seed)
    return made


def test_empty_page_says_what_is_missing(open_page: Open) -> None:
    at = open_page("agreement.py")
    assert_calm(at)
    assert "No judge has rated a session yet" in shown(at) and at.button(key="agreement_empty")
    at = open_page("agreement.py", section="people")
    assert "No person has rated a session yet" in shown(at)
    at = open_page("agreement.py", section="verdicts")
    assert "No judge has compared sessions yet" in shown(at)


def test_judge_without_shared_sessions_is_not_validated(open_page: Open, store: Store) -> None:
    made = list(story.sessions(store, 3, story.COUNSELORS).values())
    story.rate(store, story.study(store), made)
    at = open_page("agreement.py")
    assert_calm(at)
    assert "Not validated here" in shown(at) and "No session was rated by both" in shown(at)


def judged(store: Store, roles: int, people: int = 1, engine: str = "openai") -> list[int]:
    """Sessions that a model rated thrice, and some people once."""
    made = list(story.sessions(store, roles, story.COUNSELORS, engine).values())
    story.rate(store, story.study(store), made, kind="model", rater="judge")
    for n in range(people):
        story.rate(store, None, made, kind="person", rater=f"K-{n}", repeats=1, seed=5 + n)
    return made


def test_under_ten_shared_sessions_nothing_is_validated(open_page: Open, store: Store) -> None:
    judged(store, 3)
    words = shown(open_page("agreement.py"))
    assert "Not validated here" in words and "People rated 9 of the sessions this judge rated; figures start at 10" in words
    assert "with one person" not in words and "How far this judge agrees" not in words


def test_under_ten_shared_sessions_no_figure_contradicts_the_label(open_page: Open, store: Store) -> None:
    judged(store, 3)
    at = open_page("agreement.py")
    assert_calm(at)
    assert "Both rated 9 sessions, 3 clients or roles so far. Figures start at 10 sessions" in shown(at)
    assert not [one for one in at.dataframe if "ICC(C,k)" in one.value.columns] and not at.get("plotly_chart")
    assert len(at.dataframe(key="agreement_gaps").value) == 8, "the largest disagreements can be read all the same"


def test_too_few_shared_sessions_have_figures_that_say_so(open_page: Open, store: Store) -> None:
    judged(store, 4)
    at = open_page("agreement.py")
    assert_calm(at)
    (line,) = [one for one in shown(at).split("\n") if "Total with one person" in one]
    assert re.search(
        r"Total with one person: ICC\(A,1\) \.\d\d \([−.\d]+ – [−.\d]+\), r \.\d\d; people with each other: fewer than 10 shared"
        r" · 12 sessions, 4 clients or roles · too few \(30 sessions and 10 clients or roles are wanted\)<", line,
    )  # fmt: skip
    label = table_with(at, "Label")
    assert list(label["Of"]) == ["Goal", "Approach", "Bond", "Total"] and set(label["Label"]) == {"Too few"}
    assert "Too few (n = 12 sessions, 4 clients or roles)" in title_of(at, "agreement_judge")


def title_of(at: AppTest, key: str) -> str:
    """A figure's title with what stands under it, its lines put together."""
    (figure,) = [one for one in at.get("plotly_chart") if f"{key}_figure" in one.proto.id]
    return str(json.loads(figure.proto.spec)["layout"]["title"]["text"]).replace("<br>", " ")


def test_enough_shared_sessions_have_figures_and_people_beside_them(open_page: Open, store: Store) -> None:
    judged(store, 12, people=3)
    at = open_page("agreement.py")
    assert_calm(at)
    words = shown(at)
    assert "Total with one person: ICC(A,1) ." in words and "too few" not in words.lower() and "Compared with people" in words
    assert "people with each other: ." in words and "n = 36 sessions, 12 clients or roles" in title_of(at, "agreement_judge")
    label = table_with(at, "Label")
    assert set(label["Label"]) == {"Compared with people"} and (set(label["People"]), set(label["Pairs of people"])) == ({3}, {3})
    assert "made by rules" not in words and "ther sessions" not in words and "Kind of sessions" not in label.columns


def test_sessions_made_by_rules_and_other_ones_are_never_pooled(open_page: Open, store: Store) -> None:
    by_rules = list(story.sessions(store, 5, story.COUNSELORS).values())
    others = [store.sessions.add_with_turns(tables.Session(origin="imported", engine="imported", client_code=f"C-{n}"), []).id or 0 for n in range(11)]
    story.rate(store, story.study(store), [*by_rules, *others], kind="model", rater="judge")
    story.rate(store, None, [*by_rules, *others], kind="person", rater="K-01", repeats=1)
    at = open_page("agreement.py")
    assert_calm(at)
    words = shown(at)
    assert " · 11 sessions, 11 clients or roles · other sessions · too few" in words and "real" not in words.lower()
    assert list(table_with(at, "Label")["Kind of sessions"])[:2] == ["Other sessions", "Sessions made by rules"]
    assert set(table_with(at, "ICC(C,k)")["Sessions"]) == {11}
    made = f"Working alliance, observer form (12 items), version {instruments.load('wai-o-s').version} · all studies"
    assert f"A model · {made}; other sessions" in title_of(at, "agreement_judge")
    at.segmented_control(key="agreement_made").set_value("rules").run()
    assert_calm(at)
    assert set(table_with(at, "ICC(C,k)")["Sessions"]) == {15} and f"{made}; sessions made by rules" in title_of(at, "agreement_judge")


def test_a_rating_has_the_label_of_sessions_of_its_kind(open_page: Open, store: Store) -> None:
    by_rules = list(story.sessions(store, 5, story.COUNSELORS).values())
    others = [store.sessions.add_with_turns(tables.Session(origin="imported", engine="imported", client_code=f"C-{n}"), []).id or 0 for n in range(2)]
    story.rate(store, story.study(store), [*by_rules, *others], kind="model", rater="judge", repeats=1)
    story.rate(store, None, [*by_rules, *others], kind="person", rater="K-01", repeats=1)
    first = {session: store.ratings.rows(rater_id=1, session_id=session)[0]["id"] for session in (by_rules[0], others[0])}
    words = shown(open_page("results.py", rating=str(first[by_rules[0]])))
    assert "sessions made by rules: Too few (15 sessions, 5 clients or roles), ICC(A,1) with one person" in words and "other sessions: " not in words
    words = shown(open_page("results.py", rating=str(first[others[0]])))
    assert "other sessions: Not validated here" in words and "ICC(A,1) with one person" not in words


def test_a_figure_names_the_fewest_and_the_most_sessions_of_its_lines(open_page: Open, store: Store) -> None:
    """Two people left out items of some sessions: no line may claim the sessions of another."""
    made = judged(store, 6, people=2)
    for session in made[:8]:
        for row in store.ratings.rows(rater_id=2, session_id=session, item="Q12") + store.ratings.rows(rater_id=3, session_id=session, item="Q12"):
            store.ratings.update(row["id"], score=None, value=None, reason="no value")
    for row in [one for session in made[:9] for one in store.ratings.rows(rater_id=1, session_id=session, item="Q3")]:
        store.ratings.update(row["id"], score=None, value=None, reason="no value")
    at = open_page("agreement.py")
    assert_calm(at)
    assert "Too few (n = 10–18 sessions, 4–6 clients or roles)" in title_of(at, "agreement_judge")
    assert "Left out, under 10 sessions: Q3 (9)." in shown(at)
    shown_lines = table_with(at, "ICC(C,k)")
    assert "Q3" not in set(shown_lines["Item"]) and dict(zip(shown_lines["Item"], shown_lines["Sessions"], strict=True))["Q12"] == 10
    people = open_page("agreement.py", section="people")
    assert "Too few (n = 10–18 sessions, 4–6 clients or roles)" in title_of(people, "agreement_people")
    items = open_page("results.py", section="wai-o-s")
    assert "n = 9–18 sessions" in title_of(items, "results_violins")


def test_judge_beside_people_with_the_peoples_own_agreement(open_page: Open, rated: list[int]) -> None:
    at = open_page("agreement.py")
    assert_calm(at)
    words = shown(at)
    assert "Total with one person: ICC(A,1) ." in words and "people with each other: ." in words and "made by rules" not in words
    table = table_with(at, "ICC(C,k)")
    assert list(table["Item"])[:5] == ["Q1", "Q2", "Q3", "Q4", "Score"] and set(table["Sessions"]) == {36}
    assert "What this does not show" in words and "Demo engine (rules, no model)" in words
    assert len(at.dataframe(key="agreement_gaps").value) == 8


def test_people_among_themselves_with_alpha_and_kappa(open_page: Open, rated: list[int]) -> None:
    at = open_page("agreement.py", section="people")
    assert_calm(at)
    assert list(table_with(at, "Alpha, ordinal")["Item"]) == [f"Q{n}" for n in range(1, 13)]
    pairs = table_with(at, "Weighted kappa")
    assert set(pairs["n"]) == {36} and pairs["Weighted kappa"].between(0, 1).all()


def test_a_stray_row_of_one_person_empties_no_figure(open_page: Open, store: Store) -> None:
    made = list(story.sessions(store, 4, ["Careful", "Plainer"]).values())
    for name, seed in (("Anna", 5), ("Ben", 6)):
        story.rate(store, None, made, kind="person", rater=name, repeats=1, seed=seed)
    story.rate(store, None, made[:1], kind="person", rater="Dora", repeats=1)
    at = open_page("agreement.py", section="people")
    assert_calm(at)
    assert "Not among them: Dora (1 session)." in shown(at) and set(table_with(at, "ICC(C,k)")["Sessions"]) == {8}
    (who,) = at.multiselect
    assert [str(one) for one in who.options] == ["Anna (8 sessions)", "Ben (8 sessions)", "Dora (1 session)"]
    who.set_value(["Anna", "Ben", "Dora"]).run()
    assert_calm(at)
    assert set(table_with(at, "ICC(C,k)")["Sessions"]) == {1} and "Not among them" not in shown(at)
    assert "Sessions that all 3 people rated." in shown(at) and "one target in common" in shown(at)
    at.multiselect[0].set_value(["Dora"]).run()
    assert "Choose two people or more" in shown(at)


def test_people_who_shared_the_sessions_out_have_figures(open_page: Open, store: Store) -> None:
    """Each session by two of three: no session was rated by all of them."""
    made = list(story.sessions(store, 6, ["Careful", "Plainer"]).values())
    names = ["P-01", "P-02", "P-03"]
    for at, session in enumerate(made):
        for person in (names[at % 3], names[(at + 1) % 3]):
            story.rate(store, None, [session], kind="person", rater=person, repeats=1, seed=names.index(person))
    at_page = open_page("agreement.py", section="people")
    assert_calm(at_page)
    among = table_with(at_page, "People per session")
    assert set(among["Sessions"]) == {12} and set(among["People per session"]) == {"2"}
    assert among["ICC(1,1)"].str.contains(" – ").all()
    pairs = table_with(at_page, "ICC(A,1)")
    assert set(pairs["Sessions"]) == {4} and len(pairs) == 3 * 4
    assert "Few clients or roles (6): the interval may be too narrow." in shown(at_page)


def test_one_person_alone_has_no_agreement(open_page: Open, store: Store) -> None:
    made = list(story.sessions(store, 3, story.COUNSELORS).values())
    story.rate(store, None, made, kind="person", rater="K-01", repeats=1)
    at = open_page("agreement.py", section="people")
    assert_calm(at)
    assert "Two people are needed" in shown(at)


def test_verdicts_of_a_judge_beside_those_of_people(open_page: Open, store: Store) -> None:
    made = story.sessions(store, 12, story.COUNSELORS)
    story.compare(store, story.study(store), made)
    story.compare(store, story.study(store), made, kind="person", judge="K-01", seed=9, both=False)
    at = open_page("agreement.py", section="verdicts")
    assert_calm(at)
    table = table_with(at, "What")
    assert list(table["What"])[-4:] == ["Exploration", "Insight", "Action", "Total"]
    assert (table["n, ties discarded"] < table["n, tie as a class"]).all() and set(table["No common verdict"]) == {0}
    stages = table_with(at, "Pairs of counselors")
    assert list(stages["Stage"]) == ["Exploration", "Insight", "Action"] and set(stages["n, tie as a class"]) == {3}
    assert "Total with one person: same verdict ." in shown(at) and " · 36 pairs of sessions, 12 clients or roles<" in shown(at)
    assert "made by rules" not in shown(at) and set(table_with(at, "Label")["Label"]) == {"Compared with people"}
    assert "n = 36–324 questions on 36 pairs of sessions, 12 clients or roles, 1 person" in title_of(at, "agreement_matches")
    assert "too few" not in shown(at).lower() and "Few clients or roles" not in shown(at)


@pytest.mark.parametrize(
    ("roles", "names", "told"),
    [(6, story.COUNSELORS, "Few clients or roles (6): the interval may be too narrow."),
     (2, [*story.COUNSELORS, "Kind", "Quick"], "Intervals are withheld below 3 clients or roles.")],
)  # fmt: skip
def test_verdicts_over_few_roles_say_so(open_page: Open, store: Store, roles: int, names: list[str], told: str) -> None:
    made = story.sessions(store, roles, names, "openai")
    story.compare(store, story.study(store), made, kind="model", judge="judge")
    story.compare(store, story.study(store), made, kind="person", judge="K-01", seed=9, both=False)
    at = open_page("agreement.py", section="verdicts")
    assert_calm(at)
    words, pairs = shown(at), roles * len(names) * (len(names) - 1) // 2
    figure = next(block for block in words.split("\n") if "Orders that disagree count as a tie" in block)
    assert told in figure
    assert f"Too few (n = {pairs}–{9 * pairs} questions on {pairs} pairs of sessions, {roles} clients or roles)" in title_of(at, "agreement_matches")
    assert f"Same counselor preferred in a stage, too few ({pairs} pairs of sessions, {roles} clients or roles)" in words


def test_under_ten_shared_pairs_no_figure_contradicts_the_label(open_page: Open, store: Store) -> None:
    made = story.sessions(store, 3, story.COUNSELORS, "openai")
    story.compare(store, story.study(store), made, kind="model", judge="judge")
    story.compare(store, story.study(store), made, kind="person", judge="K-01", seed=9, both=False)
    at = open_page("agreement.py", section="verdicts")
    assert_calm(at)
    assert "People compared 9 of the pairs this judge compared; figures start at 10" in shown(at)
    assert "Both compared 9 pairs of sessions, 3 clients or roles so far" in shown(at) and not at.get("plotly_chart")


def test_table_of_ratings_gives_the_numbers_of_the_command_line(open_page: Open) -> None:
    at = open_page("agreement.py", section="file")
    at.file_uploader(key="agreement_file_ratings").set_value(("mine.csv", RATINGS.encode(), "text/csv")).run()
    assert_calm(at)
    table = table_with(at, "Alpha, ordinal")
    assert list(table["Targets"]) == [8] and list(table["Raters"]) == [2]
    assert list(table_with(at, "Weighted kappa")["n"]) == [8]


def test_table_of_comparisons_gives_scores_and_pairs(open_page: Open) -> None:
    rows = "".join(
        f"R{n},A,B,d{d},Insight,{order},A\n" for n in range(7) for d in (1, 2) for order in ("ab", "ba")
    )
    at = open_page("agreement.py", section="file")
    at.segmented_control(key="agreement_kind").select("comparisons").run()
    at.file_uploader(key="agreement_file_comparisons").set_value(
        ("mine.csv", (HEAD + rows).encode(), "text/csv")
    ).run()
    assert_calm(at)
    pairs = table_with(at, "Decision")
    assert list(pairs["Decision"]) == ["A"] and list(pairs["Roles won"]) == [7]
    assert "14 decided" in shown(at)


def keep(open_page: Open, kind: str, content: str, whose: str = "person") -> AppTest:
    at = open_page("agreement.py", section="file")
    at.segmented_control(key="agreement_kind").select(kind).run()
    at.segmented_control(key="agreement_use").select("keep").run()
    at.radio(key="agreement_whose").set_value(whose).run()
    at.file_uploader(key=f"agreement_kept_{kind}").set_value(("mine.csv", content.encode(), "text/csv")).run()
    at.button(key="agreement_import").click().run()
    assert_calm(at)
    return at


def test_ratings_of_people_are_kept_and_stand_beside_the_judge(open_page: Open, store: Store) -> None:
    made = list(story.sessions(store, 12, story.COUNSELORS).values())
    story.rate(store, story.study(store), made)
    rows = [f"{session},{name},wai-o-s,Q{n},{(session * k + n) % 5 + 1}" for session in made for k, name in ((2, "Anna"), (3, "Bo")) for n in range(1, 13)]
    content = "session,rater,instrument,item,value\n" + "\n".join(rows)
    assert "864 ratings were taken" in shown(keep(open_page, "ratings", content))
    at = open_page("agreement.py")
    assert_calm(at)
    assert "ICC(A,1)" in shown(at) and set(table_with(at, "ICC(C,k)")["Sessions"]) == {36}
    at = open_page("agreement.py", section="people")
    assert_calm(at)
    assert at.multiselect[0].value == ["Anna", "Bo"] and set(table_with(at, "Weighted kappa")["n"]) == {36}
    assert "is here already" in shown(keep(open_page, "ratings", content)) and store.ratings.count() == 864 + 36 * 36


def test_nothing_is_imported_before_a_table_is_chosen(open_page: Open) -> None:
    at = open_page("agreement.py", section="file")
    at.segmented_control(key="agreement_use").select("keep").run()
    assert at.button(key="agreement_import").disabled


def test_what_a_table_brought_in_is_listed_and_can_be_taken_back(open_page: Open, store: Store) -> None:
    (one,) = story.sessions(store, 1, ["Careful"]).values()
    at = keep(open_page, "ratings", f"session,rater,instrument,item,value\n{one},Anna,wai-o-s,Q1,4\n{one},Bo,wai-o-s,Q1,3\n")
    assert list(table_with(at, "Whose are they?")["Rater"]) == ["Anna", "Bo"]
    at.selectbox(key="agreement_brought").set_value(at.selectbox(key="agreement_brought").value).run()
    at.button(key="agreement_take_back").click().run()
    assert "Anna: 1 rating (Working alliance" in shown(at) and "\\(" not in shown(at) and store.ratings.count() == 2
    at.button(key="agreement_take_back_sure").click().run()
    assert_calm(at)
    assert "Receipt" in shown(at) and store.ratings.count() == 1
    assert list(table_with(at, "Whose are they?")["Rater"]) == ["Bo"]


def test_table_with_a_wrong_line_is_refused_whole(open_page: Open, store: Store) -> None:
    (one,) = story.sessions(store, 1, ["Careful"]).values()
    at = keep(open_page, "ratings", f"session,rater,instrument,item,value\n{one},Anna,wai-o-s,Q1,4\n{one},Anna,wai-o-s,Q1,3\n")
    assert "Lines: 2, 3" in shown(at) and (store.ratings.count(), store.raters.count()) == (0, 0)


def test_comparisons_that_came_with_the_data_are_of_no_person(open_page: Open, store: Store) -> None:
    one, two = story.sessions(store, 1, ["Careful", "Plainer"]).values()
    keep(open_page, "comparisons", f"first,second,rater,instrument,dimension,verdict\n{two},{one},set,hill,gentle_challenges,tie\n", "reference")
    (row,) = store.comparisons.rows()
    assert (row["first_id"], row["rater_kind"], row["verdict"]) == (two, "reference", "tie")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"target,rater,item\nS1,K1,Q1\n", "lacks the column score"),
        (b"target,rater,item,score\nS1,K1,Q1,high\n", "“high” in the column score is not a number"),
        (b"", "is empty"),
        (b"\x00\x01\x02\x00", "is not text in an encoding"),
    ],
)
def test_wrong_table_gets_a_sentence(open_page: Open, content: bytes, sentence: str) -> None:
    at = open_page("agreement.py", section="file")
    at.file_uploader(key="agreement_file_ratings").set_value(("mine.csv", content, "text/csv")).run()
    assert_calm(at)
    assert sentence in shown(at)


def test_in_chinese_nothing_breaks(open_page: Open, rated: list[int]) -> None:
    for section in ("judge", "people", "repeats", "verdicts", "file"):
        assert_calm(open_page("agreement.py", language="zh", section=section))


def test_ratings_that_came_with_the_data_are_a_choice_of_their_own(
    open_page: Open, store: Store, rated: list[int]
) -> None:
    story.rate(store, None, rated[:20], kind="reference", rater="data set", repeats=1, seed=9)
    at = open_page("agreement.py")
    assert_calm(at)
    assert set(table_with(at, "ICC(C,k)")["Sessions"]) == {36}
    at.segmented_control(key="agreement_kind_of_people").select("reference").run()
    assert_calm(at)
    assert set(table_with(at, "ICC(C,k)")["Sessions"]) == {20}


@pytest.mark.parametrize(
    "rows",
    [
        "S1,K1,Q1,3\nS2,K1,Q1,4\n",
        "S1,K1,Q1,\nS2,K2,Q1,\n",
        "S1,K1,Q1,3\nS1,K2,Q1,3\nS2,K1,Q1,3\nS2,K2,Q1,3\n",
        "S1,K1,Q1,3\n",
    ],
    ids=["one rater", "all blank", "no variance", "one row"],
)
def test_tables_without_an_icc_say_why(open_page: Open, rows: str) -> None:
    at = open_page("agreement.py", section="file")
    content = ("target,rater,item,score\n" + rows).encode()
    at.file_uploader(key="agreement_file_ratings").set_value(("mine.csv", content, "text/csv")).run()
    assert_calm(at)
    assert "no ICC" in set(table_with(at, "Alpha, ordinal")["ICC(A,1)"])
    assert "What has to be said beside these numbers" in shown(at)
