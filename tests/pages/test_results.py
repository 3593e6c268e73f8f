"""Results, as people use it: nothing yet, a check of the pipeline, a result, and down to a quote and its call."""

import json
import re

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import instruments
from core.people import agreements
from core.people.agreements import Who
from pages.components import charts
from pages.components.results_words import for_figure
from storage import tables, units
from storage.store import Store
from tests import results_story as story
from tests.pages.conftest import AsPerson, Open, assert_calm, shown, table_with

PAIR = ("Careful", "Plainer")


@pytest.fixture
def judged(store: Store) -> int:
    """A study whose sessions and verdicts are all made by rules."""
    study = story.study(store)
    made = story.sessions(store, 4, PAIR)
    story.compare(store, study, made, unreadable=0.1)
    story.rate(store, study, list(made.values()), unscored=0.05)
    return study


def test_empty_page_says_what_is_missing_and_where_to_go(open_page: Open) -> None:
    at = open_page("results.py")
    assert_calm(at)
    assert (
        "Nothing has been judged yet" in shown(at) and at.button(key="results_empty").label == "Open Studies"
    )


def test_rules_over_rules_are_a_pipeline_check_without_a_winner(open_page: Open, judged: int) -> None:
    at = open_page("results.py", study=judged)
    assert_calm(at)
    words = shown(at)
    assert "Pipeline check" in words and "Not validated here" in words
    assert "is preferred to" not in words
    pairs = table_with(at, "Decision")
    assert set(pairs["Decision"]) == {"Pipeline check"} and list(pairs["Stage"]) == [
        "Exploration",
        "Insight",
        "Action",
    ]


def test_counts_keep_the_kinds_of_non_wins_apart(open_page: Open, judged: int) -> None:
    words = shown(open_page("results.py", study=judged))
    assert "36 questions" in words
    for kind in ("decided", "tie", "orders disagree", "undecided", "skipped"):
        assert kind in words


def test_a_model_that_judged_may_prefer_somebody(open_page: Open, store: Store) -> None:
    study = story.study(store, engine="openai")
    story.compare(
        store, study, story.sessions(store, 14, PAIR, "openai"), kind="model", judge="o-mini", noise=0.0
    )
    at = open_page("results.py", study=study)
    assert_calm(at)
    assert "Careful is preferred to Plainer." in shown(at)
    pairs = table_with(at, "Decision")
    assert set(pairs["Decision"]) == {"Careful"} and all(pairs["Supported"])
    assert set(pairs["Interval"]) <= {"t interval, 14 roles", "binomial bounds, all roles agree"}
    assert list(pairs["Roles"]) == [14, 14, 14]


def test_three_counselors_get_a_matrix_and_strengths(open_page: Open, store: Store) -> None:
    study = story.study(store, engine="openai")
    story.compare(
        store, study, story.sessions(store, 8, story.COUNSELORS, "openai"), kind="model", judge="o-mini"
    )
    at = open_page("results.py", study=study)
    assert_calm(at)
    assert set(table_with(at, "Strength")["Counselor"]) == set(story.COUNSELORS)
    at.selectbox(key="results_pair").select(("Plainer", "Careful")).run()
    assert "Plainer against Careful" in shown(at)


def test_from_a_number_down_to_both_sessions_and_a_quote(open_page: Open, judged: int) -> None:
    at = open_page("results.py", study=judged)
    at.button(key="results_next_role").click().run()
    read = next(button for button in at.button if str(button.key).startswith("results_read_"))
    read.click().run()
    assert_calm(at)
    words = shown(at)
    assert "One reflects before it asks." in words and "The nights sound like the hardest part." in words
    assert "r-q" in words, "the quote is lit up in the transcript"
    assert "was shown first" in words and "no call behind this" in words
    at.button(key="results_back").click().run()
    assert_calm(at)
    assert "Win score of Careful against Plainer" in str(at.get("plotly_chart")) or "Every pair" in shown(at)


def test_rating_by_its_address_shows_anchor_quote_and_call(
    open_page: Open, store: Store, judged: int
) -> None:
    rating = next(r for r in store.ratings.rows(study_id=judged) if r["score"] is not None)
    call = store.calls.save(
        {"prompt": "judge/item", "prompt_version": 3, "prompt_hash": "abc123", "engine": "demo", "sent": {"temperature": 1.0}},
        [{"role": "system", "content": "Rate the item."}], '{"rating": 4}',
    )  # fmt: skip
    store.ratings.update(rating["id"], call_id=call)
    at = open_page("results.py", study=judged, rating=rating["id"])
    assert_calm(at)
    words = shown(at)
    assert "Rate the item." in words and "{&quot;rating&quot;: 4}" in words.replace("&#34;", "&quot;")
    assert "judge/item, version 3" in words and "temperature 1.0" in words
    assert "four fifths of the turns" in words and "They name what they work on." in words


LOST = {"text": "We agree.", "turn": None, "status": "not found", "side": "for"}
AGAINST = {"text": "I keep counting the rent.", "turn": 1, "start": 0, "end": 9, "status": "exact", "side": "against"}


@pytest.mark.parametrize(
    ("setting", "quotes", "marked"),
    [
        ("reasoning", [LOST], True), ("reasoning", [AGAINST], True), ("reasoning", [AGAINST | {"side": "for"}], False),
        ("none", [], False), ("general", [], False), ("detailed", [], False),
    ],
    ids=["not found", "against", "for", "none", "general", "detailed"],
)  # fmt: skip
def test_rating_is_marked_in_table_and_page_where_quotes_were_asked_and_none_supports_it(
    open_page: Open, store: Store, a_session: tables.Session, setting: str, quotes: list[dict[str, object]], marked: bool
) -> None:
    rater = store.raters.ensure("model", "o-mini", "hash")
    row = store.ratings.add(
        tables.Rating(
            rater_id=rater.id or 0, session_id=a_session.id or 0, instrument="wai-o-s", instrument_version=1, language="en",
            item="Q1", value=5, score=5, setting=setting, quotes=quotes,
        )
    )  # fmt: skip
    at = open_page("results.py", rating=row.id)
    assert_calm(at)
    assert ("No quote that supports this was found" in shown(at)) is marked
    at = open_page("results.py", section="wai-o-s")
    assert_calm(at)
    asked = setting == "reasoning"
    assert ("without a quote found" in shown(at), "quotes were not asked for" in shown(at)) == (asked, not asked)
    assert not asked or (f"{int(marked)} without a quote found" in shown(at) and set(table_with(at, "Without quote")["Without quote"]) == {0, marked})


def test_page_of_a_rating_has_the_repeats_of_its_own_voice_alone(open_page: Open, store: Store, a_session: tables.Session) -> None:
    rater = store.raters.ensure("model", "o-mini", "hash")
    common = {"rater_id": rater.id, "session_id": a_session.id, "instrument": "wai-o-s", "language": "en", "item": "Q1"}
    ways = [(1, 1, "item", 5), (1, 2, "item", 4), (1, 1, "instrument", 1), (2, 1, "item", 2)]
    rows = [
        store.ratings.add(tables.Rating(**common, instrument_version=version, repeat=repeat, way=way, value=value, score=value))
        for version, repeat, way, value in ways
    ]  # fmt: skip
    at = open_page("results.py", rating=rows[0].id)
    assert_calm(at)
    assert "mean 4.50" in shown(at) and [one.label.replace("\\", "") for one in at.button if one.key and one.key.startswith("results_repeat_")] == ["1: 5", "2: 4"]


def test_other_order_is_that_of_the_same_voice(open_page: Open, store: Store) -> None:
    made = list(story.sessions(store, 1, PAIR).values())
    rater = store.raters.ensure("model", "o-mini", "hash")
    common = {"rater_id": rater.id, "instrument": "hill", "instrument_version": 1, "language": "en", "dimension": "gentle_challenges", "verdict": "tie"}
    pairs = [(made[0], made[1], 1), (made[1], made[0], 2)]
    rows = [store.comparisons.add(tables.Comparison(first_id=a, second_id=b, prompt="judge/compare", prompt_version=v, **common)) for a, b, v in pairs]
    at = open_page("results.py", comparison=rows[0].id)
    assert_calm(at)
    assert "put in one order only" in shown(at)


def test_two_judges_of_one_name_are_told_apart(open_page: Open, store: Store, a_session: tables.Session) -> None:
    for hash in ("0123456789ab", "fedcba987654"):
        rater = store.raters.ensure("model", "o-mini", hash)
        row = tables.Rating(rater_id=rater.id or 0, session_id=a_session.id or 0, instrument="wai-o-s", instrument_version=1, language="en", item="Q1", value=5, score=5)
        store.ratings.add(row)
    at = open_page("results.py", section="wai-o-s")
    assert_calm(at)
    assert [name.split(" · ")[0] for name in at.selectbox(key="results_rater").options] == ["o-mini (01234567)", "o-mini (fedcba98)"]


def test_unscored_rating_says_why(open_page: Open, store: Store, judged: int) -> None:
    rating = next(r for r in store.ratings.rows(study_id=judged) if r["score"] is None)
    at = open_page("results.py", rating=rating["id"])
    assert_calm(at)
    assert "Unscored: no JSON" in shown(at)


def test_items_have_their_mean_n_and_counselors(open_page: Open, judged: int) -> None:
    at = open_page("results.py", study=judged, section="wai-o-s")
    assert_calm(at)
    table = table_with(at, "Without quote")
    assert list(table["Item"]) == [f"Q{n}" for n in range(1, 13)] and set(table["Sessions"]) <= {7, 8}
    # with 4 clients, the mean of all is that of their means as the counselors' columns are, and says its n
    assert set(table["Clients or roles"]) == {4} and not {"n"} & set(table.columns)
    assert {"Careful", "Plainer"} <= set(table.columns)
    scores = table_with(at, "Items")
    assert set(scores["Interval"]) == {"few clients or roles (4): the interval may be too narrow"}
    assert "Few clients or roles (4): the interval may be too narrow." in shown(at)
    assert set(scores["Items"]) <= {"4 of 4", "3–4 of 4", "12 of 12", "11–12 of 12", "10–12 of 12", "9–12 of 12"}
    assert len(scores) == 8 and set(scores["Dimension"]) == {"Goal", "Approach", "Bond", "Total"}
    at.selectbox(key="results_item").select("Q5").run()
    assert len(at.dataframe(key="results_ratings").value) == 24


def test_repeats_of_the_demo_engine_say_what_they_are(open_page: Open, judged: int) -> None:
    at = open_page("results.py", study=judged, section="repeats")
    assert_calm(at)
    assert "Agreement of subsamples; says nothing about a model" in shown(at)
    table = table_with(at, "ICC(1,k)")
    assert list(table.columns)[6:9] == ["ICC(1,1)", "ICC(1,k)", "ICC(A,k), as published"]


def test_without_variance_there_is_no_icc(open_page: Open, store: Store) -> None:
    made = list(story.sessions(store, 3, PAIR).values())
    rater = store.raters.ensure("model", "steady", "hash")
    store.ratings.add_many(
        tables.Rating(
            rater_id=rater.id or 0, session_id=session, instrument="wai-o-s", instrument_version=1, language="en", item=item,
            repeat=repeat, value=3, score=3,
        )
        for session in made for item in ("Q1", "Q2") for repeat in (1, 2, 3)
    )  # fmt: skip
    at = open_page("results.py", section="repeats")
    assert_calm(at)
    assert "No variance, no ICC" in shown(at)
    assert "no variance, no ICC" in set(table_with(at, "ICC(1,k)")["ICC(1,1)"])


def test_radar_has_its_table_beside_it(open_page: Open, judged: int) -> None:
    at = open_page("results.py", study=judged, section="radar")
    assert_calm(at)
    table = table_with(at, "Questions judged")
    assert len(table) == 9 and {"Careful", "Plainer"} <= set(table.columns)
    at.selectbox(key="results_dimension").select("gentle_challenges").run()
    assert len(at.dataframe(key="results_comparisons").value) == 8


def test_a_rating_that_is_gone_gets_a_sentence(open_page: Open, judged: int) -> None:
    at = open_page("results.py", rating=99999)
    assert_calm(at)
    assert "There is no rating 99999" in shown(at)


def test_people_and_rules_are_never_pooled(open_page: Open, store: Store) -> None:
    study = story.study(store)
    made = list(story.sessions(store, 4, PAIR).values())
    story.rate(store, study, made)
    story.rate(store, study, made, kind="person", rater="K-01", repeats=1)
    at = open_page("results.py", study=study, section="wai-o-s")
    voices = at.selectbox(key="results_rater").options
    assert len(voices) == 2 and any("K-01" in v for v in voices)
    assert len(at.dataframe(key="results_ratings").value) == 24
    at.selectbox(key="results_rater").select_index(next(n for n, v in enumerate(voices) if "K-01" in v)).run()
    assert_calm(at)
    assert len(at.dataframe(key="results_ratings").value) == 8


def test_in_chinese_nothing_breaks(open_page: Open, judged: int) -> None:
    for section in ("wins", "radar", "wai-o-s", "repeats"):
        assert_calm(open_page("results.py", language="zh", study=judged, section=section))


def test_scores_by_topic_need_three_topics(open_page: Open, store: Store, judged: int) -> None:
    at = open_page("results.py", study=judged, section="wai-o-s")
    assert not any("Topic" in frame.value.columns for frame in at.dataframe)
    for session in store.sessions.all()[:2]:
        store.sessions.update(session.id or 0, topic="self_growth")
    at = open_page("results.py", study=judged, section="wai-o-s")
    assert_calm(at)
    table = table_with(at, "Topic")
    assert list(table["Topic"]) == ["Self-growth", "Education", "Career"] and sum(table["Sessions"]) == 8


def test_what_was_quoted_stands_beside_the_pair(open_page: Open, judged: int) -> None:
    at = open_page("results.py", study=judged)
    words = shown(at)
    assert "Quoted from" in words and 'href="#pair-2"' in words and 'id="pair-2"' in words


def test_a_counselor_is_sent_to_their_own_series(open_page: Open, as_person: AsPerson, judged: int) -> None:
    as_person({"counselor": []}, "T-01")
    at = open_page("results.py", study=judged)
    assert_calm(at)
    assert "This page is for: Researcher" in shown(at) and not at.dataframe


def test_long_labels_of_figures_break_in_both_languages() -> None:
    assert for_figure("Laying a foundation of trust", 15) == "Laying a<br>foundation of<br>trust"
    assert for_figure("察觉领悟的准备程度", 12) == "察觉领悟的<br>准备程度"
    assert for_figure("<b>Bold</b> & brave") == "&lt;b&gt;Bold&lt;/b&gt; &amp; brave"


@pytest.mark.parametrize(
    "instrument", ["client-realism", "cpsycoun-intrinsic", "cpsycoun-intrinsic-holistic"]
)
def test_instruments_of_every_shape_are_drawn(open_page: Open, store: Store, instrument: str) -> None:
    """One item that is its own dimension; points that add up; one number for each dimension."""
    study = story.study(store)
    made = list(story.sessions(store, 3, PAIR).values())
    story.rate(store, study, made, instrument=instrument)
    for section in (instrument, "repeats"):
        at = open_page("results.py", study=study, section=section)
        assert_calm(at)
        assert not at.error and at.dataframe


def test_nothing_readable_breaks_nothing(open_page: Open, store: Store) -> None:
    study = story.study(store)
    made = story.sessions(store, 2, PAIR)
    story.compare(store, study, made, unreadable=1.0)
    story.rate(store, study, list(made.values()), unscored=1.0)
    for section in ("wins", "radar", "wai-o-s", "repeats"):
        at = open_page("results.py", study=study, section=section)
        assert_calm(at)
        assert not at.error
    assert "18 skipped" in shown(open_page("results.py", study=study, section="wins"))


def test_a_deleted_session_takes_its_numbers_along(open_page: Open, store: Store, judged: int) -> None:
    at = open_page("results.py", study=judged, section="wai-o-s")
    assert "8 sessions" in shown(at)
    store.delete("session", store.sessions.all()[0].id or 0)
    at = open_page("results.py", study=judged, section="wai-o-s")
    assert_calm(at)
    assert "7 sessions" in shown(at)


def test_the_engine_travels_with_a_csv(monkeypatch: pytest.MonkeyPatch) -> None:
    files: list[bytes] = []
    monkeypatch.setattr(charts.st, "download_button", lambda _label, data, *_more, **_rest: files.append(data()))
    charts.csv_button(pd.DataFrame({"Score": [0.5]}), name="scores", key="k", made_by="Demo engine (rules, no model)")
    assert files[0].decode("utf-8-sig").splitlines() == ["Score,Made by", '0.5,"Demo engine (rules, no model)"']


def test_a_study_without_results_says_so_and_shows_another(open_page: Open, store: Store, judged: int) -> None:
    waiting = story.study(store, "Just begun")
    at = open_page("results.py")
    at.query_params["study"] = str(waiting)
    at.run()
    assert_calm(at)
    assert f"Study {waiting} has no results yet" in shown(at) and "Win rates" in str(at.segmented_control)


def test_a_study_whose_sessions_are_all_left_out_is_shown_with_their_count(open_page: Open, store: Store, judged: int) -> None:
    gone = story.study(store, "All withdrawn")
    made = list(story.sessions(store, 2, PAIR[:1]).values())
    story.rate(store, gone, made)
    for id in made:
        store.sessions.update(id, client_code="C-9")
    agreements.withdraw(store, Who(seat="client", code="C-9"))
    asked_of_all = open_page("results.py")
    assert asked_of_all.selectbox(key="results_study").value == judged, "what has figures comes first"
    at = open_page("results.py", study=gone)
    assert_calm(at)
    assert at.selectbox(key="results_study").value == gone and str(gone) in at.query_params["study"]
    assert "2 sessions were withdrawn" in shown(at) and "No figures of this study are left" in shown(at)
    assert "Win rates" not in str(at.segmented_control)


def test_an_item_shows_its_own_trust_label_or_none(open_page: Open, store: Store) -> None:
    """People rated one item of three sessions less than the others: that item has no label, the total has one."""
    made = list(story.sessions(store, 11, ("Careful",), "openai").values())
    story.rate(store, story.study(store), made, kind="model", rater="judge", repeats=1)
    story.rate(store, None, made, kind="person", rater="K-01", repeats=1)
    for row in store.ratings.rows(item="Q2", rater_id=2, session_id=made[0]) + store.ratings.rows(item="Q2", rater_id=2, session_id=made[1]):
        store.ratings.update(row["id"], score=None, value=None, reason="no value")
    by_item = {row["item"]: row["id"] for row in store.ratings.rows(rater_id=1, session_id=made[0])}
    own = shown(open_page("results.py", rating=str(by_item["Q1"])))
    assert "Too few (11 sessions, 11 clients or roles), ICC(A,1) with one person " in own, "what is cut off in a narrow window is no caution"
    bare = shown(open_page("results.py", rating=str(by_item["Q2"])))
    assert "Not validated here" in bare and "with one person" not in bare
    whole = open_page("results.py", section="wai-o-s")
    assert_calm(whole)
    assert "Total with one person: ICC(A,1) " in shown(whole)


def figures_of(at: AppTest) -> list[str]:
    """The titles of the figures on the page, with what stands under them, in one line each."""
    specs = [json.loads(one.proto.spec) for one in at.get("plotly_chart")]
    return [re.sub(r"<[^>]+>", " ", spec["layout"]["title"]["text"]) for spec in specs]


def test_figures_and_downloads_name_judge_engine_version_instrument_and_study(open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    study = story.study(store)
    made = story.sessions(store, 4, PAIR)
    story.compare(store, study, made)
    story.rate(store, study, list(made.values()))
    for table in ("rating", "comparison"):
        units.change(store, f"UPDATE {table} SET engine = 'demo', engine_version = '7' WHERE study_id = :study", {"study": study})
    labels: set[str] = set()
    button = charts.csv_button
    monkeypatch.setattr(charts, "csv_button", lambda table, **more: (labels.add(more["made_by"]), button(table, **more))[1])
    for section, instrument in (("wins", "hill"), ("radar", "hill"), ("wai-o-s", "wai-o-s"), ("repeats", "wai-o-s")):
        at = open_page("results.py", study=study, section=section)
        assert_calm(at)
        used = instruments.load(instrument)
        wanted = ["Demo rater v1", "Demo engine (rules, no model), version 7", f"{used.name.en}, version {used.version}", f"study {study}"]
        titles = [" ".join(title.split()) for title in figures_of(at)]
        assert titles and all(words in title for title in titles for words in wanted)
        assert labels and all(words in label for label in labels for words in wanted)
        labels.clear()


def test_what_a_value_is_follows_the_repeats_that_were_planned(open_page: Open, store: Store) -> None:
    study = story.study(store)
    made = list(story.sessions(store, 3, PAIR).values())
    for n, words in ((1, "one rating of a session"), (3, "at least 2 of the 3 planned"), (5, "at least 4 of the 5 planned")):
        rater = f"judge of {n}"
        story.rate(store, study, made, kind="model", rater=rater, repeats=n)
        units.change(store, "UPDATE rating SET repeats = :n WHERE rater_id = (SELECT id FROM rater WHERE name = :name)", {"n": n, "name": rater})
        at = open_page("results.py", study=study, section="wai-o-s")
        at.selectbox(key="results_rater").select_index(n // 2).run()
        assert_calm(at)
        assert words in shown(at)


def test_a_figure_counts_the_roles_behind_its_lines(open_page: Open, store: Store) -> None:
    """Ten roles are compared; in four of them nothing could be read, so they are in no line."""
    study = story.study(store)
    made = story.sessions(store, 10, PAIR)
    story.compare(store, study, {key: id for key, id in made.items() if key[0] < 6}, noise=0.0)
    story.compare(store, study, {key: id for key, id in made.items() if key[0] >= 6}, unreadable=1.0)
    at = open_page("results.py", study=study)
    assert_calm(at)
    assert "95 % intervals over 6 roles." in shown(at)
    assert all("n = 6 roles" in title for title in figures_of(at))


def test_how_intervals_are_made_is_said_once(open_page: Open, judged: int) -> None:
    for section in ("wins", "radar", "wai-o-s", "repeats"):
        at = open_page("results.py", study=judged, section=section)
        assert [one.label for one in at.expander].count("How intervals are made") == 1


def test_words_under_a_title_fit_a_narrow_window() -> None:
    assert charts.folded("one two three", 8) == ["one two", "three"]
    assert charts.folded("评分者：演示评分者，第三版", 12) == ["评分者：演示", "评分者，第三", "版"]
    title = charts.title_block("Scores", "n = 6 roles", "Judge: Demo rater · Demo engine (rules, no model), version 3 · study 1")
    assert max(len(line) for line in re.sub(r"<(?!br)[^>]+>", "", title).split("<br>")) <= charts.LINE
