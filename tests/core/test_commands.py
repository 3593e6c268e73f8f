"""`rapport import` and `rapport show`: files come in, each told of; one record with all its parts."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.cli import app, main
from core.reports import examples
from storage import tables
from storage.store import Store

run = CliRunner().invoke


def test_reports_come_in_and_are_shown_masked(store: Store) -> None:
    files = [str(path) for path in examples.files()]
    done = run(app, ["import", *files, "--json"])
    told = json.loads(done.stdout)
    assert done.exit_code == 0 and (told["accepted"], told["warned"], told["refused"]) == (3, 0, 0)
    ids = [file["saved"][0]["id"] for file in told["files"]]
    shown = [json.loads(run(app, ["show", "report", str(id), "--json"]).stdout) for id in ids]
    assert all(report["clearance"] == "unconfirmed" and report["masks"] for report in shown)
    text = json.dumps(shown, ensure_ascii=False)
    assert not [word for word in ("Helen", "Oyelaran", "林晓雯", "4521", "example.org") if word in text]


def test_bad_files_are_refused_with_the_reason_and_stop_no_other(store: Store, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "bare.txt").write_text("She could not sleep, and she was afraid of every morning.")
    files = [str(tmp_path / name) for name in ("empty.txt", "gone.txt", "bare.txt")]
    done = run(app, ["import", *files, "--json"])
    told = json.loads(done.stdout)
    assert done.exit_code == 0 and [file["status"] for file in told["files"]] == ["refused", "refused", "warned"]
    assert all(file["messages"] for file in told["files"]) and store.reports.count() == 1


def test_the_same_report_is_not_taken_twice_and_titles_get_numbers(store: Store, tmp_path: Path) -> None:
    one, two = tmp_path / "a.md", tmp_path / "b.md"
    for path, words in ((one, "She slept badly."), (two, "He ate too much.")):
        path.write_text(f"Title: Nights\nType: a\nMethod: b\nCase brief: {words}\nProcess: We met.\nReflections: Slow.")
    told = json.loads(run(app, ["import", str(one), str(one), str(two), "--json"]).stdout)
    assert [file["status"] for file in told["files"]] == ["accepted", "refused", "accepted"]
    assert [report.title for report in store.reports.all()] == ["Nights", "Nights (2)"]


def test_several_cases_are_saved_apart(store: Store, tmp_path: Path) -> None:
    case = "Case {n}: Night {n}\nType: a\nMethod: b\nCase brief: {words}\nProcess: We met.\nReflections: Slow.\n"
    words = ("She slept badly since she had moved to another town.", "He could not stop eating after his work was done.")
    (tmp_path / "two.txt").write_text("".join(case.format(n=n, words=w) for n, w in enumerate(words, 1)))
    told = json.loads(run(app, ["import", str(tmp_path / "two.txt"), "--json"]).stdout)
    assert len(told["files"][0]["saved"]) == 2 and store.reports.count() == 2


def test_transcripts_and_roles_come_in_too(store: Store, tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_text("Client: I cannot sleep.\nCounselor: Since when?")
    told = json.loads(run(app, ["import", str(tmp_path / "talk.txt"), "--as", "transcripts", "--json"]).stdout)
    assert told["files"][0]["saved"][0]["kind"] == "session" and store.sessions.count() == 1


def test_wrong_usage_is_one_line_and_code_two(store: Store, tmp_path: Path) -> None:
    assert run(app, ["import", str(tmp_path / "a.txt"), "--as", "poems"]).exit_code == 2
    assert run(app, ["show", "report", "99"]).exit_code == 2


def test_ratings_and_comparisons_of_sessions_in_the_store(store: Store, tmp_path: Path) -> None:
    one, two = (store.sessions.add(tables.Session(title=title, origin="imported")).id for title in "ab")
    ratings, comparisons = tmp_path / "r.csv", tmp_path / "c.csv"
    ratings.write_text(f"session,rater,instrument,item,value\n{one},K-01,wai-o-s,Q1,4\n{two},K-01,wai-o-s,Q1,\n")
    comparisons.write_text(f"first,second,rater,instrument,dimension,verdict\n{one},{two},K-01,hill,gentle_challenges,{two}\n")
    assert run(app, ["import", str(ratings), "--as", "ratings", "--json"]).exit_code == 0
    told = json.loads(run(app, ["import", str(comparisons), "--as", "comparisons", "--json"]).stdout)
    assert told["accepted"] == 1 and [rating.value for rating in store.ratings.all()] == [4.0, None]
    assert store.comparisons.all()[0].winner_id == two
    ratings.write_text("session,rater,instrument,item,value\n99,K-01,wai-o-s,Q1,4\n")
    told = json.loads(run(app, ["import", str(ratings), "--as", "ratings", "--json"]).stdout)
    assert told["refused"] == 1 and "not in the store" in told["files"][0]["messages"][0]


def test_ratings_are_of_people_unless_they_came_with_the_data(store: Store, tmp_path: Path) -> None:
    session = store.sessions.add(tables.Session(title="a", origin="imported")).id
    file = tmp_path / "r.csv"
    file.write_text(f"session,rater,instrument,item,value\n{session},K-01,wai-o-s,Q1,4\n")
    for more in ([], ["--kind", "reference"]):
        assert run(app, ["import", str(file), "--as", "ratings", *more]).exit_code == 0
    assert [rater.kind for rater in store.raters.all(name="K-01")] == ["person", "reference"]
    told = json.loads(run(app, ["import", str(file), "--as", "ratings", "--json"]).stdout)
    assert told["refused"] == 1 and "is here already" in told["files"][0]["messages"][0]
    assert run(app, ["import", str(file), "--as", "ratings", "--kind", "model"]).exit_code == 2
    assert run(app, ["import", str(file), "--as", "transcripts", "--kind", "person"]).exit_code == 2


def test_help_names_the_command_as_it_is_called(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["/somewhere/core/cli.py", "--help"])
    with pytest.raises(SystemExit):
        main()
    assert "Usage: rapport " in capsys.readouterr().out
